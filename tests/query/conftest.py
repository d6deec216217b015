"""The sample home opened for reading, and a reader for whom pages may answer."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.disposable import Disposable
from viska_assets.query.library import Library, Reader
from viska_assets.store.home import Home
from viska_assets.store.parity_gate import Gate
from viska_assets.store.settings import Settings

NOW = datetime(2024, 12, 1, tzinfo=UTC)
OPEN = Gate(True, "synthesis answers: opened by the test")


@pytest.fixture(scope="session")
def library(sample_home: Disposable) -> Iterator[Library]:
    home = Home(Settings(home=sample_home.root, database_url=sample_home.url, now=NOW))
    yield Library(home)
    home.close()


@pytest.fixture
def reader(library: Library) -> Iterator[Reader]:
    with library.reader() as found:
        yield found


@pytest.fixture
def open_reader(reader: Reader) -> Reader:
    return replace(reader, gate=lambda: OPEN)
