"""`comitia count` on 8 shards of 100 members × 250,000 votes, two processes at a time, against one `weigh` of all.

Seconds include the start of every process. The first row is counting all shards and weighing the counts, as a ratio to
weighing the whole pack on the same samples (`--certify-fraction 0`), the second weighing the counts alone. `holds`: the
JSON that `weigh` writes of the eight counts is that of the whole's counts, byte for byte, and the weights are those of
the whole pack. Medians of several rounds; both ways take turns.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np

MEMBERS, SAMPLES, SHARDS, CLASSES = 100, 250_000, 8, 10
PROCESSES, ROUNDS = 2, 3


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Rows: counting and weighing the counts, weighing them alone; `scale` makes the shards smaller."""
    samples = max(100, int(SAMPLES * scale))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, samples)
        _command(folder, "count", "whole.npz", "--out", "whole.counts")
        _count_shards(folder)  # compiles what is compiled
        seconds: dict[str, list[float]] = {"count": [], "add": [], "whole": []}
        for _ in range(ROUNDS):
            seconds["count"].append(_timed(_count_shards, folder))
            seconds["add"].append(_timed(_weigh, folder, "shards.json", *_names("counts")))
            seconds["whole"].append(
                _timed(
                    _weigh, folder, "pack.json", "whole.npz", "--method", "tandem", "--certify-fraction", "0"
                )
            )
        _weigh(folder, "whole.json", "whole.counts")
        return _rows(folder, samples, {key: median(taken) for key, taken in seconds.items()})


def _rows(folder: Path, samples: int, seconds: dict[str, float]) -> list[dict[str, object]]:
    same = (folder / "shards.json").read_bytes() == (folder / "whole.json").read_bytes()
    weights = [json.loads((folder / f"{name}.json").read_text())["weighting"] for name in ("shards", "pack")]
    holds = same and weights[0] == weights[1]
    size = f"{SHARDS} × {MEMBERS} × {samples:,}"
    against = f"weigh of the whole {seconds['whole']:.3f} s"
    stored = sum((folder / name).stat().st_size for name in _names("counts"))
    both = seconds["count"] + seconds["add"]
    return [
        {
            "name": f"count in {PROCESSES} processes and weigh the counts, {size}",
            "seconds": both,
            "ratio": both / seconds["whole"],
            "against": against,
            "holds": holds,
        },
        {
            "name": f"weigh {SHARDS} counts",
            "seconds": seconds["add"],
            "ratio": seconds["add"] / seconds["whole"],
            "against": against,
            "bytes": stored,
            "of_packs": stored / (folder / "whole.npz").stat().st_size,
        },
    ]


def _names(ending: str) -> list[str]:
    return [f"part{index}.{ending}" for index in range(SHARDS)]


def _write(folder: Path, samples: int) -> None:
    """Write the shards as packs of votes, and the pack of all of them."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, samples * SHARDS, dtype=np.uint8)
    votes = rng.integers(0, CLASSES, (MEMBERS, samples * SHARDS), dtype=np.uint8)
    hard = rng.random(samples * SHARDS, dtype=np.float32)  # members err together on hard samples
    for row in votes:
        right = rng.random(samples * SHARDS, dtype=np.float32) > 0.4 * hard
        row[right] = labels[right]
    np.savez(folder / "whole.npz", votes=votes, labels=labels)
    for index, name in enumerate(_names("npz")):
        here = slice(index * samples, (index + 1) * samples)
        np.savez(folder / name, votes=votes[:, here], labels=labels[here])


def _count_shards(folder: Path) -> None:
    """Count every shard in a process of its own, two at a time."""

    def count(name: str) -> None:
        _command(folder, "count", name, "--out", name.replace("npz", "counts"), "--force")

    with ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(count, _names("npz")))


def _weigh(folder: Path, out: str, *words: str) -> None:
    _command(folder, "weigh", *words, "--out", out, "--force")


def _command(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "comitia", *words], cwd=folder, capture_output=True, check=True)


def _timed(work: Callable[..., None], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start
