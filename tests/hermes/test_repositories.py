import subprocess
from pathlib import Path

import pytest

from viska_assets.hermes.repositories import Repository, RepositoryError, find_lines, read_file

WHEN = "2026-02-03T04:05:06+00:00"


def git(folder: Path, *arguments: str, author: str = "Ada") -> str:
    who = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": author}
    when = {"GIT_COMMITTER_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": WHEN, "GIT_COMMITTER_DATE": WHEN}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin"} | who | when,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


@pytest.fixture
def clone(tmp_path: Path) -> Repository:
    folder = tmp_path / "desk"
    (folder / "docs").mkdir(parents=True)
    git(folder.parent, "init", "-q", "desk")
    (folder / "pricing.py").write_text("def price(x):\n    # zanzibar spread\n    return x\n")
    (folder / "docs" / "a:b notes.md").write_text(
        "# Zanzibar\n\nThe spread was chosen by hand.\nZanzibar Spread again.\n"
    )
    (folder / "image.bin").write_bytes(b"zanzibar spread\0\xff")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    (folder / "pricing.py").write_text("def price(x):\n    # zanzibar spread, halved\n    return x / 2\n")
    git(folder, "commit", "-q", "-am", "two", author="Grace")
    return Repository("desk", folder)


def test_each_line_is_what_the_commit_says_with_its_author_and_date(clone: Repository) -> None:
    found = find_lines(clone, ["Zanzibar", "spread"])
    assert [(line.path, line.number, line.author) for line in found.lines] == [
        ("docs/a:b notes.md", 4, "Ada"),
        ("pricing.py", 2, "Grace"),
    ]
    for line in found.lines:
        shown = read_file(clone, line.path, line.head).split("\n")
        assert shown[line.number - 1] == line.text
        assert line.changed_at.isoformat() == WHEN
        assert line.commit in git(clone.path, "log", "--format=%H").split()
    assert [line.is_document for line in found.lines] == [True, False]


def test_what_is_not_committed_is_not_found(clone: Repository) -> None:
    (clone.path / "draft.md").write_text("a zanzibar spread of tomorrow\n")
    (clone.path / "pricing.py").write_text("# zanzibar spread gone\n")
    assert {line.path for line in find_lines(clone, ["zanzibar", "spread"]).lines} == {
        "docs/a:b notes.md",
        "pricing.py",
    }
    assert find_lines(clone, ["gone"]).lines == ()


def test_a_pattern_is_a_regular_expression_and_words_are_literal(clone: Repository) -> None:
    assert [line.number for line in find_lines(clone, [], pattern=r"return x( / [0-9])?$").lines] == [3]
    assert find_lines(clone, ["return x( / [0-9])?$"]).lines == ()
    assert find_lines(clone, ["x / 2"]).lines[0].number == 3
    with pytest.raises(RepositoryError, match="desk"):
        find_lines(clone, [], pattern="(")


@pytest.mark.parametrize(
    "word", ["--output=/tmp/x", "-e", "$(id)", "`id`", "; rm -rf", "'\"", "\\", "%n", "*", "", "  "]
)
def test_a_word_is_never_an_option_nor_a_command(clone: Repository, word: str) -> None:
    assert find_lines(clone, [word]).lines == ()


def test_searching_writes_nothing_and_runs_no_program_of_the_repository(clone: Repository, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "diff.x.textconv", "alias.grep"):
        git(clone.path, "config", key, f"!{trap}" if key.startswith("alias") else str(trap))
    (clone.path / ".git" / "info").mkdir(exist_ok=True)
    (clone.path / ".git" / "info" / "attributes").write_text("* diff=x\n")
    before = sorted((p.relative_to(clone.path), p.stat().st_mtime_ns) for p in clone.path.rglob("*"))
    assert find_lines(clone, ["zanzibar"]).lines
    assert not (tmp_path / "sprung").exists()
    assert sorted((p.relative_to(clone.path), p.stat().st_mtime_ns) for p in clone.path.rglob("*")) == before


def test_a_limit_takes_some_of_every_file_and_counts_the_rest(clone: Repository) -> None:
    found = find_lines(clone, ["zanzibar"], limit=2)
    assert {line.path for line in found.lines} == {"docs/a:b notes.md", "pricing.py"}
    assert found.left_out == 1


def test_a_folder_that_is_no_clone_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for path, message in ((tmp_path / "plain", "no git clone"), (tmp_path / "gone", "there is no folder")):
        with pytest.raises(RepositoryError, match=message):
            find_lines(Repository("x", path), ["y"])
    with pytest.raises(RepositoryError, match="0 to 1"):
        Repository("x", tmp_path, authority=3)


@pytest.mark.parametrize(("path", "commit"), [("../x", "HEAD"), ("/etc/passwd", "abcd"), ("a", "--all"), ("a", "main")])
def test_only_a_committed_file_is_read(clone: Repository, path: str, commit: str) -> None:
    with pytest.raises(RepositoryError):
        read_file(clone, path, commit)
