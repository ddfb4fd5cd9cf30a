"""Run and step of a member, read from the name of its file or by a pattern."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from comitia._errors import InputError
from comitia._words import legible

# What people call them, best first; a number follows, after = _ - or nothing.
RUNS = ("run", "seed", "fold", "trial", "version", "rep", "member")
STEPS = ("epoch", "step", "checkpoint", "ckpt", "iteration", "iter", "ep", "swa", "state")
PLACES = ("run", "step")


@dataclass(frozen=True)
class Named:
    """A member's name, and the run and step that it says."""

    name: str
    run: int | None
    step: int | None


def name_members(paths: Sequence[PurePath], pattern: str | None = None) -> list[Named]:
    """Return name, run and step of each of those paths.

    Names are paths without the folder that all share and without their endings. A run is known by its number where
    names give one; else by all of the name but the step, and numbered from 1. Steps are known where each name has
    one. `pattern` says where the numbers stand: "{run}/net-{step}.pt", where * stands for any text.

    >>> [(one.run, one.step) for one in name_members([PurePath("run3/epoch=12.ckpt"), PurePath("run4/epoch=12.ckpt")])]
    [(3, 12), (4, 12)]
    >>> [(one.run, one.step) for one in name_members([PurePath("wide-e4.pt"), PurePath("deep-e4.pt")], "*-e{step}.pt")]
    [(2, 4), (1, 4)]
    """
    names = _names(paths)
    found = [_by_pattern(path, pattern) if pattern else _by_words(name) for path, name in zip(paths, names)]
    steps = [step for _, step, _ in found]
    if any(step is None for step in steps):
        runs = [run for run, _, _ in found]
        return [Named(name, run, step) for name, run, step in zip(names, runs, steps)]
    runs = _runs(names, found)
    return [Named(name, run, step) for name, run, step in zip(names, runs, steps)]


def gives_step(path: PurePath) -> bool:
    """Return whether the name of a file says its step, in usual words.

    >>> gives_step(PurePath("run1/epoch=3.pt")), gives_step(PurePath("run1/best.pt"))
    (True, False)
    """
    return _by_words(path.with_suffix("").as_posix())[1] is not None


def natural(text: str) -> list[tuple[int, str]]:
    """Return a key by which texts are in the order in which people count.

    >>> sorted(["e10", "e9"], key=natural)
    ['e9', 'e10']
    """
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text)]


def _names(paths: Sequence[PurePath]) -> list[str]:
    """Paths below the folder that all share, without endings where these tell nothing apart."""
    texts = [path.as_posix() for path in paths]
    shared = (
        os.path.commonpath([os.path.dirname(text) for text in texts]) if len(set(texts)) == len(texts) else ""
    )
    below = [PurePath(legible(text[len(shared) :].lstrip("/") if shared else text)) for text in texts]
    bare = [path.with_suffix("").as_posix() if _is_ending(path.suffix) else path.as_posix() for path in below]
    return bare if len(set(bare)) == len(bare) else [path.as_posix() for path in below]


def _is_ending(suffix: str) -> bool:
    return suffix in (".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".onnx", ".skops", ".pt2")


def _by_words(name: str) -> tuple[int | None, int | None, str]:
    """Run, step, and the name without its step."""
    run, _ = _number(name, RUNS)
    step, rest = _number(name, STEPS)
    last = PurePath(name).name
    if step is None and last.isdecimal():
        step, rest = int(last), name[: len(name) - len(last)]
    for word in STEPS:  # of "epoch=3-step=4000" the epoch is the step, and neither tells runs apart
        rest = re.sub(rf"(?<![a-zA-Z]){word}[-_=]?\d+", "", rest, flags=re.IGNORECASE)
    return run, step, re.sub(r"[a-zA-Z_]+=[\d.]+", "", rest) if run is None else rest


def _number(name: str, words: Sequence[str]) -> tuple[int | None, str]:
    """The last number after the first of those words that occurs, and the name without both."""
    for word in words:
        found = list(re.finditer(rf"(?<![a-zA-Z]){word}[-_=]?(\d+)", name, flags=re.IGNORECASE))
        if found:
            return int(found[-1][1]), name[: found[-1].start()] + name[found[-1].end() :]
    return None, name


def _by_pattern(path: PurePath, pattern: str) -> tuple[int | None, int | None, str]:
    text = path.as_posix()
    found = re.search(rf"(?:^|/){_expression(pattern)}$", text)
    if found is None:
        raise InputError(f"pattern: '{pattern}' does not match {text}; write * for what varies")
    groups = found.groupdict()
    run, step = (int(groups[key]) if groups.get(key) else None for key in PLACES)
    rest = text if "step" not in groups else text[: found.start("step")] + text[found.end("step") :]
    return run, step, rest


def _expression(pattern: str) -> str:
    """The regular expression of a pattern with {run}, {step} and *."""
    pieces = re.split(r"(\{\w*\}|\*)", pattern)
    for piece in pieces:
        if piece.startswith("{") and piece not in ("{run}", "{step}"):
            raise InputError(f"pattern: knows {{run}}, {{step}} and *, got {piece} in '{pattern}'")
    if not any(pieces.count(f"{{{place}}}") == 1 for place in PLACES):
        raise InputError(f"pattern: must hold {{run}} or {{step}} once, got '{pattern}'")
    known = {"*": "[^/]*?", "{run}": r"(?P<run>\d+)", "{step}": r"(?P<step>\d+)"}
    return "".join(known.get(piece, re.escape(piece)) for piece in pieces)


def _runs(names: Sequence[str], found: Sequence[tuple[int | None, int | None, str]]) -> list[int | None]:
    """The numbers of the runs where names tell them apart, else numbers from 1 in the order of names."""
    numbers = [run for run, _, _ in found]
    pairs = {(run, step) for run, step, _ in found}
    if None not in numbers and len(pairs) == len(found):
        return numbers
    rests = sorted({rest for _, _, rest in found}, key=natural)
    return [rests.index(rest) + 1 for _, _, rest in found]
