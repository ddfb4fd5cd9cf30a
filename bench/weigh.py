"""`comitia weigh` and `verify` on 200 members × 100,000 samples × 10 classes from disk: time and peak memory.

Seconds include the start of the process. The ratio is against one arg-max pass of torch over the same array, mapped
from the same file, measured between the commands; medians of several rounds.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

import numpy as np
import torch

from comitia.files.npz import read_arrays

MEMBERS, SAMPLES, CLASSES = 200, 100_000, 10
ROUNDS = 5
# What may be asked: times one arg-max pass, by command and vote.
LIMITS = {
    ("weigh", "majority"): 4,
    ("weigh", "average"): 5,
    ("verify", "majority"): 8,
    ("verify", "average"): 8,
}
# VmHWM, not ru_maxrss: that one starts from what the parent held when it forked
PEAK = (
    "import sys; from comitia.cli.main import main\n"
    "try: main(sys.argv[1:])\n"
    "except SystemExit as end: assert not end.code, end.code\n"
    "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
)


def run() -> list[dict[str, object]]:
    """Rows per command and vote: seconds, times the arg-max pass, peak memory and its share of the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = _write(folder / "pack.npz")
        for vote in ("majority", "average"):  # compiles what is compiled, and leaves the files to verify
            _command(folder, "weigh", vote)
        passes: list[float] = []
        seconds: dict[tuple[str, str], list[float]] = {key: [] for key in LIMITS}
        for _ in range(ROUNDS):
            for key in LIMITS:
                passes.append(_argmax(folder / "pack.npz"))
                seconds[key].append(_command(folder, *key))
        peaks = {key: _peak(folder, *key) for key in LIMITS}
        found = [_row(key, seconds[key], peaks[key], median(passes), size) for key in LIMITS]
        return [{"name": "arg-max by torch", "seconds": median(passes)}, *found]


def _row(
    key: tuple[str, str], seconds: list[float], peak: int, one_pass: float, size: int
) -> dict[str, object]:
    return {
        "name": f"{key[0]} --vote {key[1]}, {MEMBERS} × {SAMPLES:,} × {CLASSES}",
        "seconds": median(seconds),
        "ratio": median(seconds) / one_pass,
        "limit": LIMITS[key],
        "peak_bytes": peak,
        "of_file": peak / size,
    }


def _write(path: Path) -> int:
    """Write the pack member by member (float32, not compressed) and return its bytes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, SAMPLES)
    hard = rng.normal(0, 1, SAMPLES)
    stack = path.with_suffix(".npy")
    probs = np.lib.format.open_memmap(stack, "w+", np.float32, (MEMBERS, SAMPLES, CLASSES))
    for i in range(MEMBERS):
        logits = rng.normal(0, 1, (SAMPLES, CLASSES)).astype(np.float32)
        logits[np.arange(SAMPLES), labels] += (3 - hard).astype(np.float32)
        exp = np.exp(logits - logits.max(axis=1, keepdims=True))
        probs[i] = exp / exp.sum(axis=1, keepdims=True)
    np.savez(path, probs=probs, labels=labels)
    stack.unlink()
    return path.stat().st_size


def _argmax(path: Path) -> float:
    """Return the seconds of one pass over the array as it lies in the file."""
    mapped = read_arrays(path)["probs"]
    with warnings.catch_warnings(action="ignore"):  # that the map cannot be written to
        array = torch.from_numpy(mapped)
    start = time.perf_counter()
    array.argmax(-1)
    return time.perf_counter() - start


def _words(folder: Path, command: str, vote: str) -> list[str]:
    ensemble, pack = str(folder / f"{vote}.json"), str(folder / "pack.npz")
    if command == "verify":
        return ["verify", ensemble, pack]
    return ["weigh", pack, "--vote", vote, "--out", ensemble, "--force"]


def _command(folder: Path, command: str, vote: str) -> float:
    """Run the command and return its seconds, from start to end of its process."""
    start = time.perf_counter()
    words = [sys.executable, "-m", "comitia", *_words(folder, command, vote)]
    subprocess.run(words, capture_output=True, check=True)
    return time.perf_counter() - start


def _peak(folder: Path, command: str, vote: str) -> int:
    """Run the command once more and return its peak memory."""
    words = [sys.executable, "-c", PEAK, *_words(folder, command, vote)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) * 1024
