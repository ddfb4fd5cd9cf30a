"""Commands on URLs: the whole job in a bucket, and failures that leave it as it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from comitia.cli.main import main
from storage import Bucket, http_server

RUN = "from comitia.cli.main import run; run()"


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)


def test_weigh_predict_verify_evaluate_in_a_bucket(
    bucket: Bucket, pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = f"s3://{bucket.name}"
    holdout = bucket.put("holdout.npz", pack.read_bytes())
    assert call("weigh", holdout, "--out", f"{base}/ensemble.json", "--json", f"{base}/record.json") == 0
    assert f"ensemble written to {base}/ensemble.json" in capsys.readouterr().out.replace("\n", "")
    assert call("weigh", str(pack), "--out", str(pack.parent / "own.json")) == 0
    assert json.loads(bucket.get("ensemble.json")) == json.loads((pack.parent / "own.json").read_bytes())
    assert bucket.get("record.json") == bucket.get("ensemble.json")
    for ending in ("csv", "npz"):
        assert call("predict", f"{base}/ensemble.json", holdout, "--out", f"{base}/out.{ending}") == 0
    assert len(bucket.get("out.csv").splitlines()) == 201
    assert call("verify", f"{base}/ensemble.json", holdout, "--json", f"{base}/verified.json") == 0
    assert json.loads(bucket.get("verified.json"))["holds"] is True
    assert (
        call("evaluate", holdout, "--sizes", "2", "--out", f"{base}/e.json", "--table", f"{base}/e.csv") == 0
    )
    assert json.loads(bucket.get("e.json"))["rows"]


def test_report_in_a_bucket(bucket: Bucket, pack: Path) -> None:
    base = f"s3://{bucket.name}"
    assert call("weigh", str(pack), "--out", f"{base}/ensemble.json") == 0
    assert call("report", f"{base}/ensemble.json", "--json", f"{base}/r.json") == 0
    assert json.loads(bucket.get("r.json")) == {
        "page": f"{base}/ensemble.html",
        "bytes": len(bucket.get("ensemble.html")),
    }


def test_what_is_there_is_overwritten_with_force_only_and_inputs_never(
    bucket: Bucket, pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holdout, old = bucket.put("holdout.npz", pack.read_bytes()), bucket.put("e.json", b"old")
    assert call("weigh", holdout, "--out", old) == 2
    assert capsys.readouterr().err == f"comitia: {old}: already exists; --force overwrites it\n"
    assert call("weigh", holdout, "--out", holdout, "--force") == 2
    assert "holdout.npz: is one of the inputs; refusing to overwrite it\n" in capsys.readouterr().err
    assert call("weigh", holdout, "--out", old, "--json", old, "--force") == 2
    assert "two outputs have this name" in capsys.readouterr().err
    assert (bucket.get("e.json"), bucket.get("holdout.npz")) == (b"old", pack.read_bytes())
    assert call("weigh", holdout, "--out", old, "--force") == 0
    assert json.loads(bucket.get("e.json"))["members"] == 15


def test_a_file_url_is_the_file(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = pack.as_uri()
    assert call("weigh", own, "--out", str(pack), "--force") == 2
    assert "is one of the inputs; refusing to overwrite it" in capsys.readouterr().err
    assert call("weigh", own, "--out", (pack.parent / "e.json").as_uri()) == 0
    assert json.loads((pack.parent / "e.json").read_text())["members"] == 15


def test_a_cut_download_writes_nothing(
    bucket: Bucket, pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with http_server({"test.npz": pack.read_bytes()}) as address:
        url = f"{address}/broken/test.npz?token=secret"
        assert call("weigh", url, "--out", f"s3://{bucket.name}/e.json") == 2
    said = capsys.readouterr().err
    assert said == f"comitia: {address}/broken/test.npz: the connection was cut; try again\n"
    assert bucket.keys() == []


def test_a_process_leaves_no_copy(bucket: Bucket, pack: Path, temporary: Path) -> None:
    """The command ends its process without exit handlers, so that it must remove copies by itself."""
    holdout = bucket.put("holdout.npz", pack.read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", RUN, "weigh", holdout, "--out", f"s3://{bucket.name}/e.json"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "TMPDIR": str(temporary), "TEMP": str(temporary)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(bucket.keys()) == ["e.json", "holdout.npz"]
    assert list(temporary.iterdir()) == []


def test_paths_need_no_fsspec(pack: Path) -> None:
    code = "import sys; from comitia.cli.main import main\ntry: main()\nexcept SystemExit: pass\n"
    code += "print([m for m in ('fsspec', 's3fs', 'aiohttp') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, "weigh", str(pack)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.endswith("[]\n"), done.stderr
