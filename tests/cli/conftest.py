"""A home of its own for a module of commands, its writers' roles removed afterwards."""

from collections.abc import Iterator

import pytest

from tests.disposable import Disposable


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory, server_url: str) -> Iterator[Disposable]:
    """An empty home, driven by the real command."""
    home = Disposable(tmp_path_factory.mktemp("operator") / "home", server_url)
    yield home
    home.viska("roles", "drop")
    home.drop()
