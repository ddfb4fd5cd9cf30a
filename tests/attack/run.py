"""One process of the attack: all stages in a folder of its own, with bounded memory."""

import os
import resource
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from attack.calls import call
from attack.inputs import make_all
from attack.stages import SHARES, STAGES
from comitia._sizes import VARIABLE

#: Bytes that a command may take beyond what Python and its libraries have taken, and what the tool is told.
MEMORY, TOLD = 3 * 2**30, "256M"


@dataclass
class Result:
    """How often each thing was tried, and what was wrong."""

    tried: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def attack(
    folder: Path, *, seconds: float, seed: int, process: int = 0, shares: dict[str, float] | None = None
) -> Result:
    """Attack in this process, in that folder, for that long."""
    place = folder / f"attack-{process}"
    place.mkdir(parents=True)
    before, os.environ[VARIABLE] = os.getcwd(), TOLD
    os.chdir(place)
    good, result = make_all(place), Result()
    usual = _limit_memory()
    try:
        for number, (name, share) in enumerate((SHARES if shares is None else shares).items()):
            end = time.monotonic() + share * seconds
            random = np.random.default_rng([seed, process, number])
            for what, wrong in STAGES[name](place, good, random, lambda end=end: time.monotonic() > end):
                result.tried[what] += 1
                result.wrong += [f"{what}: {wrong}"] if wrong else []
    finally:
        resource.setrlimit(resource.RLIMIT_AS, usual)
        os.chdir(before)
        del os.environ[VARIABLE]
    return result


def _limit_memory() -> tuple[int, int]:
    """Bound the memory of this process, after all libraries that commands import were imported."""
    for words in (
        ["weigh", "good.npz"],
        ["weigh", "table.parquet"],
        ["report", "good.json", "--out", "warm.html"],
    ):
        call(words)
    Path("warm.html").unlink(missing_ok=True)
    usual = resource.getrlimit(resource.RLIMIT_AS)
    taken = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        if Path("/proc").exists()
        else 0
    )
    if taken:
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, usual[1]))
    return usual


def in_process(folder: str, seconds: float, seed: int, process: int, shares: dict[str, float]) -> Result:
    """Attack in a process of its own."""
    total = sum(shares.values())
    share = {name: part / total for name, part in shares.items()}
    return attack(Path(folder), seconds=seconds, seed=seed, process=process, shares=share)
