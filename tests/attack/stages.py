"""The stages of the attack. Each yields (what was done, what was wrong or "") until its time is up."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from attack import harm
from attack.calls import call, faults, restore, snapshot
from attack.inputs import INPUTS
from comitia._agreement import differences
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._verify import SOLVER_AGREES

Tried = Iterator[tuple[str, str]]
#: Bytes of a file beyond which a disk is full, in that stage.
SMALL_DISK = (0, 100, 1000, 5000, 20_000)
#: Commands that write, each with the files that it leaves.
WRITERS = (
    ("weigh good.npz --out out.json --json more.json", ("out.json", "more.json")),
    ("predict good.json good.npz --out out.csv --json out.json", ("out.csv", "out.json")),
    ("predict good.json good.npz --out out.npz", ("out.npz",)),
    ("count good.npz --out out.counts --json out.json", ("out.counts", "out.json")),
    ("compare good.json good.npz --uniform --out out.json", ("out.json",)),
    (
        "evaluate good.npz --sizes 2 --repeats 1 --out out.json --table out.md --table out.csv",
        ("out.json", "out.md", "out.csv"),
    ),
    ("report good.json --out out.html --json out.json", ("out.html", "out.json")),
)


def mutate(
    folder: Path, good: dict[str, bytes], random: np.random.Generator, over: Callable[[], bool]
) -> Tried:
    """Harmed files of every kind through the commands that read them."""
    while not over():
        entry = INPUTS[random.integers(len(INPUTS))]
        content = good[entry.name]
        warnings.simplefilter("ignore", UserWarning)  # of archives that hold a name twice
        for _ in range(random.integers(1, 3)):
            harming = entry.harms[random.integers(len(entry.harms))]
            try:
                content = harming(random, content)
            except Exception:  # what was harmed before can no longer be harmed in this way
                break
        command = entry.commands[random.integers(len(entry.commands))]
        yield f"mutate {entry.name}", _one(folder, good, entry.name, content, command)


def _one(folder: Path, good: dict[str, bytes], name: str, content: bytes, command: str) -> str:
    """Run a command on one harmed file; what is wrong, with the file kept beside the folder."""
    begun = {**good, name: content}
    restore(folder, begun)
    words = [word.replace("{}", name) for word in command.split()]
    found = call(words)
    wrong = faults(words, found)
    if not wrong and found.code == 2 and snapshot(folder) != begun:
        wrong = (
            f"wrote in spite of bad input: {sorted(set(snapshot(folder)) ^ set(begun)) or 'over an input'}"
        )
    if wrong:
        kept = folder.parent / f"{abs(hash((name, content, command))):x}-{name}"
        kept.write_bytes(content)
        return f"{command.replace('{}', str(kept))}: {wrong}"
    return ""


def forge(
    folder: Path, good: dict[str, bytes], random: np.random.Generator, over: Callable[[], bool]
) -> Tried:
    """Ensembles with one edited statement: verify must not say that all holds, report and predict not crash."""
    record = json.loads(good["good.json"])
    while not over():
        forged = harm.value(random, json.dumps(record).encode())
        changed = json.loads(forged)
        same = _says_the_same(forged, record)
        restore(folder, {**good, "forged.json": forged})
        for command in (
            "verify forged.json good.npz",
            "predict forged.json good.npz",
            "report forged.json --out o.html",
        ):
            words = command.split()
            found = call(words)
            wrong = faults(words, found)
            if not wrong and words[0] == "verify" and found.code == 0 and not same:
                wrong = "a forged ensemble holds"
            yield "forge " + words[0], wrong and f"{wrong}: {_difference(changed, record)}"


def _says_the_same(text: bytes, record: dict[str, Any]) -> bool:
    """Whether a file says what the record says: what it lacks has its usual value, versions are no statement."""
    try:
        found = Ensemble.from_json(text.decode(), faults=False).to_json()
    except InputError:
        return False
    # another fraction may divide the samples in the same way; the counts beside it are compared
    found["split"]["fraction"] = record["split"]["fraction"]
    solved = [*differences(found["weighting"], record["weighting"], SOLVER_AGREES)]
    others = {*record} - {"weighting", "versions"}
    return not solved and {key: found[key] for key in others} == {key: record[key] for key in others}


def _difference(one: Any, other: Any, where: str = "") -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            if one.get(key) != other.get(key) or (key in one) != (key in other):
                return _difference(one.get(key), other.get(key), f"{where}.{key}")
    return f"{where}: {str(other)[:60]} -> {str(one)[:60]}"


def full_disk(
    folder: Path, good: dict[str, bytes], random: np.random.Generator, over: Callable[[], bool]
) -> Tried:
    """No file may become larger than so many bytes: exit 1, one line, and nothing is left that was not there."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for command, outputs in WRITERS:
        for size in SMALL_DISK:
            if over():
                return
            restore(folder, good)
            usual = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
            try:
                found = call(command.split())
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, usual)
            there = set(snapshot(folder)) - set(good)
            wrong = found.crash
            if not wrong and found.code == 1 and (there or "disk is full" not in found.error):
                wrong = f"left {sorted(there)}, said {found.error.strip()!r}"
            elif not wrong and (found.code not in (0, 1) or (found.code == 0 and there != set(outputs))):
                wrong = f"exit code {found.code}, wrote {sorted(there)}: {found.error.strip()}"
            yield "full disk", wrong and f"{command} at {size} bytes: {wrong}"


