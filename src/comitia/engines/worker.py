"""A worker process of the local engine: jobs come in as JSON lines, events go out as JSON lines.

Standard input is also the lifeline: when the parent dies, however it dies, its end closes and so does this
process. `python -m comitia.engines.worker` is started by `engines.local`, not by people.
"""

import json
import os
import sys
import threading
from queue import SimpleQueue
from typing import Any

Job = dict[str, Any]


def main() -> None:
    """Train the runs that are asked for until standard input ends."""
    # What a network's own code prints must not get between the events.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    jobs: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    channel.write(json.dumps({"event": "ready"}) + "\n")
    while True:
        job = jobs.get()
        channel.write(json.dumps(_perform(job, channel)) + "\n")


def _receive(jobs: "SimpleQueue[Job]") -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)


def _perform(job: Job, channel: Any) -> dict[str, Any]:
    from comitia.deep.networks import flush_tiny_numbers
    from comitia.engines.work import train_one

    sys.path[:] = job["path"]
    flush_tiny_numbers()

    def report(event: dict[str, Any]) -> None:
        channel.write(json.dumps(event) + "\n")

    try:
        train_one(job["root"], job["run"], threads=job["threads"], device=job["device"], report=report)
        return {"event": "free", "run": job["run"]}
    except Exception as error:
        import traceback

        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        return {"event": "failed", "run": job["run"], "message": " ".join(text.split())}


if __name__ == "__main__":
    main()
