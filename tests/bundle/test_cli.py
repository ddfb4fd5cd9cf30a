"""`predict BUNDLE` and `verify BUNDLE`, also where only torch or only onnxruntime is there beside the base."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from comitia.cli.main import main
from trained_networks import Trained

TESTS = Path(__file__).resolve().parents[1]
# Runs the command line where nothing of these can be imported, and says which heavy libraries it imported.
JOB = """
import sys
from importlib.machinery import PathFinder
blocked = sys.argv.pop(1).split(",")
sys.path.insert(0, sys.argv.pop(1))
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.split(".")[0] in blocked else find(name, *rest)
from comitia.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(sorted({"torch", "onnxruntime", "onnx", "sklearn"} & {*sys.modules}), file=sys.stderr)
"""
HEAVY = ("torch", "onnxruntime", "onnx", "onnxscript", "sklearn", "transformers", "skops", "ray", "numba")


def fresh(*words: str, there: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process in which only those heavy libraries can be imported."""
    blocked = ",".join(name for name in HEAVY if name not in there)
    line = [sys.executable, "-c", JOB, blocked, str(TESTS), *words]
    return subprocess.run(line, capture_output=True, text=True, cwd=folder, timeout=200)


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    return int(end.value.code or 0)


def votes(path: Path) -> list[int]:
    with path.open() as stream:
        return [int(row["class"]) for row in csv.DictReader(stream)]


def test_predict_with_only_one_runtime(trained: Trained, bundles: dict[str, Path], tmp_path: Path) -> None:
    root = bundles["root"]
    for there, options in (("onnxruntime", ()), ("torch", ("--model", "trained_networks:make"))):
        out = tmp_path / f"{there}.csv"
        words = ["predict", str(bundles["average"]), str(root / "new.npz"), "--out", str(out), *options]
        done = fresh(*words, there=(there,), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr.splitlines()[-1] == f"['{there}']"
    module = trained.module(trained.weighed(vote="average", method="tandem"))
    expected = module.predict(trained.inputs.numpy()[:50]).tolist()
    assert votes(tmp_path / "onnxruntime.csv") == votes(tmp_path / "torch.csv") == expected


def test_verify_with_onnxruntime_alone(bundles: dict[str, Path], tmp_path: Path) -> None:
    data = str(bundles["root"] / "holdout.npz")
    words = ["verify", str(bundles["average"]), "--data", data, "--json", "found.json"]
    done = fresh(*words, there=("onnxruntime",), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert [one["file"] for one in found["files"]] == ["model.onnx"]
    assert found["files"][0]["answered_otherwise"] == 0
    assert "not run: model.pt2: needs torch" in " ".join(done.stdout.split())


def test_without_any_runtime_one_line_says_what_to_install(bundles: dict[str, Path], tmp_path: Path) -> None:
    done = fresh(
        "predict", str(bundles["average"]), str(bundles["root"] / "new.npz"), there=(), folder=tmp_path
    )
    assert done.returncode == 2
    said = done.stderr.splitlines()[0]
    assert "pip install 'comitia[torch]'" in said
    assert "pip install 'comitia[onnx]'" in said


def test_verify_exits_with_1_for_other_samples(
    bundles: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(bundles["root"] / "holdout.npz") as file:
        np.savez(tmp_path / "other.npz", images=file["images"] * 1.01, labels=file["labels"])
    assert call("verify", bundles["average"], "--data", tmp_path / "other.npz") == 1
    assert "does not hold" in capsys.readouterr().out
    assert call("verify", bundles["average"], "--data", bundles["root"] / "holdout.npz") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "the average vote errs on at most" in shown
    assert "0 of 600 answered otherwise" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "BUNDLE"], "--data: is required with a bundle"),
        (["verify", "BUNDLE", "a.npz"], "--data FILE gives the samples"),
        (["verify", "BUNDLE", "--data", "no.npz"], "no.npz: no such file"),
        (["verify", "BUNDLE", "--data", "DATA", "--runtime", "tpu"], "'tpu' is not one of auto, torch, onnx"),
        (["predict", "BUNDLE", "a.npz", "b.npz"], "takes one file of samples, got 2"),
        (["predict", "BUNDLE", "DATA", "--group", "site"], "is for ensembles and tables"),
        (["predict", "BUNDLE", "DATA", "--runtime", "torch"], "'trained_networks:make'"),
        (["predict", "BUNDLE", "DATA", "--out", "a.txt"], "must end in .npz or .csv"),
        (
            ["predict", "ensemble.json", "DATA", "--runtime", "onnx"],
            "--runtime: is for bundles; leave it out",
        ),
        (["verify", "ensemble.json", "--data", "DATA"], "--data: is for bundles"),
        (["predict", ".", "DATA"], "not a bundle, it has no config.json"),
    ],
)
def test_bad_words(
    bundles: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    places = {"BUNDLE": str(bundles["average"]), "DATA": str(bundles["root"] / "holdout.npz")}
    assert call(*(places.get(word, word) for word in words)) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
