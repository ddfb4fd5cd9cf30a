"""What is wrong with the further promises that a file states: they must be those that were asked for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from comitia.bounds.row import VOTES
from comitia.promises import Promise, Unpromised
from comitia.promises.costs import largest_cost
from comitia.promises.order import key_of
from comitia.promises.rates import NAMED
from comitia.promises.table import RATES

if TYPE_CHECKING:
    from comitia._ensemble_file import EnsembleFile


def promises_fault(file: "EnsembleFile") -> str | None:
    """Return why the promises cannot be those of this ensemble, or None; each was asked for its own fault before."""
    return next(_faults(file), None)


def _faults(file: "EnsembleFile") -> Iterator[str]:
    asked, decision = file.asked, file.decision
    if (asked.threshold is None) != (decision.threshold is None):
        yield "decision: a threshold is required where one was asked for, and only there"
    if decision.threshold is not None and len(file.class_names) != 2:
        yield "decision: a threshold is for two classes"
    if isinstance(asked.threshold, float) and decision.threshold != asked.threshold:
        yield "decision: the threshold is not the one that was asked for"
    if (file.promises or asked.promises) and (file.best is None or file.weighting.chosen_on == "all"):
        yield "promises: samples that chose the weights promise nothing"
    if asked.costs is not None and len(asked.costs) != len(file.class_names):
        yield "asked: costs must have a row per class"
    keys = [one.key for one in _rows(file)]
    if len(set(keys)) != len(keys):
        yield "promises: duplicate; each is given once"
    yield from _asked_faults(file)
    for promise in file.promises:
        yield from _promise_faults(file, promise)
    stated = next((one.threshold for one in file.promises if one.kind == "selective"), None)
    if stated != decision.least_share:
        yield "decision: least_share is not the threshold that is certified"


def _rows(file: "EnsembleFile") -> list[Promise | Unpromised]:
    return [*file.promises, *file.unpromised]


def _asked_faults(file: "EnsembleFile") -> Iterator[str]:
    """Names that were asked for and have no row, and rows that nobody asked for."""
    asked = file.asked
    wanted = {*asked.per}
    wanted |= {"selective"} if asked.target_risk is not None else set()
    wanted |= {"costs"} if asked.costs is not None else set()
    given = {one.name for one in _rows(file)}
    for name in sorted(wanted ^ given):
        yield f"promises: '{name}' was {'asked for and is missing' if name in wanted else 'not asked for'}"


def _promise_faults(file: "EnsembleFile", promise: Promise) -> Iterator[str]:
    """What does not fit the rest of the file."""
    where, kind = f"promise {promise.name}", promise.kind
    if promise.vote != file.vote or promise.vote not in VOTES:
        yield f"{where}: must be of the ensemble's own vote"
    if promise.unit != ("samples" if file.data.groups is None else "groups"):
        yield f"{where}: must rest on groups where the data come in groups, and only there"
    shares = len(file.asked.per) if kind in RATES else 1
    if promise.delta * shares > file.delta * (1 + 1e-12):
        yield f"{where}: delta {promise.delta:g} is more than its share of {file.delta:g}"
    if kind in RATES:
        yield from _rate_faults(file, promise)
    if kind == "selective" and promise.inputs["target"] != file.asked.target_risk:
        yield f"{where}: the target is not the one that was asked for"
    if kind == "costs" and file.asked.costs and promise.inputs["largest"] != largest_cost(file.asked.costs):
        yield f"{where}: the largest cost is not that of the matrix"
    data = file.data
    key = key_of(data.sha256 if data.certify_sha256 is None else data.certify_sha256)
    if "order" in promise.inputs and (promise.inputs["order"], promise.inputs["seed"]) != (
        key,
        file.split.seed,
    ):
        yield f"{where}: its order is not that of the data and the seed"


def _rate_faults(file: "EnsembleFile", promise: Promise) -> Iterator[str]:
    """Groups must be all that there are, and of classes those of the ensemble."""
    where, name = f"promise {promise.name}", promise.name
    rows = [one for one in _rows(file) if one.name == name]
    if promise.at_once != len(rows):
        yield f"{where}: holds for {promise.at_once} groups at once, and {len(rows)} are listed"
    if promise.kind == "column":
        return
    if {one.group for one in rows} != set(file.class_names):
        yield f"{where}: its groups are not the classes"
    two = promise.kind == "class" and len(file.class_names) == 2
    named = dict(zip(file.class_names, NAMED)) if two else {}
    if promise.rate != named.get(promise.group or ""):
        yield f"{where}: the rate of '{promise.group}' has another name"
