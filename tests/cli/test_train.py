"""`comitia train`: its output, its exit codes, and what a signal leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from comitia.cli.main import main
from comitia.deep.directory import Directory
from comitia.engines.opening import locked
from small_training import arrays_file, contents, small_recipe

CHAIN = ("imdb-cnn_lstm-csghmc-ap", "--out", "x")


def recipe_file(folder: Path, **training: object) -> Path:
    path = folder / "small.toml"
    path.write_text(small_recipe(folder=arrays_file(folder), **training).to_toml())
    return path


def call(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert isinstance(end.value.code, int)
    return end.value.code


def start(folder: Path, *words: str | Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "comitia.cli.main", "train", *map(str, words)]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def wait_for(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"ended without {text!r}: {process.stderr.read() if process.stderr else ''}")


def workers_in(folder: Path) -> list[int]:
    """Worker processes whose working directory is the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            here = os.readlink(entry / "cwd") == str(folder.resolve())
            if here and b"comitia.engines.worker" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_train_then_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    words = ("train", recipe_file(tmp_path, epochs=1), "--out", out, "--members", "1", "--device", "cpu")
    assert call(*words) == 0
    text = capsys.readouterr().out
    assert "1 of 1 runs to train" in text
    assert "run 1 epoch 1/1: loss" in text
    assert call(*words, "--json", "-") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["members"] == record["runs"] == 1
    assert Path(record["predictions"]["holdout"]).is_file()


def test_json_into_the_folder_that_the_training_makes(tmp_path: Path) -> None:
    out, path = tmp_path / "out", recipe_file(tmp_path, epochs=1)
    words = ("train", path, "--out", out, "--members", "1", "--device", "cpu", "--json")
    for _ in range(2):
        assert call(*words, out / "x.json") == 0
        assert json.loads((out / "x.json").read_text())["members"] == 1
    before = path.read_bytes()
    assert call(*words, path) == 2
    assert call(*words, out / "recipe.toml") == 2
    assert path.read_bytes() == before


def test_a_run_that_diverges_is_told_with_exit_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recipe_file(tmp_path, epochs=2, lr=1e30)
    assert call("train", path, "--out", tmp_path / "out", "--workers", "1", "--members", "1") == 1
    assert "run 1 was stopped: the loss of epoch" in capsys.readouterr().err


def test_a_running_directory_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recipe_file(tmp_path)
    with locked(Directory(tmp_path / "out")):
        assert call("train", path, "--out", tmp_path / "out") == 2
    assert "a training is running there" in capsys.readouterr().err
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == [".lock"]


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("train", "--list", "--json", "-") == 0
    recipes = json.loads(capsys.readouterr().out)["recipes"]
    assert {"demo", "imdb-cnn_lstm-checkpoints"} <= {recipe["name"] for recipe in recipes}
    assert all(recipe["about"] for recipe in recipes)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "needs a recipe and --out"),
        (("demo",), "needs a recipe and --out"),
        (("dmo", "--out", "x"), "did you mean 'demo'"),
        (("demo", "--out", "x", "--set", "training.learning=1"), "unknown"),
        (("demo", "--out", "x", "--members", "0"), "at least 1"),
        (("demo", "--out", "x", "--epochs", "0"), "at least 1"),
        (("demo", "--out", "x", "--engine", "slurm"), "is not one of local, ray"),
        (("demo", "--out", "x", "--set", "data.holdout=5000"), "must leave samples"),
        (("imdb-cnn_lstm-simple", "--out", "x", "--set", "data.folder=nowhere"), "no imdb.npz"),
        ((*CHAIN, "--set", "sampler.burn_in=600"), "no sample falls after the burn-in"),
        ((*CHAIN, "--set", "sampler.temperature=-0.5"), "sampler.temperature: must be at least 0"),
        ((*CHAIN, "--set", "sampler.preconditioner=adam"), "sampler.preconditioner: 'adam' is not one of"),
        ((*CHAIN, "--set", "sampler.noise_epochs=60"), "sampler.noise_epochs: must be 0 to 50"),
        (
            ("eyepacs-resnet50-mc-dropout", "--out", "x", "--set", "sampler.dropout=0"),
            "sampler.dropout: must lie",
        ),
        (
            ("eyepacs-resnet50-mc-dropout", "--out", "x", "--members", "1"),
            "sampler.passes: must be at least 2",
        ),
        (("demo", "--out", "x", "--set", "model.name=resnet", "--set", "model.options.depth=21"), "depth"),
        (("demo", "--out", "x", "--set", "model.options.filters=0"), "does not take samples of this data"),
        (("demo", "--out", "x", "--set", "model.options.filters='x'"), "cannot be built with"),
        (("demo", "--out", "x", "--set", "seed=5000000000"), "below 2^32"),
        (("demo", "--out", "x", "--set", "training.strategy=bagging"), "set data.holdout=0"),
        (("imdb-cnn_lstm-simple", "--out", "x", "--set", "data.options.length='x'"), "must be an integer"),
        (("demo", "--out", "x", "--json", "nodir/x.json"), "does not exist; make it first"),
        (("--list", "--json", "nodir/x.json"), "does not exist; make it first"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(
    refused: Callable[..., str], words: tuple[str, ...], message: str
) -> None:
    error = refused("train", *words)
    assert message in error
    assert error.count("\n") == 1


def test_interrupted_while_workers_start(tmp_path: Path) -> None:
    # So many epochs that it cannot have ended on a busy machine.
    process = start(tmp_path, recipe_file(tmp_path), "--out", "out", "--epochs", "2000")
    wait_for(process, "runs to train")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command again resumes" in error
    assert "Traceback" not in error
    while workers_in(tmp_path):  # one that was just being started ends when it finds its lifeline cut
        time.sleep(0.05)


def test_a_reader_that_leaves_costs_nothing(tmp_path: Path) -> None:
    process = start(tmp_path, recipe_file(tmp_path, runs=1, epochs=2), "--out", "out", "--json", "x.json")
    wait_for(process, "runs to train")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == ""
    assert process.wait(timeout=120) == 0
    assert json.loads((tmp_path / "x.json").read_text())["members"] == 2
    assert (tmp_path / "out" / "test.npz").is_file()


def test_killed_while_training(tmp_path: Path) -> None:
    path = recipe_file(tmp_path, runs=1, epochs=4)
    process = start(tmp_path, path, "--out", "killed")
    wait_for(process, "epoch 2/4")
    process.kill()
    process.communicate(timeout=60)
    while workers_in(tmp_path):  # the workers notice that their lifeline was cut
        time.sleep(0.05)
    assert call("train", path, "--out", tmp_path / "killed") == 0
    assert call("train", path, "--out", tmp_path / "whole") == 0
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
