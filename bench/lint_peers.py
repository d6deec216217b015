"""What a bundle costs public tools: parsers alone as a floor, and linters as commands. None of them checks a figure."""

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

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


# name: arguments after the command (the bundle's folder follows), and what it checks of a bundle
_LINTERS = {
    "jidoseal": (("--root",), "OKF: tiers of the frontmatter; no link, index, citation or figure"),
    "pymarkdown": (("-d", "line-length,first-line-heading", "scan", "-r"), "markdown style; nothing of OKF"),
}


def public_linters(files: Mapping[str, str]) -> Mapping[str, object]:
    """CPU seconds of public linters over the same files, each a process of its own (its start counts).

    A linter is looked for in the folder that ``VISKA_LINT_PEERS`` names (the ``bin`` of an environment of its own, with
    ``pip install jidoseal-mcp pymarkdownlnt``), then on the path; one that is not there says so.
    """
    folder = os.environ.get("VISKA_LINT_PEERS", "")
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            (Path(root) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(root) / path).write_text(text, encoding="utf-8")
        found = {}
        for name, (arguments, checks) in _LINTERS.items():
            command = (shutil.which(name, path=folder) if folder else None) or shutil.which(name)
            found[name] = _measured([command, *arguments, root], checks) if command else "not installed"
        return found


def _measured(command: list[str], checks: str) -> Mapping[str, object]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = subprocess.run([command[0], "--version"], capture_output=True, text=True, timeout=60, check=False)
    if not shown.stdout.strip():
        shown = subprocess.run([command[0], "version"], capture_output=True, text=True, timeout=60, check=False)
    return {
        "cpu_s": round(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 3),
        "exit_code": done.returncode,
        "lines_said": len(done.stdout.splitlines()),
        "version": shown.stdout.strip(),
        "checks": checks,
    }


def _load(text: str, loader: type[yaml.SafeLoader] | type[yaml.CSafeLoader]) -> object:
    return yaml.load(text, loader)


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
