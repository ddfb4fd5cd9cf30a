"""The page of a watched ensemble: the path of the evidence with its threshold, and the errors so far."""

import math

from comitia._certificate import percent_up
from comitia._monitor import ASSUMPTION, Monitored
from comitia._words import counted
from comitia.pages import page_parts as html
from comitia.pages.figure import Figure, Panel, Reference, Series, Table, percent
from comitia.pages.frame import document
from comitia.pages.page_parts import Fact, Verdict
from comitia.pages.verdict import sentence

# Points of a line; more would only swell the page.
POINTS = 1000


def monitor_page(found: Monitored, title: str) -> str:
    """Return the whole HTML text."""
    figures = html.drawn("monitor-", [path_figure(found)])
    caption = "Files in the order in which they came"
    files = html.section("File by file", html.table(steps_table(found), caption), key="files")
    verdict = html.hero(monitor_verdict(found), title, 1)
    return document(title, figures, (verdict, html.figures_part("The path of the evidence", figures), files))


def monitor_verdict(found: Monitored) -> Verdict:
    """Return the first screen: whether the alarm is on, and the numbers behind it."""
    watch = found.watch
    error = "–" if found.error is None else percent(found.error, 2)
    facts = (
        Fact(
            f"{watch.unit.capitalize()} so far",
            f"{found.labels:,}",
            f"in {counted(len(found.steps), 'file')}",
        ),
        Fact("Error so far", error, f"promised: at most {percent_up(watch.risk)}"),
        Fact("Evidence now", found.shown, f"the alarm goes on at {1 / watch.alpha:g} and stays on"),
        Fact("Anytime-valid p-value", f"{found.p_value:.2g}", "1 over the largest evidence so far"),
    )
    return Verdict(
        kind="Monitor",
        headline="Alarm: the promise does not hold any more" if found.alarm else "No alarm",
        text=sentence(found.sentence),
        facts=facts,
        assumptions=(
            sentence(ASSUMPTION),
            f"If the risk is at most {percent_up(watch.risk)}, the alarm ever goes on with probability {watch.alpha:g} "
            "at most, however often one looks.",
            "No alarm is no proof: a risk a little above the promise takes many labels to show.",
        ),
        warnings=(),
    )


def path_figure(found: Monitored) -> Figure:
    """Return the evidence, as log10, and the errors so far over the labels."""
    watch, path = found.watch, thinned(found.path)
    x = tuple(float(at) for at, _, _ in path)
    limit = math.log10(1 / watch.alpha)
    evidence = Series("evidence", "tandem", x, tuple(power for _, power, _ in path))
    errors = Series("error so far", "other", x[1:], tuple(error for _, _, error in path[1:]))
    return Figure(
        key="path",
        title="Evidence and errors so far",
        caption=(
            f"Above: the evidence against a risk of at most {percent_up(watch.risk)}, as a power of ten. The alarm "
            f"goes on at {1 / watch.alpha:g}. Below: the share of errors so far, and the promised one."
        ),
        alt=(
            f"Two lines over {found.labels:,} {watch.unit}. The evidence ends at {found.shown}; the alarm is "
            f"{'on' if found.alarm else 'off'}. The error so far ends at "
            f"{'–' if found.error is None else percent(found.error, 2)}."
        ),
        x_title=f"{watch.unit} with labels",
        panels=(
            Panel("lines", "evidence, power of 10", (evidence,), (Reference("alarm", "uniform", limit),)),
            Panel(
                "lines", "error so far", (errors,), (Reference("promised", "best", watch.risk),), percent=True
            ),
        ),
        table=Table(
            (watch.unit, "log10 of the evidence", "error so far"), tuple(tuple(point) for point in path)
        ),
    )


def thinned(path: tuple[tuple[int, float, float], ...]) -> tuple[tuple[int, float, float], ...]:
    """Return at most `POINTS` points of the path, its highest one among them."""
    if len(path) <= POINTS:
        return path
    top = max(range(len(path)), key=lambda place: path[place][1])
    step = (len(path) - 1) / (POINTS - 2)
    kept = {round(number * step) for number in range(POINTS - 1)} | {top}
    return tuple(path[place] for place in sorted(kept))


def steps_table(found: Monitored) -> Table:
    """Return the files with what each brought."""
    columns = ("file", f"new {found.watch.unit}", "counted before", "error", "log10 of the evidence after")
    rows = tuple(
        (step.file, step.labels, step.seen_before, step.error, step.log10_evidence) for step in found.steps
    )
    return Table(columns, rows)
