"""``viska embeddings``: the models whose embeddings are stored, and which of them answers searches."""

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.store.embeddings import (
    EmbeddingError,
    count_embeddings,
    drop_model,
    embedding_backlog,
    embedding_models,
    switch_model,
)
from viska_assets.store.home import Home


@click.group()
def embeddings() -> None:
    """The embeddings by model."""


@embeddings.command("list")
@as_json
def list_models(json_out: bool) -> None:
    """List the models with their size, their backlog and which one answers searches."""
    with Home().reading.transaction() as connection:
        rows = [
            {
                "model": found.model,
                "engine": found.engine,
                "dimension": found.dimension,
                "state": found.state,
                "active": found.active,
                "embeddings": count_embeddings(connection, found),
                "backlog": embedding_backlog(connection, found.model, found.dimension),
                "indexed": found.indexed,
            }
            for found in embedding_models(connection)
        ]
    if json_out:
        print_json(rows)
    elif rows:
        print_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    else:
        console.print("No embeddings yet; an ingest makes them.")


@embeddings.command()
@click.argument("model")
@as_json
def switch(model: str, json_out: bool) -> None:
    """Let MODEL (its name or its engine) answer searches; it must have caught up."""
    try:
        with Home().database.transaction() as connection:
            switch_model(connection, model)
    except EmbeddingError as error:
        refuse(str(error), Exit.REFUSED)
    if json_out:
        print_json({"active": model})
    else:
        console.print(f"{model} answers searches now. Set VISKA_EMBEDDER to its engine, so that it is kept up to date.")


@embeddings.command()
@click.argument("model")
@as_json
def drop(model: str, json_out: bool) -> None:
    """Remove the embeddings of MODEL (its name or its engine) for good; not those that answer searches."""
    try:
        with Home().database.transaction() as connection:
            drop_model(connection, model)
    except EmbeddingError as error:
        refuse(str(error), Exit.REFUSED)
    if json_out:
        print_json({"dropped": model})
    else:
        console.print(f"The embeddings of {model} are gone.")
