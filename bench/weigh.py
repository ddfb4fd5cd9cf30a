"""`comitia weigh` on 200 members × 200,000 samples × 10 classes from disk: time and peak memory."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MEMBERS, SAMPLES, CLASSES = 200, 200_000, 10
LIMIT = 1.5e9


def run() -> list[dict[str, object]]:
    """Rows for both votes: seconds, and the peak memory against the 1.6 GB of the file itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pack.npz"
        size = _write(path)
        return [_measure(path, size, vote) for vote in ("majority", "average")]


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


def _measure(path: Path, size: int, vote: str) -> dict[str, object]:
    """One row: the command in a process of its own, so that its peak is its own."""
    # VmHWM, not ru_maxrss: that one starts from what the parent held when it forked
    code = (
        "import sys; from comitia.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, "weigh", str(path), "--vote", vote],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    peak = int(done.stdout.split()[-1]) * 1024
    return {
        "name": f"weigh --vote {vote}, {MEMBERS} × {SAMPLES:,} × {CLASSES}",
        "seconds": seconds,
        "peak_bytes": peak,
        "ratio": peak / size,
        "against": "bytes of the file",
        "within_limit": peak < LIMIT,
    }
