"""`comitia build`: checkpoints of any origin to a folder that verifies; and `comitia collect` of checkpoints."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import skops.io
import torch
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression

import plain_loop
from comitia import InputError, build
from comitia.cli.main import main

TESTS = Path(__file__).resolve().parents[1]


def call(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3 architectures × 2 runs × 3 epochs, and the hold-out as a file."""
    folder = tmp_path_factory.mktemp("trained")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    plain_loop.train(folder / "ckpts")
    torch.set_num_threads(threads)
    x, y = plain_loop.holdout()
    np.savez(folder / "holdout.npz", x=x, y=y)
    return folder


WORDS = ("--model", "plain_loop:network", "--data", "plain_loop:holdout", "--device", "cpu")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_from_checkpoints_to_a_folder_that_verifies(
    checkpoints: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bundle"
    assert call("build", checkpoints / "ckpts", *WORDS, "--out", out, "--json", tmp_path / "e.json") == 0
    printed = capsys.readouterr().out
    assert "18 members, 600 samples" in printed
    assert "Promise (split)" in printed
    assert f"bundle written to {out}" in printed.replace("\n", "")
    record = json.loads((tmp_path / "e.json").read_text())
    assert (record["members"], record["samples"], record["classes"]) == (18, 600, 3)
    assert {"ensemble.json", "config.json", "README.md", "report.html"} < {*contents(out)}
    assert json.loads((out / "ensemble.json").read_text()) == record

    # three architectures vote, and what the folder answers is what was certified
    assert {name.split("/")[0] for name in record["names"]} == {"wide", "deep", "sure"}
    assert call("verify", out, "--data", checkpoints / "holdout.npz", "--model", "plain_loop:network") == 0
    assert "Everything that can be computed holds" in capsys.readouterr().out
    x, y = plain_loop.holdout()
    np.savez(tmp_path / "new.npz", x=x[:50])
    words = ("--model", "plain_loop:network", "--out", tmp_path / "p.npz")
    assert call("predict", out, tmp_path / "new.npz", *words) == 0
    with np.load(tmp_path / "p.npz") as predicted:
        assert (predicted["votes"] == y[:50]).mean() > 0.6

    # nothing is written over unless asked for, and the same call again computes nothing
    before = contents(out)
    capsys.readouterr()
    assert call("build", checkpoints / "ckpts", *WORDS, "--out", out) == 2
    assert f"{out}: already exists; --force replaces it" in capsys.readouterr().err
    assert call("build", checkpoints / "ckpts", *WORDS, "--out", out, "--force") == 0
    assert "18 of 18 members had predicted before" in capsys.readouterr().out
    assert contents(out) == before


def test_mixed_kinds(checkpoints: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x, y = plain_loop.samples(0, 300)
    model = LogisticRegression().fit(x, y)
    skops.io.dump(model, tmp_path / "linear.skops")
    other = LogisticRegression(C=0.01).fit(x, y)
    (tmp_path / "strict.onnx").write_bytes(to_onnx(other, x[:1]).SerializeToString())
    out = tmp_path / "bundle"
    given = (tmp_path / "linear.skops", tmp_path / "strict.onnx", checkpoints / "ckpts" / "wide" / "run1")
    words = ("--model", "plain_loop:Wide", "--data", checkpoints / "holdout.npz", "--device", "cpu")
    assert call("build", *given, *words, "--out", out) == 0
    endings = {Path(name).suffix for name in contents(out)}
    assert {".skops", ".onnx", ".safetensors"} <= endings
    capsys.readouterr()
    assert call("verify", out, "--data", checkpoints / "holdout.npz", "--model", "plain_loop:Wide") == 0


@pytest.mark.filterwarnings("ignore")
def test_onnx_of_the_whole_vote(
    checkpoints: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bundle"
    assert (
        call(
            "build",
            checkpoints / "ckpts" / "wide",
            *WORDS[2:],
            "--model",
            "plain_loop:Wide",
            "--out",
            out,
            "--onnx",
        )
        == 0
    )
    assert (out / "model.onnx").is_file()
    capsys.readouterr()
    assert call("verify", out, "--data", checkpoints / "holdout.npz") == 0
    assert "0 of 600 answered otherwise" in " ".join(capsys.readouterr().out.split())


def test_bad_checkpoints_are_left_out_only_if_asked(
    checkpoints: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "wide"
    shutil.copytree(checkpoints / "ckpts" / "wide", mine)
    (mine / "run1" / "epoch=1.pt").write_bytes(b"PK cut short")
    shutil.copy(mine / "run1" / "epoch=2.pt", mine / "run2" / "epoch=9.pt")
    words = ("build", mine, "--model", "plain_loop:Wide", *WORDS[2:], "--out", tmp_path / "bundle")
    assert call(*words) == 2
    error = capsys.readouterr().err
    assert error.startswith("comitia: 2 of 7 checkpoints cannot be used: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "bundle").exists()
    assert call(*words, "--skip-bad") == 0
    printed = capsys.readouterr().out
    assert printed.count("left out: ") == 2
    assert json.loads((tmp_path / "bundle" / "ensemble.json").read_text())["members"] == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none.pt", "--data", "a.npz", "--out", "b"), "none.pt: no such file or folder"),
        ((".", "--data", "a.npz", "--out", "b"), "holds no training and no checkpoints"),
        ((".", "--data", "a.npz", "--out", "no/b"), "the folder"),
        (
            (".", "--data", "a.npz", "--out", "b", "--model", "net"),
            "--model: must be module:function, got 'net'",
        ),
        ((".", "--data", "a.npz", "--out", "b", "--outputs", "votes"), "'votes' is not one of"),
        ((".", "--out", "b"), "Missing option '--data'"),
    ],
)
def test_wrong_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("build", *words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_collect_then_weigh(checkpoints: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "holdout.npz"
    assert (
        call(
            "collect",
            checkpoints / "ckpts" / "deep",
            *WORDS[2:],
            "--model",
            "plain_loop:Deep",
            "--out",
            out,
            "--json",
            "-",
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {"predictions": {"holdout": str(out)}}
    assert call("weigh", out) == 0
    assert (
        call(
            "collect", checkpoints / "ckpts" / "deep", *WORDS[2:], "--model", "plain_loop:Deep", "--out", out
        )
        == 2
    )
    assert "already exists; --force overwrites it" in capsys.readouterr().err


def test_python(checkpoints: Path, tmp_path: Path) -> None:
    told: list[str] = []
    ensemble = build(
        [checkpoints / "ckpts" / "wide"],
        plain_loop.holdout(),
        tmp_path / "bundle",
        model=plain_loop.Wide,
        method="uniform",
        vote="majority",
        device="cpu",
        tell=told.append,
    )
    assert ensemble.vote == "majority"
    assert ensemble.best is not None
    assert told[-1] == f"writing {tmp_path / 'bundle'}"
    with pytest.raises(InputError, match="already exists"):
        build([checkpoints / "ckpts"], plain_loop.holdout(), tmp_path / "bundle", model=plain_loop.network)


def test_killed_it_resumes_to_the_same_bytes(checkpoints: Path, tmp_path: Path) -> None:
    """Killed while members predict; another build, undisturbed, made the same folder."""
    words = ["build", str(checkpoints / "ckpts"), *WORDS, "--out"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])}
    start = [sys.executable, "-m", "comitia", *words, str(tmp_path / "killed")]
    with subprocess.Popen(start, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        while "5/18" not in process.stdout.readline():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    assert not (tmp_path / "killed").exists()
    assert 5 <= len(list((tmp_path / "killed.rows").glob("*.json"))) < 18
    assert call(*words, tmp_path / "killed") == 0
    assert call(*words, tmp_path / "whole") == 0
    assert contents(tmp_path / "whole") == contents(tmp_path / "killed")
