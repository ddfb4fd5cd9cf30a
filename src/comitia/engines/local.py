"""The local engine: worker processes of this machine take runs from a queue; one that dies is replaced."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from comitia.deep.directory import Directory
from comitia.deep.events import Crashed, Event, Failed, Free, Listener, Ready, parse_event
from comitia.files.atomic import open_own

# A run whose worker died so often is given up: something about it kills workers (memory, most likely).
ATTEMPTS = 3
# Workers keep the memory they free: batch after batch asks for the same blocks again.
MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(2**32),
    "MALLOC_MMAP_THRESHOLD_": str(2**32),
    "MALLOC_TOP_PAD_": str(2**26),
    "MALLOC_ARENA_MAX": "2",
}


@dataclass
class Worker:
    """A worker process, its current run, and the events that come from it."""

    number: int
    process: "subprocess.Popen[str]"
    run: int | None = None


@dataclass
class Pool:
    """The state of an engine at work."""

    directory: Directory
    threads: int
    device: str
    waiting: deque[int]
    events: "SimpleQueue[tuple[int, Event | None]]" = field(default_factory=SimpleQueue)
    workers: dict[int, Worker] = field(default_factory=dict)
    deaths: Counter[int] = field(default_factory=Counter)
    started: int = 0


def train(
    directory: Directory,
    runs: Sequence[int],
    *,
    workers: int,
    threads: int,
    device: str,
    report: Listener,
) -> None:
    """Train those runs in that many processes; events, also of failures, go to `report`."""
    pool = Pool(directory, threads, device, deque(runs))
    try:
        for _ in range(min(workers, len(runs))):
            _start(pool)
        while pool.workers:
            number, event = pool.events.get()
            _handle(pool, pool.workers[number], event, report)
    finally:
        _end(pool)


def default_workers(threads: int) -> int:
    """Return as many workers as the processors this process may use allow, at least one."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, available // threads)


def _handle(pool: Pool, worker: Worker, event: Event | None, report: Listener) -> None:
    if event is None:
        _bury(pool, worker, report)
        return
    if not isinstance(event, Ready | Free):
        report(event)
    if isinstance(event, Ready | Free | Failed):
        _give_work(pool, worker)


def _give_work(pool: Pool, worker: Worker) -> None:
    worker.run = pool.waiting.popleft() if pool.waiting else None
    assert worker.process.stdin is not None
    try:
        if worker.run is None:
            worker.process.stdin.close()
        else:
            worker.process.stdin.write(json.dumps(_job(pool, worker.run)) + "\n")
            worker.process.stdin.flush()
    except BrokenPipeError:
        pass  # It died this moment: the end of its events says so.


def _job(pool: Pool, run: int) -> dict[str, Any]:
    root = str(pool.directory.root.absolute())
    return {"root": root, "run": run, "threads": pool.threads, "device": pool.device, "path": sys.path}


def _bury(pool: Pool, worker: Worker, report: Listener) -> None:
    """Put the unfinished run of an ended worker back and start another worker, unless the run keeps killing them."""
    del pool.workers[worker.number]
    code = worker.process.wait()
    _close(worker)
    if code != 0 or worker.run is not None:
        _return_run(pool, worker, code, report)
        if pool.waiting and pool.deaths[0] < ATTEMPTS:
            _start(pool)


def _return_run(pool: Pool, worker: Worker, code: int, report: Listener) -> None:
    # The death of a worker before its first run is no run's fault: those deaths are counted together.
    run = worker.run or 0
    pool.deaths[run] += 1
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    where = _last_line(pool.directory.workers / f"worker-{worker.number}.txt")
    message = f"a worker died ({how}){where}"
    if pool.deaths[run] < ATTEMPTS:
        report(Crashed(worker.run, f"{message}; another worker continues its run"))
        if worker.run is not None:
            pool.waiting.appendleft(worker.run)
    elif worker.run is not None:
        report(Failed(run, f"{message}, {ATTEMPTS} times in a row"))
    elif not pool.workers:
        raise RuntimeError(f"workers do not start: {message}")


def _start(pool: Pool) -> None:
    pool.started += 1
    number = pool.started
    pool.directory.workers.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **MEMORY, "OMP_NUM_THREADS": str(pool.threads)}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    with open_own(pool.directory.workers / f"worker-{number}.txt", "w") as errors:
        process = subprocess.Popen(
            # -P: a file of the working directory must not stand in for a module of the standard library.
            [sys.executable, "-P", "-m", "comitia.engines.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            text=True,
            # In a session of its own a Ctrl-C of the terminal reaches the parent alone, who ends it in order.
            start_new_session=True,
        )
    pool.workers[number] = Worker(number, process)
    threading.Thread(target=_listen, args=(pool, number, process), daemon=True).start()


def _listen(pool: Pool, number: int, process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        # A line cut short by a crash is not JSON; the end that follows tells the story.
        if line.endswith("\n") and (event := parse_event(line, f"worker {number}")) is not None:
            pool.events.put((number, event))
    pool.events.put((number, None))


def _end(pool: Pool) -> None:
    """End the workers that are left. What they have not committed is lost, and will be made again."""
    for worker in pool.workers.values():
        worker.process.kill()
    for worker in pool.workers.values():
        worker.process.wait()
        _close(worker)


def _close(worker: Worker) -> None:
    for stream in (worker.process.stdin, worker.process.stdout):
        assert stream is not None
        # Nobody needs what was still to be flushed to a dead worker.
        with suppress(BrokenPipeError):
            stream.close()


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines() if path.exists() else []
    return f": {lines[-1].strip()}" if lines else ""
