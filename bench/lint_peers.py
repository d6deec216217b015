"""What a bundle costs public parsers alone: a floor beside lint, since no public tool applies these rules."""

import time
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version

import yaml
from markdown_it import MarkdownIt


def parse_only(pages: Iterable[str]) -> Mapping[str, object]:
    """CPU seconds of parsing pages with markdown-it-py and PyYAML and checking nothing.

    Args:
        pages: The page files, each with a YAML head between ``---`` lines.

    Returns:
        CPU seconds by loader (libyaml's and the pure Python one), the versions, and what was not done.
    """
    parts = [page.split("---\n", 2) for page in pages]
    markdown = MarkdownIt("commonmark").enable("table")
    body = _cpu(lambda: [markdown.parse(part[2]) for part in parts])
    return {
        "markdown_it_and_libyaml_cpu_s": round(body + _cpu(lambda: [_load(p[1], yaml.CSafeLoader) for p in parts]), 3),
        "markdown_it_and_pyyaml_cpu_s": round(body + _cpu(lambda: [_load(p[1], yaml.SafeLoader) for p in parts]), 3),
        "versions": {name: version(name) for name in ("markdown-it-py", "PyYAML")},
        "note": "parses heads and bodies only: no rule, no citation, no figure, no index is checked",
    }


def _load(text: str, loader: type[yaml.SafeLoader] | type[yaml.CSafeLoader]) -> object:
    return yaml.load(text, loader)


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
