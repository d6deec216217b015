"""``viska mcp``: the server for agents, over stdio or HTTP."""

import click

from viska_assets.cli.output import Exit, refuse
from viska_assets.store.home import Home


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP under /mcp instead of stdio; callers need a token.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8765, show_default=True)
@click.option(
    "--private", multiple=True, help="A private vault that the client may open over stdio, by its name and a reason."
)
def mcp(http: bool, host: str, port: int, private: tuple[str, ...]) -> None:
    """Serve search, answers and the graph to agents by the Model Context Protocol (see docs/asking.md)."""
    from viska_assets.mcp.serve import serve_http, serve_stdio

    home = Home()
    if http and private:
        refuse("over HTTP, private vaults are granted to each token in mcp_tokens.json, not by --private", Exit.USAGE)
    if http:
        serve_http(home, host, port)
    else:
        serve_stdio(home, private)
