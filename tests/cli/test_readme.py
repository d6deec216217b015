"""The commands that README and docs show exist, with the options shown."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.conftest import REPOSITORY
from viska_assets.cli.main import main

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(viska [^`]+)`")


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()] + INLINE.findall(text)
        found += [(page.name, line.split("#")[0].strip()) for line in lines if line.startswith("viska ")]
    return sorted(set(found))


@pytest.mark.parametrize(("page", "command"), commands())
def test_the_command_exists(page: str, command: str) -> None:
    for choice in alternatives(shlex.split(command)[1:]):
        parse(main, "viska", choice)


def alternatives(words: list[str]) -> list[list[str]]:
    """``db start|stop`` stands for two commands."""
    at = next((i for i, word in enumerate(words) if "|" in word), None)
    return [words] if at is None else [[*words[:at], word, *words[at + 1 :]] for word in words[at].split("|")]


def parse(command: click.Command, name: str, words: list[str], parent: click.Context | None = None) -> None:
    context = command.make_context(name, list(words), parent=parent, resilient_parsing=True)
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(context, words[0])
        assert inner is not None, f"there is no command {words[0]!r}"
        parse(inner, words[0], words[1:], context)


def test_make_prints_every_command_of_the_readme() -> None:
    makefile = Path(REPOSITORY / "Makefile").read_text(encoding="utf-8")
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", readme, re.MULTILINE)):
        assert re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), target
