"""`collect` of 50 ResNet20 states on 10,000 images against a loop written by hand, and its memory by members.

Both take turns, ten states each at a time, in one process with torch's default threads. The loop loads each state,
predicts in batches of the same size, and saves one array. `collect` also takes checksums of states and samples, checks
that states fit, keeps a row per member and checks what it writes. Wanted: at most 1.1 times the time.

Memory: the most that a process held that collected 5 and one that collected 50 members, each on 10,000 images.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from torch import nn

from comitia import collect
from comitia.deep.models import build

STATES, IMAGES, TURNS, WANTED = 50, 10_000, 5, 1.1
FEW, MORE, GROWTH = 5, 50, 1.1
MEASURE = """
import resource, sys
import bench.collect as bench
from comitia import collect
collect([sys.argv[1]], sys.argv[2], sys.argv[3], model=bench.linear, device="cpu")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Return a row for time and one for memory; `scale` is the share of the images."""
    with tempfile.TemporaryDirectory() as folder:
        place, images = Path(folder), max(100, int(IMAGES * scale))
        random = np.random.default_rng(0)
        x = random.normal(size=(images, 3, 32, 32)).astype(np.float32)
        np.savez(place / "data.npz", x=x, y=np.arange(images) % 10)
        return [_time(place, max(TURNS, int(STATES * scale))), _memory(place)]


def resnet() -> nn.Module:
    """The network of the states."""
    return build("resnet", classes=10, input_shape=(32, 32, 3), depth=20)


def linear() -> nn.Module:
    """A network that costs next to nothing."""
    return nn.Sequential(nn.Flatten(), nn.Linear(3072, 10))


def _time(place: Path, states: int) -> dict[str, object]:
    with np.load(place / "data.npz") as pack:
        x, y = pack["x"], pack["y"]
    ours, by_hand = [], []
    for turn in range(TURNS):
        folder = place / f"turn{turn}"
        _save(folder, resnet, states // TURNS)
        by_hand.append(_loop(sorted(folder.glob("*.pt")), x, y, place / f"hand{turn}.npz"))
        began = perf_counter()
        collect([folder], (x, y), place / f"ours{turn}.npz", model=resnet, device="cpu")
        ours.append(perf_counter() - began)
    ratio = statistics.median(one / other for one, other in zip(ours, by_hand))
    return {
        "name": f"collect, {states} ResNet20 states × {len(x):,} images",
        "seconds": sum(ours),
        "by_hand_seconds": sum(by_hand),
        "ratio": ratio,
        "wanted": WANTED,
        "holds": ratio <= WANTED,
    }


def _save(folder: Path, make: Callable[[], nn.Module], count: int) -> None:
    folder.mkdir()
    for step in range(count):
        torch.manual_seed(1000 * len(list(folder.parent.iterdir())) + step)
        torch.save(make().state_dict(), folder / f"step={step}.pt")


def _loop(paths: list[Path], x: np.ndarray, y: np.ndarray, out: Path) -> float:
    """What one writes by hand."""
    began, rows = perf_counter(), []
    for path in paths:
        network = resnet()
        network.load_state_dict(torch.load(path, weights_only=True))
        network.eval()
        with torch.inference_mode():
            parts = [network(part).softmax(1) for part in torch.from_numpy(x).split(512)]
        rows.append(torch.cat(parts).numpy())
    np.savez(out, probs=np.stack(rows), labels=y)
    return perf_counter() - began


def _memory(place: Path) -> dict[str, object]:
    most = {}
    for count in (FEW, MORE):
        _save(place / f"linear{count}", linear, count)
        words = [f"linear{count}", "data.npz", f"linear{count}.npz"]
        command = [sys.executable, "-c", MEASURE, *(str(place / word) for word in words)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        most[count] = int(done.stdout.split()[-1])
    ratio = most[MORE] / most[FEW]
    return {
        "name": f"memory, {MORE} members against {FEW}",
        "kilobytes": most[MORE],
        "ratio": ratio,
        "wanted": GROWTH,
        "holds": ratio <= GROWTH,
    }
