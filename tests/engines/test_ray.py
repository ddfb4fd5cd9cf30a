"""The Ray engine on a real cluster of two nodes on this machine, one of which is killed while it trains."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from small_training import arrays_file, contents, small_recipe

pytest.importorskip("ray")
RAY = Path(sys.executable).with_name("ray")


@dataclass
class Cluster:
    """Nodes by the process that `ray start --block` runs in; ended by process id, each with its children."""

    folder: Path
    port: int
    environment: dict[str, str]
    nodes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        command = [str(RAY), "start", *words, "--num-cpus=1", "--num-gpus=0", "--block", "--disable-usage-stats"]
        command += ["--object-store-memory=80000000"]
        log = (self.folder / f"node-{len(self.nodes)}.txt").open("wb")
        node = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        log.close()
        self.nodes.append(node)
        return node

    def kill(self, node: "subprocess.Popen[bytes]") -> None:
        """End the node at once, with everything it started."""
        for process in [*descendants(node.pid), node.pid]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        node.wait()


def descendants(process: int) -> list[int]:
    """The children of a process, and theirs."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(entry.name))
    found = list(parents.get(process, []))
    for child in found:
        found += parents.get(child, [])
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    # Unix sockets allow paths of 107 bytes: pytest's own folder may be too long.
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    token = folder / "token"
    token.write_text(secrets.token_hex(32))
    token.chmod(0o600)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_health_check_period_ms": "300",
        "RAY_health_check_timeout_ms": "1000",
        "RAY_health_check_failure_threshold": "3",
    }
    made = Cluster(folder, free_port(), environment)
    made.environment["RAY_ADDRESS"] = f"127.0.0.1:{made.port}"
    try:
        words = ("--head", f"--port={made.port}", "--include-dashboard=false", f"--temp-dir={folder}")
        head_environment = made.environment
        made.environment = {key: value for key, value in head_environment.items() if key != "RAY_ADDRESS"}
        made.start(*words)
        wait_for_port(made.port)
        made.start(f"--address=127.0.0.1:{made.port}")
        made.environment = head_environment
        yield made
    finally:
        for node in reversed(made.nodes):
            made.kill(node)
        shutil.rmtree(folder, ignore_errors=True)


def wait_for_port(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the head node did not start")


def command(cluster: Cluster, *words: str | Path) -> "subprocess.Popen[str]":
    line = [sys.executable, "-m", "quorate.cli.main", "train", *map(str, words), "--engine", "ray", "--device", "cpu"]
    pipe = subprocess.PIPE
    return subprocess.Popen(line, env=cluster.environment, stdout=pipe, stderr=pipe, text=True, bufsize=1)


def nodes_of(cluster: Cluster, out: Path, run: int) -> bool:
    """Whether the run was begun: its folder has a log."""
    return (out / "runs" / f"run-{run:04d}" / "log.jsonl").exists()


def done_events(out: Path) -> dict[str, int]:
    """How often each run was finished."""
    counts = {}
    for log in sorted(out.glob("runs/*/log.jsonl")):
        events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
        counts[log.parent.name] = events.count("done")
    return counts


@pytest.mark.timeout(240)
def test_a_killed_node_costs_nothing_that_was_finished(cluster: Cluster, tmp_path: Path) -> None:
    recipe = tmp_path / "small.toml"
    recipe.write_text(small_recipe(folder=arrays_file(tmp_path), runs=4, epochs=3).to_toml())
    out = tmp_path / "out"
    training = command(cluster, recipe, "--out", out)
    assert training.stdout is not None
    assert training.stderr is not None
    for line in training.stdout:
        if "epoch 1/3" in line:
            break
    cluster.kill(cluster.nodes[1])
    output, error = training.communicate(timeout=200)
    assert training.returncode == 0, output + error
    assert done_events(out) == {f"run-{run:04d}": 1 for run in (1, 2, 3, 4)}
    assert "12 members of 4 runs" in output

    before = contents(out)
    again = command(cluster, recipe, "--out", out)
    assert "all 4 runs are finished" in again.communicate(timeout=100)[0]
    assert contents(out) == before

    large = command(cluster, recipe, "--out", tmp_path / "large", "--set", "engine.cpus=64")
    _, error = large.communicate(timeout=100)
    assert large.returncode == 2
    assert "no node of the cluster has as much for one member" in error
    assert not (tmp_path / "large").exists()
