"""Every read path times every private vault times every way to ask for it by another name; counts what leaks.

A scratch home gets a canary in each private vault: in the text, title, file name and author of a note. Then agents and
commands ask for it by exact names without a grant or reason, by look-alikes, by ids, and in the default scope. What
leaks is the bytes of canaries and of private ids in anything that comes back: replies, errors, both output streams.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from click.testing import CliRunner
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from viska_assets.hermes.vaults import sync_vaults
from viska_assets.ingest.readers import ReadingPlan
from viska_assets.mcp.server import build_server
from viska_assets.query.library import Library
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.home import Home

PRIVATE = ("second-brain", "health", "business", "relational")
WORDS = "zanzibar quarterly submarine revenue"


def canary(vault: str) -> str:
    """A word that stands nowhere but in one private vault."""
    return f"CANARY{vault.replace('-', '').upper()}XQJ"


def other_names(vault: str) -> tuple[str, ...]:
    """The ways in which a vault is asked for without its exact name, and a wildcard or two."""
    homoglyph = vault.translate({ord("e"): "е", ord("s"): "ѕ", ord("a"): "а", ord("o"): "о"})
    decorated = (
        f"{vault}/",
        f"./{vault}",
        f"../{vault}",
        f"vaults/{vault}",
        f" {vault}",
        f"{vault}\u200b",
        f"{vault}%",
    )
    wild = ("*", "all", "%", "", ".", "..", "/", f"default,{vault}", f"default' OR namespace='{vault}")
    cases = (vault.upper(), vault.title(), vault[:-1] + vault[-1].upper())
    return (*cases, *decorated, *wild, homoglyph, f"{vault[:2]}\u00ad{vault[2:]}", vault[:3] + "*")


def fill_vaults(home: Home, root: Path) -> None:
    """Writes a canary into each private vault and an innocent note into two public ones, and syncs them."""
    for vault in (*PRIVATE, "strategic", "wisdom"):
        word = canary(vault) if vault in PRIVATE else "innocent"
        folder = root / vault
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{word}.md").write_text(
            f"---\nauthor: {word}\ndate: 2026-01-01\n---\n# {word} note\n\nThe {WORDS} of {word} was "
            f"$391.0 billion in fiscal year 2024. {word} said so.\n"
        )
    sync_vaults(home.database, home.blobs, root, ReadingPlan(home.settings.embedder), terms_of)


@dataclass
class Tally:
    """What was tried and what came out of it."""

    secrets: tuple[str, ...]
    paths: set[str] = field(default_factory=set)
    attempts: int = 0
    leaked_bytes: int = 0
    leaks: list[str] = field(default_factory=list)

    def count(self, path: str, asked: object, said: str) -> None:
        """Counts the secret bytes in what came back, those that the asker said itself left out."""
        self.paths.add(path)
        self.attempts += 1
        own = json.dumps(asked, default=str)
        for secret in self.secrets:
            if secret not in own and (found := said.count(secret)):
                self.leaked_bytes += found * len(secret.encode())
                self.leaks.append(f"{path} {own[:200]}: {secret}")


def private_ids(home: Home) -> dict[str, tuple[str, str]]:
    """By private vault, the ids of its chunk and document, which only the owner can look up."""
    with home.database.transaction() as connection:
        rows = connection.execute(
            "SELECT namespace, min(chunk_id), min(document_id) FROM retrieval.chunk WHERE namespace = ANY(%s) "
            "GROUP BY namespace",
            (list(PRIVATE),),
        )
        return {row[0]: (row[1], row[2]) for row in rows}


def _tool_calls(vault: str, ids: tuple[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    chunk, document = ids
    for namespaces in [None, [], [vault], ["default", vault], *([name] for name in other_names(vault))]:
        scope: dict[str, Any] = {} if namespaces is None else {"namespaces": namespaces}
        # A look-alike is asked for with a reason alone, which is what might open it.
        bare = namespaces is None or vault in namespaces or not namespaces
        for reason in [{}, {"reason": "because"}] if bare else [{"reason": "because"}]:
            own = scope | reason
            yield "viska_search", {"question": WORDS, "limit": 50, "detail": "full"} | own
            yield "viska_answer", {"question": f"What was the {WORDS}?"} | own
            yield "viska_search", {"question": WORDS, "sources": ["vault", "repository"]} | own
            yield "viska_answer", {"question": f"What was the {WORDS}?", "sources": ["vault", "repository"]} | own
            yield "viska_open", {"reference": f"viska://chunk/{chunk}"} | own
            yield "viska_open", {"reference": f"viska://source/{document[:16]}"} | own
            yield "viska_find_pattern", {"pattern": "submarine"} | own
            yield "viska_find_pattern", {"pattern": "zanzibar.*", "regex": True} | own
            yield "viska_audit_coverage", {"topic": "zanzibar submarine"} | own
            yield "viska_find_contradictions", {"topic": WORDS, "statements": ["Apple's revenue was $1 in 2024."]} | own
    for reference in (document, document[:8], f"{vault}/note", f"concept/{vault}/note", chunk):
        yield "viska_open", {"reference": reference}
    yield "viska_source_check", {"claim": f"The {WORDS} was $391.0 billion in fiscal year 2024."}
    yield "viska_trace_provenance", {"page": f"{vault}/note"}
    yield "viska_status", {}
    for name in ("submarine", vault, f"../{vault}"):
        yield "query_graph", {"question": name}
        yield "get_neighbors", {"label": name}
        yield "shortest_path", {"source": name, "target": vault}
    yield "god_nodes", {"top_n": 50}
    yield "viska_search", {"question": WORDS, "namespace": [vault]}


async def _ask_agent(home: Home, ids: dict[str, tuple[str, str]], tally: Tally) -> None:
    async with Client(build_server(Library(home))) as client:
        for vault in PRIVATE:
            for name, arguments in _tool_calls(vault, ids[vault]):
                result = await client.call_tool(name, arguments)
                tally.count(name, arguments, result.model_dump_json())
            chunk, document = ids[vault]
            for uri in (
                "viska://index",
                f"viska://chunk/{chunk}",
                f"viska://source/{document}",
                f"viska://concept/{vault}/note",
            ):
                try:
                    said = (await client.read_resource(uri)).model_dump_json()
                except MCPError as error:
                    said = str(error)
                tally.count(f"resource {uri.split('/')[2]}", uri, said)
        tally.count("instructions", "", str(client.instructions))
        tally.count("tools/list", "", (await client.list_tools()).model_dump_json())


def _commands(vault: str, ids: tuple[str, str]) -> Iterator[tuple[str, ...]]:
    chunk, document = ids
    # An exact name opens nothing without a reason; look-alikes open nothing with one.
    scopes: list[tuple[str, ...]] = [(), ("--namespace", vault)]
    scopes += [("--namespace", name, "--reason", "because") for name in other_names(vault)]
    for scope in scopes:
        yield ("search", WORDS, "--limit", "50", *scope)
        yield ("open", f"viska://chunk/{chunk}", *scope)
        yield ("find-pattern", "submarine", *scope)
    for scope in scopes[:4]:
        yield ("research", f"What was the {WORDS}?", *scope)
        yield ("open", document, *scope)
        yield ("source-check", f"The {WORDS} was $391.0 billion in fiscal year 2024.", *scope)
        yield ("audit-coverage", "zanzibar submarine", *scope)
        yield ("find-contradiction", WORDS, *scope)
        yield ("sources", WORDS, *scope)
        yield ("research", f"What was the {WORDS}?", "--in", "vault", "--in", "repository", *scope)
        yield ("search", WORDS, "--json", *scope)
    yield ("status", "--json")
    yield ("vaults", "list", "--json")
    yield ("issuers", "list", "--json")
    yield ("trace-provenance", f"{vault}/note")
    yield ("graph",)
    yield ("graph", "query", "submarine")
    yield ("route", WORDS)
    yield ("incidents", "--json")
    yield ("quarantine", "list", "--json")
    yield ("feeds", "list", "--json")
    yield ("embeddings", "list", "--json")
    yield ("gate", _forged_page(chunk))
    yield ("trace", _forged_page(chunk))


def _forged_page(chunk: str) -> str:
    """A page file that cites a private chunk by its id, in the hope that a tool shows what stands there."""
    path = Path(f"forged-{chunk[:12]}") / "issuers" / "forged.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "---\ntype: Issuer\ntitle: Forged\ndescription: Forged.\nresource: 'cik:0000000001'\n"
        "identifiers: {cik: '0000000001'}\ncurrency: USD\n"
        "generated: {by: hand/1, at: '2026-01-01T00:00:00+00:00'}\ntimestamp: '2026-01-01T00:00:00+00:00'\n"
        "status: stable\nsources:\n  - id: c1\n    resource: /sources/forged.md\n    title: Forged\n"
        f"    chunk: '{chunk}'\n"
        f"    locator: {{quote: {WORDS}}}\n    content_sha256: {'0' * 64}\n---\n\n# Forged\n\n## Summary\n\n"
        f"The {WORDS} was $392.0 billion in fiscal year 2024. [^c1]\n"
    )
    return str(path)


def _ask_commands(ids: dict[str, tuple[str, str]], tally: Tally) -> None:
    from viska_assets.cli.main import main

    for vault in PRIVATE:
        for command in _commands(vault, ids[vault]):
            done = CliRunner().invoke(main, list(command))
            raised = repr(done.exception) if done.exception and not isinstance(done.exception, SystemExit) else ""
            given = [Path(word).read_text() for word in command if word.endswith("forged.md")]
            tally.count(f"viska {command[0]}", [command, given], f"{done.output}{raised}")


def privacy(home: Home, vaults: Path) -> dict[str, Any]:
    """The whole matrix over a home that the environment names, whose vaults are filled here.

    Args:
        home: a home of its own.
        vaults: an empty folder.
    """
    fill_vaults(home, vaults)
    ids = private_ids(home)
    secrets = [canary(vault) for vault in PRIVATE] + [part for pair in ids.values() for part in (pair[0], pair[1][:16])]
    tally = Tally(tuple(secrets))
    anyio.run(_ask_agent, home, ids, tally)
    with contextlib.chdir(vaults):
        _ask_commands(ids, tally)
    return {
        "paths": len(tally.paths),
        "attempts": tally.attempts,
        "leaked_bytes": tally.leaked_bytes,
        "leaks": tally.leaks[:20],
        "by_path": sorted(tally.paths),
    }


def controls(home: Home, names: Sequence[str] = PRIVATE) -> int:
    """How many private vaults give their canary to one who was granted them and says why: the matrix can see a leak."""
    from viska_assets.query.access import Caller, Wanted
    from viska_assets.query.search import search

    seen = 0
    for vault in names:
        with Library(home).reader(Caller("bench", granted=(vault,)), Wanted((vault,), "control", WORDS)) as reader:
            found = search(reader, WORDS)
        seen += any(canary(vault) in hit.text for hit in found.hits)
    return seen
