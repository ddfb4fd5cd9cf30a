"""The further promises of an ensemble file computed again from the data."""

from collections.abc import Iterator
from dataclasses import replace

from comitia._agreement import RISKS_AGREE, differences, only, with_odd
from comitia._ensemble import Ensemble
from comitia._verification import Row
from comitia.promises import Promise

#: Parts of the record with rows of their own here.
PROMISES = ("asked", "decision", "promises", "unpromised")


def threshold_row(ensemble: Ensemble, found: float | None) -> Iterator[Row]:
    """Yield a row for the decision threshold, if there is one: it must follow from the samples that choose."""
    stated = ensemble.decision.threshold
    if stated is None and found is None:
        return
    same = stated is not None and found is not None and abs(stated - found) <= RISKS_AGREE
    shown = ["none" if one is None else f"{one:.6g}" for one in (stated, found)]
    yield Row("threshold", shown[0], shown[1], same)


def promise_rows(ensemble: Ensemble, found: Ensemble, again: Ensemble) -> Iterator[Row]:
    """Yield a row for each promise: no larger by the data than stated, and worded as its numbers are.

    As for counted errors, rates must hold at the weights found again too: changes within their tolerance can turn ties.
    """
    valid = {one.key: one for one in found.promises}
    others = {one.key: one for one in again.promises}
    for promise, stated in zip(ensemble.promises, ensemble.record["promises"]):
        name = _title(promise)
        if promise.key not in valid:
            yield Row(name, f"{promise.risk:.6f}", "not promised by these data", False)
            continue
        own = valid[promise.key]
        risk = max(own.risk, others[promise.key].risk) if promise.key in others else own.risk
        odd = [*differences(stated, found.statement(replace(own, risk=promise.risk)))]
        holds = not odd and risk <= promise.risk * (1 + RISKS_AGREE)
        yield Row(name, f"{promise.risk:.6f}", with_odd(f"{risk:.6f}", odd), holds)
    rest = _rest(ensemble, found)
    if ensemble.asked.promises or not rest.holds:
        yield rest


def _rest(ensemble: Ensemble, found: Ensemble) -> Row:
    """What was asked for and is not promised, the rule, and promises that were left out."""
    stated, anew = ensemble.record, found.to_json()
    odd = [f"{_title(one)} is missing" for one in found.promises if one.key not in _keys(ensemble)]
    if len(stated.get("promises", ())) != len(ensemble.promises):
        odd.append("promises, their number")
    keys = [key for key in PROMISES if key != "promises" and key in stated]
    odd += differences(only(stated, keys), only(anew, keys))
    return Row("promises", f"{len(ensemble.promises)} given", with_odd("", odd) or "the same", not odd)


def _keys(ensemble: Ensemble) -> set[tuple[str, str, str | None]]:
    return {one.key for one in ensemble.promises}


def _title(promise: Promise) -> str:
    return promise.name if promise.group is None else f"{promise.name} {promise.group}"
