"""The predictions of every member on the hold-out: one member in memory at a time, a row kept of each."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np
import torch
from torch import nn

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.deep.models import one_line
from comitia.deep.networks import choose_device
from comitia.engines.progress import clock
from comitia.members.finding import Fault, Tell, refuse
from comitia.members.holdout import Data
from comitia.members.naming import gives_step, name_members
from comitia.members.opening import Model, check_fit, make_network, open_member, takes_name
from comitia.members.record import NEED_MODEL, MemberFile
from comitia.members.rows import Probabilities, Row, Rows, describe_model, row_key, with_outputs


@dataclass(frozen=True)
class Collected:
    """The members that predicted, with what was found of their outputs, and what they predicted."""

    members: tuple[MemberFile, ...]
    predictions: Predictions


@dataclass(frozen=True)
class Way:
    """How members are loaded and predict."""

    model: Model | None
    device: torch.device
    allow_code: bool = False
    trust: tuple[str, ...] = ()


def collect_rows(
    members: Sequence[MemberFile],
    data: Data,
    work: Path,
    way: Way,
    *,
    pattern: str | None = None,
    skip_bad: bool = False,
    tell: Tell,
) -> Collected:
    """Return what the members predict on the data; rows that lie in the work folder are not computed again.

    What cannot be used is named, all of it, and is an error unless `skip_bad` leaves it out.
    """
    rows, keys = Rows(work), _keys(members, data, way)
    for path in rows.changed(list(members)):
        tell(f"{path} has changed since its predictions were kept; it predicts again")
    found = {path: row for path, key in keys.items() if (row := rows.find(key))}
    todo = [one for one in members if one.path not in found]
    if found:
        tell(f"{len(found)} of {len(members)} members had predicted before ({work})")
    faults = _misfits(todo, way)
    refuse(faults, len(members), skip_bad, tell)
    todo = [one for one in todo if one.path not in {fault.path for fault in faults}]
    made, failed = _predict_all(todo, data, rows, keys, way, tell)
    found |= made
    failed += _odd(members, found, data)
    refuse(failed, len(members) - len(faults), skip_bad, tell)
    left = {fault.path for fault in (*faults, *failed)}
    kept = [with_outputs(found[one.path], one) for one in members if one.path not in left]
    kept = _numbered(kept, pattern) if left else kept
    _tell_of_runs(kept, tell)
    return Collected(tuple(kept), _predictions(kept, [rows.values(keys[one.path]) for one in kept], data))


def _numbered(members: Sequence[MemberFile], pattern: str | None) -> list[MemberFile]:
    """The members with runs and steps as the names of those that remain give them."""
    named = name_members([PurePath(one.path) for one in members], pattern)
    return [replace(one, run=by.run, step=by.step) for one, by in zip(members, named)]


def _tell_of_runs(members: Sequence[MemberFile], tell: Tell) -> None:
    """Say so where runs and steps are left out because only some names give them."""
    for what, known in (("run", [one.run for one in members]), ("step", [one.step for one in members])):
        if 0 < known.count(None) < len(known):
            left = len(known) - known.count(None)
            tell(
                f"{what}s are left out: only {left} of {len(known)} names give one; --pattern says where it stands"
            )


def _keys(members: Sequence[MemberFile], data: Data, way: Way) -> dict[str, str]:
    """The key of each member's row, by its path; its name counts where networks are made by it."""
    described = describe_model(way.model)
    named = way.model is not None and takes_name(way.model)
    keys = {}
    for one in members:
        made = [described, one.name if named else None] if one.kind in NEED_MODEL else None
        keys[one.path] = row_key(one, data.sha256, made, way.device.type)
    return keys


def _misfits(members: Sequence[MemberFile], way: Way) -> list[Fault]:
    """Which states do not fit the network: seen before anything is computed."""
    states = [one for one in members if one.kind in NEED_MODEL]
    if states and way.model is None:
        raise InputError(
            f"model: required, for {states[0].path} holds a state without its network; module:function names what "
            "makes it"
        )
    faults, network = [], None
    for one in states:
        assert way.model is not None
        try:
            if network is None or takes_name(way.model):
                network = _made(way.model, one.name)
            check_fit(one, network)
        except InputError as error:
            faults.append(_fault(one, error))
    return faults


def _made(model: Model, name: str) -> nn.Module:
    try:
        return make_network(model, name)
    except InputError:
        raise
    except Exception as error:  # the user's function may raise anything
        raise InputError(f"model: the function failed: {one_line(error)}") from error


