"""A real Chromium with one tab, for every test that looks at a page."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A tab of its own for each test: while Playwright is open, its event loop runs in the thread of all tests."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium executable is installed; the UI tests need one")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("chromium")),
            executable_path=chromium,
            headless=True,
            args=CHROMIUM_FLAGS,
            viewport={"width": 1600, "height": 1000},
        )
        page = context.pages[0]
        page.set_default_timeout(60_000)
        yield page
        context.close()
