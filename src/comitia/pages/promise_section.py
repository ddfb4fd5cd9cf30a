"""The further promises of a weighed ensemble on its page, beside the one that is its headline."""

from collections.abc import Iterator
from itertools import groupby

from comitia._certificate import confidence_down, percent_up
from comitia._ensemble import Ensemble
from comitia.pages import page_parts as html
from comitia.pages.figure import Cell, Table, legible, number, percent
from comitia.pages.page_parts import Markup, Part
from comitia.pages.verdict import sentence
from comitia.promises import Promise
from comitia.promises.table import KINDS, at_least, cost_up, named_rate

QUOTE = (
    "The promise at the top of the page is the one to quote: it is about the vote on all samples. Those below were "
    "asked for beside it. Each heading holds by itself with the probability that it states; the rows under one heading "
    "hold at once. All of them together hold with less."
)


def promise_sections(ensemble: Ensemble) -> Iterator[Part]:
    """Yield the section of further promises, if any were asked for, or the vote has a threshold."""
    if not (ensemble.asked.promises or ensemble.decision.threshold is not None):
        return
    rule = None if ensemble.decision.threshold is None else html.element("p", sentence(ensemble.tilt))
    parts = [_part(ensemble, list(some)) for _, some in groupby(ensemble.promises, key=lambda one: one.name)]
    quote = html.note(QUOTE) if ensemble.promises else None
    yield html.section("Further promises", quote, rule, *parts, _missing(ensemble), key="promises")


def _part(ensemble: Ensemble, promises: list[Promise]) -> Markup:
    first = promises[0]
    small = (
        html.note(f"Provided that {ensemble.assumption(first)}."),
        html.note(sentence(first.void)),
    )
    said = _sentence(first) if first.group is None else _rates(promises)
    return html.element("div", html.element("h3", _heading(first)), said, *small)


def _heading(promise: Promise) -> str:
    surely = confidence_down(promise.delta)
    if promise.kind == "selective":
        return f"Of the answers at most {percent_up(promise.risk)} are wrong, with {surely} probability"
    if promise.kind == "costs":
        return f"An answer costs at most {cost_up(promise.risk)} in expectation, with {surely} probability"
    together = f", all {promise.at_once} at once" if promise.at_once > 1 else ""
    return f"Errors per {promise.name}, with {surely} probability{together}"


def _sentence(promise: Promise) -> Markup:
    answered = (
        "" if promise.coverage is None else f" Here it answers {percent(promise.coverage, 2)} of the samples."
    )
    return html.element("p", f"{sentence(promise.promise)}{answered}")


def _rates(promises: list[Promise]) -> Markup:
    columns = (promises[0].name, "errors at most", promises[0].unit, "what it is")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (legible(one.group or ""), percent_up(one.risk), number(one.samples), _what(one)) for one in promises
    )
    title = f"Errors per {promises[0].name}"
    return html.table(Table(columns, rows), title, numeric=(False, True, True, False))


def _what(promise: Promise) -> str:
    if promise.kind == "predicted":
        return f"precision at least {at_least(promise.risk)}"
    return KINDS[promise.kind].meaning if promise.rate is None else legible(named_rate(promise))


def _missing(ensemble: Ensemble) -> Markup | None:
    rows = tuple(
        (legible(row.name if row.group is None else f"{row.name} {row.group}"), row.why)
        for row in ensemble.unpromised
    )
    if not rows:
        return None
    return html.folded(
        f"{len(rows)} not promised, and why", html.key_values("Not promised", rows, ("what", "why"))
    )
