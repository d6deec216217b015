"""The asking side in one run: router, answers, MCP, privacy, and what a search costs beside llama-index and haystack.

    python bench/query.py --pack PACK [--home HOME] [--sample HOME] [--small]

HOME holds the pack, ingested and embedded; it and the sample's home are made where they are not given. Each part is a
module of its own (``query_router``, ``query_answers``, ``query_mcp``, ``query_privacy``, ``query_cost``,
``calibration``).
Progress goes to stderr, one JSON object to stdout.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.calibration import calibration
from bench.homes import home_at, pack_home, scratch_home
from bench.llama_peer import stored_vectors
from bench.packs import read_lines
from bench.query_answers import answers
from bench.query_cost import PEER_QUESTIONS_AT_50000, SYSTEMS, cost_at, enlarged
from bench.query_mcp import mcp_figures
from bench.query_privacy import controls, privacy
from bench.query_router import router
from bench.relevance import Asked, Chunk, read_chunks, read_questions
from bench.retrieval_systems import Remembered
from viska_assets.engines.catalogue import load_embedder
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.query.calibration import fitted_model
from viska_assets.store.home import Home
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

SMALL, LARGE = 2_000, 50_000
ROUNDS = 3


@contextmanager
def sample_home(given: Path | None) -> Iterator[Home]:
    """The home with the sample feed, made in a scratch folder where none is given."""
    if given is not None:
        with home_at(given) as home:
            yield home
        return
    with scratch_home() as home:
        command = [sys.executable, "-m", "viska_assets.cli", "up", "--sample", "--headless"]
        variables = os.environ | {"VISKA_HOME": str(home.settings.home_path)}
        subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL)
        yield home


def chosen(chunks: dict[str, list[Chunk]], questions: Sequence[Asked], size: int) -> list[Chunk]:
    """Whole documents up to a size, those first of which the questions know the evidence."""
    asked_of = dict.fromkeys(document for q in questions if q.self_contained for document in q.documents)
    order = [*asked_of, *(d for d in sorted(chunks) if d not in asked_of)]
    found: list[Chunk] = []
    for document in order:
        if len(found) + len(chunks.get(document, ())) <= size:
            found += chunks.get(document, ())
    return found


def costs(pack: Path, home: Home, *, large: bool) -> dict[str, Any]:
    """Quality and CPU at 2,000 passages, CPU at 50,000."""
    errors: list[dict[str, str]] = []
    embedder = load_embedder(home.settings.embedder)
    with home.database.transaction() as connection:
        chunks = read_chunks(connection)
        vectors = stored_vectors(connection, str(embedder.identity))
        questions = read_questions(pack, chunks, errors)
    small = [chunk for chunk in chosen(chunks, questions, SMALL) if chunk.chunk_id in vectors]
    held = {chunk.chunk_id for chunk in small}
    asked = [q for q in questions if q.self_contained and q.relevant <= held]
    rows = np.stack([vectors[chunk.chunk_id] for chunk in small])
    remembered = Remembered(embedder, [q.question for q in asked])
    found = {"2000": cost_at(small, rows, asked, remembered, ROUNDS)}
    if large:
        every = [c for group in chunks.values() for c in group if c.chunk_id in vectors]
        grown, grown_rows = enlarged(every, np.stack([vectors[c.chunk_id] for c in every]), LARGE)
        found["50000"] = cost_at(grown, grown_rows, asked[:PEER_QUESTIONS_AT_50000], remembered, 1)
    return {
        "cpu_ms": {n: {name: part[name]["cpu_ms"] for name in SYSTEMS if name in part} for n, part in found.items()},
        "cpu_ratio_to_llama_index": {n: part["cpu_ratio_to_llama_index"] for n, part in found.items()},
        "quality_at_2000": {
            name: {key: found["2000"][name][key] for key in ("recall5", "recall10", "ndcg10", "mrr")}
            for name in SYSTEMS
            if name in found["2000"]
        },
        "at": found,
        "questions_without_evidence": len(errors),
    }


def privacy_matrix() -> dict[str, Any]:
    """The privacy matrix over a home of its own, and how many vaults open to one who may open them."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "home"
        os.environ["VISKA_HOME"] = str(root)
        home = Home(Settings())
        try:
            return privacy(home, Path(scratch) / "vaults") | {"controls_seen": controls(home)}
        finally:
            home.close()
            EmbeddedServer(root).stop()
            del os.environ["VISKA_HOME"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="a home into which the pack was ingested and embedded")
    parser.add_argument("--sample", type=Path, help="a home with the sample feed")
    parser.add_argument("--small", action="store_true", help="leave out the 50,000 passages")
    given = parser.parse_args(arguments)
    pack_questions = [line["question"] for line in read_lines(given.pack / "questions.jsonl")]
    routed = router(pack_questions)
    result: dict[str, Any] = {"router": {key: value for key, value in routed.items() if key != "errors"}}
    with sample_home(given.sample) as sample:
        print("asking for answers", file=sys.stderr)
        result |= answers(sample)
        print("calling over MCP", file=sys.stderr)
        result["mcp"] = mcp_figures(sample, load_embedder("minilm-int8").count_tokens)
    with pack_home(given.pack, given.home) as home:
        result |= costs(given.pack, home, large=not given.small)
        result["calibration"] = calibration(given.pack, home, fitted_model())
    result["ece"] = result["calibration"]["ece"]
    print("trying every path to the private vaults", file=sys.stderr)
    result["privacy"] = privacy_matrix()
    result |= {
        "n": {"router": sum(routed["questions"].values()), "answers": result["answers_asked"]},
        "engine_version": answering_engine_of(Settings()),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load_average": round(os.getloadavg()[0], 2),
        "errors": routed["errors"][:200],
        "errors_total": len(routed["errors"]),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
