"""A worker killed in the middle of ``ingest_documents``: the rerun ends where an undisturbed run ends."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


@pytest.fixture
def home(tmp_path: Path, server_url: str) -> Iterator[Disposable]:
    home = Disposable(tmp_path / "home", server_url)
    yield home
    home.drop()


def at_least(table: str, rows: int) -> Callable[[psycopg.Connection], bool]:
    def reached(connection: psycopg.Connection) -> bool:
        row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return row is not None and row[0] >= rows

    return reached


MOMENTS = {
    "deliveries half recorded": at_least("raw.document", 4),
    "documents half read": at_least("retrieval.document_text", 3),
    "before the drafts": at_least("retrieval.document_text", 10),
    "drafts half stored": at_least("registry.draft", 8),
    "quarantined, not yet written": at_least("gate.quarantine", 1),
    "pages just written": at_least("registry.page_version", 1),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_mended_by_the_next(moment: str, home: Disposable, sample_home: Disposable) -> None:
    home.kill_when(MOMENTS[moment])
    home.ingest_samples()
    assert home.fingerprint() == sample_home.fingerprint()
