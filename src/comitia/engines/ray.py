"""The Ray engine: each run is a task on some node of a cluster; states lie on a file system all nodes share.

The cluster is the one that `RAY_ADDRESS` names or that runs on this machine; without one, Ray starts on this machine,
where nobody else can reach it.
A task whose node dies is started again elsewhere and goes on from the last commit of its run.
"""

import logging
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia.data import data_folder
from comitia.deep.directory import Directory
from comitia.deep.events import Failed, Listener, ignore, parse_event
from comitia.engines.local import ATTEMPTS, MEMORY
from comitia.engines.reaching import known_cluster, reach, stay_private
from comitia.engines.worker import failure, find_modules, train_one

# Seconds between two looks at the logs of the runs.
PERIOD = 0.5


def connect(*, cpus: float, gpus: float) -> None:
    """Connect to the cluster; raise if it cannot be reached, or none of its nodes has what one member asks for."""
    if find_spec("ray") is None:
        raise InputError("engine: ray needs the package ray; pip install 'comitia[ray]'")
    if "ray" not in sys.modules or not _initialised():
        _join()
    if not _fits(cpus, gpus):
        largest = {
            name: max((node.get(name, 0.0) for node in _nodes()), default=0.0) for name in ("CPU", "GPU")
        }
        raise InputError(
            f"engine.cpus = {cpus:g}, engine.gpus = {gpus:g}: no node of the cluster has as much for one member "
            f"(the largest has {largest['CPU']:g} and {largest['GPU']:g}); lower them or add a larger node"
        )


def _join() -> None:
    """Join the cluster that is known, or start one that only this process on this machine can reach."""
    address = known_cluster()
    if address is None and "ray" not in sys.modules:
        stay_private()
    elif address is not None and "://" not in address:
        reach(address)
    import ray

    where: dict[str, Any] = (
        {"address": "local", "include_dashboard": False} if address is None else {"address": address}
    )
    ray.init(log_to_driver=False, logging_level=logging.ERROR, **where)
    # What Ray makes of a dead node, with the end of its log, would go to standard output; our own lines say it.
    worker: Any = sys.modules["ray._private.worker"]
    worker.print_to_stdstream = lambda *_, **__: None


def _initialised() -> bool:
    import ray

    return bool(ray.is_initialized())


def train(
    directory: Directory,
    runs: Sequence[int],
    *,
    threads: int,
    device: str,
    cpus: float,
    gpus: float,
    report: Listener,
) -> None:
    """Train those runs as tasks of the cluster; events, also of failures, go to `report`."""
    import ray

    root = str(directory.root.absolute())
    told = {"COMITIA_DATA": str(data_folder(None).absolute())} if "COMITIA_DATA" in os.environ else {}
    environment = {"env_vars": {**MEMORY, **told, "OMP_NUM_THREADS": str(threads)}}
    task = ray.remote(num_cpus=cpus, num_gpus=gpus, max_retries=ATTEMPTS, runtime_env=environment)(_task)
    tails = {run: Tail(directory.log(run)) for run in runs}
    pending = {task.remote(root, run, threads, device, sys.path): run for run in runs}
    try:
        while pending:
            ended, _ = ray.wait([*pending], timeout=PERIOD)
            for reference in ended:
                _finish(reference, pending.pop(reference), report)
            for tail in tails.values():
                tail.follow(report)
            if pending and not _fits(cpus, gpus):
                raise RuntimeError(
                    "no remaining node has enough processors for a run; add one and start again"
                )
    finally:
        for reference in pending:
            ray.cancel(reference, force=True)


class Tail:
    """The end of a run's log: what was appended since the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = path.stat().st_size if path.exists() else 0

    def follow(self, report: Listener) -> None:
        """Report the events of whole lines that are new."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._seen)
            content = file.read()
        lines, _, _ = content.rpartition(b"\n")
        self._seen += len(lines) + 1 if lines else 0
        for line in lines.splitlines():
            if (event := parse_event(line.decode(), str(self._path))) is not None:
                report(event)


def _task(root: str, run: int, threads: int, device: str, path: list[str]) -> str | None:
    """Train one run on the node the task landed on; return None, or what went wrong."""
    from comitia.deep.networks import flush_tiny_numbers

    find_modules(path)
    flush_tiny_numbers()
    try:
        train_one(root, run, threads=threads, device=device, report=ignore)
        return None
    except Exception as error:
        return failure(error)


def _finish(reference: Any, run: int, report: Listener) -> None:
    import ray

    try:
        message = ray.get(reference)
    except ray.exceptions.RayError as error:
        message = f"its workers died {ATTEMPTS + 1} times ({type(error).__name__})"
    if message is not None:
        report(Failed(run, message))


def _fits(cpus: float, gpus: float) -> bool:
    return any(node.get("CPU", 0) >= cpus and node.get("GPU", 0) >= gpus for node in _nodes())


def _nodes() -> list[dict[str, float]]:
    """What each node that is alive has to offer."""
    import ray

    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node["Resources"] for node in nodes if node["Alive"]]
