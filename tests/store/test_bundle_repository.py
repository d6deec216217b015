"""The bundle's repository: one commit a batch, the same batch the same commit, nobody's edits lost."""

from datetime import UTC, datetime
from pathlib import Path

from git import Repo

from viska_assets.store.bundle_repository import BundleRepository

WHEN = datetime(2025, 2, 26, 21, 35, tzinfo=UTC)
FILES = {"issuers/acme.md": "---\ntype: Issuer\n---\n", "index.md": "# Index\n"}


def write(path: Path, files: dict[str, str] = FILES):
    return BundleRepository(path).write(files, (), "Ingest 1 document", [("Document", "ab12")], WHEN)


def test_a_batch_is_one_commit_with_trailers(tmp_path: Path) -> None:
    done = write(tmp_path)
    commit = Repo(tmp_path).head.commit
    assert commit.hexsha == done.commit
    assert str(commit.message).splitlines() == ["Ingest 1 document", "", "Document: ab12"]
    assert set(done.changed) == set(FILES)


def test_the_same_batch_elsewhere_is_the_same_commit(tmp_path: Path) -> None:
    assert write(tmp_path / "a").commit == write(tmp_path / "b").commit


def test_writing_again_commits_nothing(tmp_path: Path) -> None:
    first = write(tmp_path)
    again = write(tmp_path)
    assert (again.commit, again.changed) == (first.commit, ())


def test_edits_that_a_write_replaces_are_kept_under_a_reference(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "issuers" / "acme.md").write_text("edited by hand")
    done = write(tmp_path, FILES | {"issuers/acme.md": "a new version\n"})
    assert done.saved_edits is not None
    kept = Repo(tmp_path).commit(done.saved_edits).tree / "issuers" / "acme.md"
    assert kept.data_stream.read() == b"edited by hand"
    assert (tmp_path / "issuers" / "acme.md").read_text() == "a new version\n"


def test_edits_elsewhere_stay_in_the_working_tree(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "index.md").write_text("edited by hand")
    done = write(tmp_path, {"issuers/acme.md": "a new version\n"})
    assert done.changed == ("issuers/acme.md",)
    assert (tmp_path / "index.md").read_text() == "edited by hand"


def test_a_removed_page_leaves_the_head(tmp_path: Path) -> None:
    write(tmp_path)
    BundleRepository(tmp_path).write({}, ["issuers/acme.md"], "Remove", [], WHEN)
    assert set(BundleRepository(tmp_path).files()) == {"index.md"}


def test_a_bundle_inside_another_repository_is_its_own(tmp_path: Path) -> None:
    Repo.init(tmp_path)
    done = write(tmp_path / "bundle")
    assert Repo(tmp_path / "bundle").head.commit.hexsha == done.commit
    assert not Repo(tmp_path).head.is_valid()
