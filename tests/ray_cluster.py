"""A Ray cluster of a few nodes on this machine, reached with a token."""

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
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

RAY = Path(sys.executable).with_name("ray")


@dataclass
class Cluster:
    """Nodes by the process that `ray start --block` runs in; ended by process id, each with its children."""

    folder: Path
    port: int
    environment: dict[str, str]
    nodes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        command = [
            str(RAY),
            "start",
            *words,
            "--num-cpus=1",
            "--num-gpus=0",
            "--block",
            "--disable-usage-stats",
        ]
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


@contextmanager
def ray_cluster(nodes: int) -> Iterator[Cluster]:
    """Start that many nodes of one processor each; `environment` is what programs need to find them."""
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
        # Ray lowers the priority of its workers: beside other work they could take minutes to start.
        "RAY_worker_niceness": "0",
        "RAY_health_check_period_ms": "300",
        "RAY_health_check_timeout_ms": "1000",
        "RAY_health_check_failure_threshold": "3",
    }
    made = Cluster(folder, free_port(), environment)
    try:
        words = ["--head", f"--port={made.port}", "--include-dashboard=false", f"--temp-dir={folder}"]
        # alone, it needs no address that others can reach
        made.start(*words, *(["--node-ip-address=127.0.0.1"] if nodes == 1 else []))
        wait_for_port(made.port)
        for _ in range(nodes - 1):
            made.start(f"--address=127.0.0.1:{made.port}")
        # Nodes are given their addresses; the programs that use the cluster find it here.
        made.environment["RAY_ADDRESS"] = f"127.0.0.1:{made.port}"
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
