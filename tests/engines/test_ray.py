"""The Ray engine on a real cluster of two nodes on this machine, one of which is killed while it trains."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comitia.engines.training import train
from ray_cluster import Cluster, descendants, ray_cluster
from small_training import arrays_file, bayes_recipe, contents, small_recipe

pytest.importorskip("ray")
RUNS, EPOCHS = 4, 12


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with ray_cluster(nodes=2) as made:
        yield made


def command(cluster: Cluster, *words: str | Path, **environment: str) -> "subprocess.Popen[str]":
    line = [
        sys.executable,
        "-m",
        "comitia.cli.main",
        "train",
        *map(str, words),
        "--engine",
        "ray",
        "--device",
        "cpu",
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        line, env={**cluster.environment, **environment}, stdout=pipe, stderr=pipe, text=True, bufsize=1
    )


def events(out: Path, run: int) -> list[dict[str, Any]]:
    """What the log of a run holds so far, in whole lines."""
    log = out / "runs" / f"run-{run:04d}" / "log.jsonl"
    lines = log.read_text().rpartition("\n")[0].splitlines() if log.exists() else []
    return [json.loads(line) for line in lines]


def run_at_work(cluster: Cluster, out: Path, training: "subprocess.Popen[str]") -> int:
    """A run that the second node is training and has committed an epoch of, as soon as there is one."""
    while training.poll() is None:
        inside = set(descendants(cluster.nodes[1].pid))
        for run in range(1, RUNS + 1):
            seen = events(out, run)
            epochs = max((event.get("epoch", 0) for event in seen), default=0)
            if 0 < epochs <= EPOCHS // 2 and seen[0]["process"] in inside:
                return run
        time.sleep(0.02)
    raise AssertionError("the second node never trained")


@pytest.mark.timeout(240)
def test_a_killed_node_costs_nothing_that_was_finished(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    recipe, out = tmp_path / "small.toml", tmp_path / "out"
    (tmp_path / "few").mkdir()
    source = arrays_file(tmp_path, train=2000)
    apart = {"split": "per run"}  # each run keeps its own samples apart, on whichever node it is
    recipe.write_text(small_recipe(data=apart, folder=source, runs=RUNS, epochs=EPOCHS).to_toml())
    training = command(cluster, recipe, "--out", out)
    hit = run_at_work(cluster, out, training)
    cluster.kill(cluster.nodes[1])
    output, error = training.communicate(timeout=200)
    assert training.returncode == 0, output + error
    assert error == ""
    assert "raylet" not in output
    assert f"{RUNS * EPOCHS} members of {RUNS} runs" in output
    for run in range(1, RUNS + 1):
        kinds = [event["event"] for event in events(out, run)]
        assert kinds.count("started") == (2 if run == hit else 1)
        assert kinds.count("done") == 1
    assert [event["epoch"] for event in events(out, hit) if event["event"] == "epoch"][:2] == [1, 2]

    # Samplers with a part from the working directory, beside what follows: both engines make the same bytes.
    (tmp_path / "part_of_a_chain.py").write_text(
        "def mirrored(images, random):\n    return images[:, :, ::-1]\n"
    )
    part = "part_of_a_chain:mirrored"
    source, sampling = arrays_file(tmp_path / "few"), {}
    for name in ("csgld", "swag"):
        sampler, path = bayes_recipe(name, folder=source, runs=1, augment=part), tmp_path / f"{name}.toml"
        path.write_text(sampler.to_toml())
        sampling[name] = command(cluster, path, "--out", tmp_path / name, "--allow-code")
        train(sampler, tmp_path / f"local-{name}", workers=1, device="cpu")

    before = contents(out)
    again = command(cluster, recipe, "--out", out)
    wrong = tmp_path / "wrong-token"
    wrong.write_text("0" * 64)
    refused = command(cluster, recipe, "--out", tmp_path / "large", RAY_AUTH_TOKEN_PATH=str(wrong))
    assert f"all {RUNS} runs are finished" in again.communicate(timeout=100)[0]
    assert contents(out) == before

    _, error = refused.communicate(timeout=100)
    assert refused.returncode == 2
    assert error.count("\n") == 1
    assert f"refused the token in {wrong}; set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH" in error

    large = command(cluster, recipe, "--out", tmp_path / "large", "--set", "engine.cpus=64")
    _, error = large.communicate(timeout=100)
    assert large.returncode == 2
    assert "no node of the cluster has as much for one member" in error
    assert not (tmp_path / "large").exists()

    for name, states in (("csgld", 2), ("swag", 3)):
        output, error = sampling[name].communicate(timeout=100)
        assert sampling[name].returncode == 0, output + error
        here = contents(tmp_path / f"local-{name}")
        assert len([file for file in here if "/step-" in file and file.endswith(".safetensors")]) == states
        assert contents(tmp_path / name) == here