def kills(
    folder: Path, good: dict[str, bytes], random: np.random.Generator, over: Callable[[], bool]
) -> Tried:
    """Commands killed at random moments leave each output whole or absent; the same command then writes all."""
    wanted: dict[str, dict[str, bytes]] = {}
    begun = time.monotonic()
    _process(WRITERS[0][0], folder, None)
    usual = max(0.5, time.monotonic() - begun)
    while not over():
        command, outputs = WRITERS[random.integers(len(WRITERS))]
        if command not in wanted:
            restore(folder, good)
            _process(command, folder, None)
            wanted[command] = {name: (folder / name).read_bytes() for name in outputs}
        restore(folder, good)
        _process(command, folder, float(random.uniform(0.3, 1.05)) * usual)
        left = {
            n: c for n, c in snapshot(folder).items() if n not in good and not Path(n).name.startswith(".")
        }
        wrong = "".join(f"{n} is not whole; " for n, c in left.items() if wanted[command].get(n) != c)
        _process(command + " --force", folder, None)
        after = {n: c for n, c in snapshot(folder).items() if n not in good}
        wrong += "" if after == wanted[command] else f"afterwards there are {sorted(after)}"
        yield "kill", wrong and f"{command}: {wrong}"


def _process(command: str, folder: Path, seconds: float | None) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "comitia", *command.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def rights(
    folder: Path, good: dict[str, bytes], random: np.random.Generator, over: Callable[[], bool]
) -> Tried:
    """Folders that may not be written to, and files that may not be read, by a user who is not their owner."""
    cases = ((0o555, "cannot be written"), (0o000, ""), (0o755, "cannot be written"))
    for mode, _ in cases:
        for command, _ in WRITERS:
            if over():
                return
            restore(folder, good)
            (folder / "theirs").mkdir()
            (folder / "theirs").chmod(mode)
            moved = " ".join(f"theirs/{w}" if w.startswith(("out.", "more.")) else w for w in command.split())
            wrong = _as_nobody(moved, folder)
            (folder / "theirs").chmod(0o755)
            wrong = wrong or ("wrote" if any((folder / "theirs").iterdir()) else "")
            yield "rights", wrong and f"{moved} in a folder of mode {mode:o}: {wrong}"


def _as_nobody(command: str, folder: Path) -> str:
    """Run the command in a child that is not the owner of the files, where we may become somebody else."""
    pipe, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(pipe)
        try:
            for place in (folder, *folder.parents):
                if place.owner() == "root" and os.geteuid() == 0 and len(place.parts) > 2:
                    place.chmod(place.stat().st_mode | 0o055)
            if os.geteuid() == 0:
                os.setegid(65534)
                os.seteuid(65534)
            found = call(command.split())
            wrong = faults(command.split(), found) or ("" if found.code == 2 else f"exit code {found.code}")
            os.write(end, wrong.encode()[:2000])
        finally:
            os._exit(0)
    os.close(end)
    with os.fdopen(pipe, "rb") as told:
        wrong = told.read().decode()
    os.waitpid(child, 0)
    return wrong


STAGES: dict[str, Callable[[Path, dict[str, bytes], np.random.Generator, Callable[[], bool]], Tried]] = {
    "mutate": mutate,
    "forge": forge,
    "full disk": full_disk,
    "rights": rights,
    "kill": kills,
}
#: Shares of the time; a stage that has tried all leaves the rest to nobody.
SHARES = {"mutate": 0.6, "forge": 0.15, "full disk": 0.05, "rights": 0.05, "kill": 0.15}
