"""What tests of several folders share."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

ARGUMENTS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium driven by Playwright; the test is skipped where one of them is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    if binary is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=binary, args=ARGUMENTS)
        yield started
        started.close()
