"""How long `comitia evaluate` takes, process start included, against plain loops over the same ensembles.

50 members (10 runs × 5 states), sizes 2 to 10, 5 draws, both folds, 3 weightings, 2 votes. The loops are a process
of numpy alone that reads the same pack and takes the average vote of as many ensembles: no weights, bounds or scores.

`python -m bench.protocol SOURCE MODULE [PACK.npz]` races another version instead, found under MODULE in the folder
SOURCE: both start in turn, five times each, and the median of the ratios is shown.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

OURS = Path(__file__).resolve().parents[1] / "src"
ROUNDS = 5
# A command, and the folder whose packages it imports.
Started = tuple[list[str], Path]
# The ensembles of one evaluation: 8 sizes × 5 draws and one of all runs, last or all states, 3 weightings.
ENSEMBLES = (8 * 5 + 1) * 2 * 3
LOOPS = f"""
import sys
import numpy as np
pack = np.load(sys.argv[1])
probs, labels = pack["probs"], pack["labels"]
binary = probs.ndim == 2
random = np.random.default_rng(0)
for _ in range({ENSEMBLES}):
    weights = random.dirichlet(np.ones(len(probs))).astype(np.float32)
    mean = np.tensordot(weights, probs, 1)
    found = mean > 0.5 if binary else mean.argmax(-1)
    (found == labels).mean()
"""


def run() -> list[dict[str, Any]]:
    """One row for ten classes and one for two."""
    rows = []
    with TemporaryDirectory() as folder:
        for classes, samples in ((10, 10_000), (2, 25_000)):
            pack = Path(folder) / f"{classes}.npz"
            _write_pack(pack, classes, samples)
            loops = ([sys.executable, "-c", LOOPS, str(pack)], OURS)
            found = _race(loops, (_evaluate("comitia", pack), OURS))
            rows.append({"name": f"evaluate, 50 members, {samples} samples, {classes} classes", **found})
    return rows


def _race(other: Started, ours: Started) -> dict[str, Any]:
    """Median seconds of ours, and the medians of ours over the other, by the clock and by the processor."""
    pairs = [(_spent(*other), _spent(*ours)) for _ in range(ROUNDS)]
    return {
        "seconds": round(median(b[0] for _, b in pairs), 2),
        "ratio": round(median(b[0] / a[0] for a, b in pairs), 2),
        "processor seconds": round(median(b[1] for _, b in pairs), 2),
        "processor ratio": round(median(b[1] / a[1] for a, b in pairs), 2),
    }


def _evaluate(module: str, pack: Path) -> list[str]:
    return [sys.executable, "-m", f"{module}.cli.main", "evaluate", str(pack)]


def _spent(command: list[str], source: Path) -> tuple[float, float]:
    """Seconds of a process by the clock and by the processor."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(source)}
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    seconds, after = perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write_pack(path: Path, classes: int, samples: int, runs: int = 10, states: int = 5) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, samples)
    shared = rng.normal(0.0, 1.0, (samples, classes))
    skill = np.tile(np.linspace(0.5, 3.0, states), runs)
    logits = shared + rng.normal(0.0, 1.0, (runs * states, samples, classes))
    logits[:, np.arange(samples), labels] += skill[:, None]
    probs = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probs = (probs / probs.sum(axis=-1, keepdims=True)).astype(np.float32)
    run, step = np.repeat(np.arange(1, runs + 1), states), np.tile(np.arange(1, states + 1), runs)
    kept = probs[..., 1] if classes == 2 else probs
    np.savez_compressed(path, probs=kept, labels=labels, run=run, step=step)


def race_versions(source: Path, module: str, pack: Path | None = None) -> dict[str, Any]:
    """Race the version in that folder on the pack, or on one of ten classes that is made here."""
    with TemporaryDirectory() as folder:
        chosen = Path(folder) / "pack.npz" if pack is None else pack
        if pack is None:
            _write_pack(chosen, 10, 10_000)
        return _race((_evaluate(module, chosen), source), (_evaluate("comitia", chosen), OURS))


if __name__ == "__main__":
    if sys.argv[1:]:
        print(race_versions(Path(sys.argv[1]), sys.argv[2], *map(Path, sys.argv[3:4])))
    else:
        for row in run():
            print(row)
