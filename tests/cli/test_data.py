import hashlib
import json
from pathlib import Path

import pytest

from comitia.cli.main import main
from file_server import Served, serve
from shared_data import shared


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("COMITIA_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("COMITIA_DATA_URL", raising=False)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["data", *words])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("command", ["fetch", "prepare", "check"])
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, "--help") == 0
    assert f"comitia data {command} " in capsys.readouterr().out


def test_fetch_writes_into_the_cache_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = b"reviews" * 1000
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    with serve(Served(content)) as url:
        assert run("fetch", "imdb", "--url", url, "--digest", digest, "--json", "-") == 0
    record = json.loads(capsys.readouterr().out)
    assert record == {"name": "imdb", "path": str(tmp_path / "cache" / "imdb.npz"), "bytes": 7000}
    assert (tmp_path / "cache" / "imdb.npz").read_bytes() == content


def test_fetch_of_a_corrupted_file_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(Served(b"something else")) as url:
        assert run("fetch", "cifar10", "--url", url) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "the download has a wrong checksum: expected md5:c32a1d4ab5d03f1284b67883e8d87530" in error
    assert list((tmp_path / "cache").iterdir()) == []


def test_unknown_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fetch", "cifar") == 2
    assert run("prepare", "cifar") == 2
    assert run("check", "cifar") == 2
    assert capsys.readouterr().err.count("did you mean 'cifar10'?") == 3


def test_prepare_reads_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("prepare", "mnist5k") == 0
    assert "mnist5k: ready, 4,000 samples to train and 1,000 to test" in capsys.readouterr().out
    assert run("prepare", "eyepacs") == 2
    assert "--from DIR is missing" in capsys.readouterr().err
    assert run("prepare", "imdb") == 2
    assert "comitia data fetch imdb" in capsys.readouterr().err


def test_check_is_1_if_something_is_corrupt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", "--json", "-") == 0
    record = json.loads(capsys.readouterr().out)
    assert {entry["name"]: entry["state"] for entry in record["data"]} == {
        "imdb": "missing",
        "cifar10": "missing",
        "cifar100": "missing",
        "eyepacs": "missing",
        "mnist5k": "whole",
    }
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "imdb.npz").write_bytes(b"broken")
    assert run("check", "--json", "-") == 1
    assert json.loads(capsys.readouterr().out)["corrupt"] == ["imdb"]
    assert run("check", "imdb") == 1
    assert "corrupt" in capsys.readouterr().out


def test_check_of_real_data(capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared("cifar-10-batches-bin")
    assert run("check", "cifar10", "--folder", str(folder)) == 0
    assert "10,000 to test" in capsys.readouterr().out