def _fault(member: MemberFile, error: Exception) -> Fault:
    text = str(error) if isinstance(error, InputError) else one_line(error)
    return Fault(member.path, text.removeprefix(f"{member.path}: "))


def _predict_all(
    members: Sequence[MemberFile], data: Data, rows: Rows, keys: dict[str, str], way: Way, tell: Tell
) -> tuple[dict[str, Row], list[Fault]]:
    """The rows of members that have none yet, and what went wrong with the others."""
    made: dict[str, Row] = {}
    faults: list[Fault] = []
    began = time.monotonic()
    for place, member in enumerate(members, 1):
        try:
            row, right = _predict_one(member, data, rows, keys[member.path], way)
        except _Unusable as failure:
            faults.append(_fault(member, failure.error))
            tell(f"{place}/{len(members)} {member.name}: cannot be used: {faults[-1].why}")
            continue
        made[member.path] = row
        left = clock((time.monotonic() - began) / place * (len(members) - place))
        said = f", {row.said}" if row.said else ""
        tell(f"{place}/{len(members)} {member.name}: {right:.2%} right{said}; {left} left")
    return made, faults


class _Unusable(Exception):
    """What went wrong in a member, and not in the data."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _predict_one(member: MemberFile, data: Data, rows: Rows, key: str, way: Way) -> tuple[Row, float]:
    """Write the row of a member and return it, and the share of samples that it gets right."""
    try:
        opened = open_member(member, way.model, way.device, allow_code=way.allow_code, trust=way.trust)
    except Exception as error:  # whatever a file or the user's network leads to
        raise _Unusable(error) from error
    parts: list[Probabilities] = []
    for inputs, labels in data.batches():
        try:
            parts.append(_checked(opened.probabilities(inputs), len(labels)))
        except Exception as error:
            raise _Unusable(error) from error
    probs = _joined(parts)
    named = replace(member, outputs=opened.outputs)
    row = rows.keep(key, named, probs, opened.said)
    return row, float((probs.argmax(axis=1) == data.labels).mean())


def _checked(probs: Probabilities, samples: int) -> Probabilities:
    if len(probs) != samples:
        raise InputError(f"answers {len(probs)} rows for {samples} samples; it must give one row per sample")
    return probs


def _joined(parts: list[Probabilities]) -> Probabilities:
    try:
        return np.concatenate(parts)
    except ValueError:
        raise _Unusable(InputError("gives different numbers of classes from batch to batch")) from None


def _odd(members: Sequence[MemberFile], found: dict[str, Row], data: Data) -> list[Fault]:
    """Members with another number of classes than most, and those that predict exactly what another one does.

    Of two that do, the one with a step stays: `epoch=9.pt`, not the `best.pt` that repeats it.
    """
    there = [one for one in members if one.path in found]
    usual = Counter(found[one.path].classes for one in there).most_common(1)
    if usual and data.labels.max() >= usual[0][0]:
        raise InputError(
            f"data: labels go up to {data.labels.max()}, and members know {usual[0][0]} classes (0 to "
            f"{usual[0][0] - 1})"
        )
    faults, first = [], dict[str, str]()
    for one in sorted(there, key=lambda member: not gives_step(PurePath(member.path))):
        row = found[one.path]
        if row.classes != usual[0][0]:
            faults.append(Fault(one.path, f"knows {row.classes} classes, the others {usual[0][0]}"))
        elif row.sha256 in first:
            faults.append(
                Fault(one.path, f"predicts exactly what {first[row.sha256]} predicts on every sample")
            )
        first.setdefault(row.sha256, one.path)
    return faults


def _predictions(members: Sequence[MemberFile], values: list[Probabilities], data: Data) -> Predictions:
    """The predictions with names, and with runs and steps where every member has them."""
    runs = [one.run for one in members if one.run is not None]
    steps = [one.step for one in members if one.step is not None]
    return Predictions.from_arrays(
        probs=tuple(values),
        labels=data.labels,
        run=runs if len(runs) == len(members) else None,
        step=steps if len(steps) == len(members) else None,
        names=[one.name for one in members],
        classes=None if not values or values[0].ndim == 1 else values[0].shape[1],
    )


def way_of(model: Model | None, device: str, allow_code: bool, trust: Sequence[str]) -> Way:
    """Return how members are loaded, on the device of that name."""
    return Way(model, choose_device(device), allow_code, tuple(trust))
