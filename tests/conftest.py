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


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """The address of an S3 on localhost."""
    from storage import s3_server

    with s3_server() as address:
        yield address


@pytest.fixture
def bucket(
    s3_endpoint: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Any:
    """An empty bucket of its own per test, and an environment in which `s3://` leads to it and nowhere else."""
    from hashlib import sha1

    from storage import Bucket

    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    nowhere = str(tmp_path_factory.mktemp("aws") / "none")
    settings = {
        "AWS_ENDPOINT_URL": s3_endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": nowhere,
        "AWS_SHARED_CREDENTIALS_FILE": nowhere,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return Bucket(s3_endpoint, f"test-{sha1(request.node.nodeid.encode()).hexdigest()[:20]}")


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The folder in which temporary files are made, empty."""
    import tempfile

    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def no_copies_left(temporary: Any) -> Iterator[None]:
    """A start without copies of URLs, and a check that what is left can be removed."""
    from comitia.files.remote import remove_copies

    remove_copies()
    yield
    remove_copies()
    assert list(temporary.iterdir()) == []
