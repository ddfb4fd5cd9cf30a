"""The figures of an evaluation, as in the paper: curves by number of runs, then those of its largest ensemble."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import stdev

from comitia.evaluation.records import EARLY_STOPPING, Evaluation, Row, Settings
from comitia.evaluation.tables import curve_title
from comitia.pages.cost_figure import cost_figures
from comitia.pages.declining_figure import declining_figure
from comitia.pages.figure import Figure, Panel, Reference, Series, Table, legible, number, percent, role_of
from comitia.pages.member_figures import certified_figure, tandem_figure, weights_figure
from comitia.pages.verdict import standing_of

# drawn from the start, as in the paper; the legend adds the other weightings
DRAWN = ("uniform", "tandem")

_BAND = " The band is ± one standard deviation."
_DRAWS = "Mean over {repeats} drawn ensembles per size." + _BAND
_DRAW = "One drawn ensemble per size."
_BUDGET = (
    "All ensembles cost the same number of epochs: the more runs, the shorter each run. There is one ensemble per "
    "size, trained separately."
)
_LINES = "Dashed lines use the last state of each run, solid lines all states."
# the curves that show what the same samples are better used for: to choose one state per run, or to weigh all
_STOPPING = (("last", "uniform"), ("all", EARLY_STOPPING), ("all", "uniform"), ("all", "tandem"))
# by score: title, title of the axis, what to know to read it
_SCORES = {
    "nll": (
        "Negative log-likelihood",
        "negative log-likelihood",
        "Mean of −ln p of the true class, lower is better.",
    ),
    "auroc": ("Area under the ROC curve", "AUROC", "Of the probability of class 1, higher is better."),
}


def evaluation_figures(evaluation: Evaluation) -> tuple[Figure, ...]:
    """Return the figures that the evaluation has numbers for, in the order in which they are shown."""
    votes = sorted(evaluation.settings.votes, key=lambda vote: vote != "average")
    found: list[Figure] = [accuracy_figure(evaluation, vote) for vote in votes]
    if any(row.weights == EARLY_STOPPING for row in evaluation.rows):
        found.append(stopping_figure(evaluation, votes[0]))
    found += [score_figure(evaluation, score) for score in _SCORES if _scored(evaluation, score)]
    if any(row.bound_mean is not None for row in evaluation.rows if row.vote == "majority"):
        found.append(bound_figure(evaluation))
    if evaluation.members:
        found.append(weights_figure(evaluation))
    if evaluation.tandem is not None and len(evaluation.members) > 1:
        found.append(tandem_figure(evaluation))
    standing = standing_of(evaluation)
    certified = {c.certificate.vote for c in standing.certificates}
    found += [certified_figure(standing, vote) for vote in votes if vote in certified]
    found += [_declining(evaluation, vote) for vote in votes if evaluation.declining]
    return (*found, *cost_figures(evaluation.costs))


def _declining(evaluation: Evaluation, vote: str) -> Figure:
    rows = [row for row in evaluation.declining if row.vote == vote and row.members in evaluation.distinct]
    names = [curve_title(row.members, row.weights, ", ") for row in rows]
    curves = [(name, role_of(row.weights), row.curve) for name, row in zip(names, rows)]
    return declining_figure(curves, vote, [row.weights in DRAWN for row in rows])


def accuracy_figure(evaluation: Evaluation, vote: str) -> Figure:
    """Return the accuracy of one vote by number of runs, ± one standard deviation, with reference lines."""
    settings, curves = evaluation.settings, [c for c in _curves(evaluation) if c[0].vote == vote]
    series = tuple(_series(evaluation, c, [row.accuracy_mean for row in c], _spread(c)) for c in curves)
    references = tuple(
        Reference(legible(r.label), "bayes" if r.kind == "bayes" else "paper", r.value)
        for r in evaluation.references
        if r.kind != "paper" and r.quantity == "accuracy"
    )
    single = Reference("best single member", "best", evaluation.single_best.accuracy_mean)
    return Figure(
        key=f"accuracy-{vote}",
        title=f"Accuracy of the {vote} vote" + (" under one budget of epochs" if settings.grouped else ""),
        caption=_drawn(settings) if evaluation.single_states else f"{_drawn(settings)} {_LINES}",
        alt=_curves_in_words(
            f"Accuracy of the {vote} vote against the number of runs", series, (single, *references)
        ),
        x_title="runs in the ensemble",
        panels=(Panel("lines", "accuracy", series, (single, *references), percent=True),),
        table=_rows_table(curves),
    )


def stopping_figure(evaluation: Evaluation, vote: str) -> Figure:
    """Return the accuracy of one vote with early stopping and with tandem weights on all states, by number of runs."""
    curves = [c for m, w in _STOPPING if (c := evaluation.curve(m, w, vote))]
    drawn = (_series(evaluation, c, [row.accuracy_mean for row in c], _spread(c)) for c in curves)
    series = tuple(replace(one, shown=True) for one in drawn)
    return Figure(
        key="early-stopping",
        title="Early stopping against all states",
        caption=(
            f"Accuracy of the {vote} vote. Half of the samples either choose one state per run (early stopping, equal "
            f"weights) or weigh all states (tandem). The other half is scored. {_drawn(evaluation.settings)} {_LINES}"
        ),
        alt=_curves_in_words(f"Accuracy of the {vote} vote against the number of runs", series, ()),
        x_title="runs in the ensemble",
        panels=(Panel("lines", "accuracy", series, percent=True),),
        table=_rows_table(curves),
    )


def score_figure(evaluation: Evaluation, score: str) -> Figure:
    """Return a score of the average vote by number of runs, ± one standard deviation where draws are recorded."""
    title, axis, about = _SCORES[score]
    curves = _scored(evaluation, score)
    series = tuple(
        _series(evaluation, c, [getattr(row, f"{score}_mean") for row in c], _score_spread(c, score))
        for c in curves
    )
    single = evaluation.single_best.nll_mean if score == "nll" else None
    levels = () if single is None else (Reference("best single member", "best", single),)
    banded = any(one.spread is not None for one in series)
    drawn = _drawn(evaluation.settings) if banded else _drawn(evaluation.settings).replace(_BAND, "")
    return Figure(
        key=score,
        title=f"{title} of the average vote",
        caption=f"{about} {drawn}" if evaluation.single_states else f"{about} {drawn} {_LINES}",
        alt=_curves_in_words(
            f"{title} of the average vote against the number of runs", series, levels, number
        ),
        x_title="runs in the ensemble",
        panels=(Panel("lines", axis, series, levels),),
        table=_rows_table(curves),
    )


def _scored(evaluation: Evaluation, score: str) -> list[tuple[Row, ...]]:
    """Return the curves that have that score at every size."""
    curves = (c for c in _curves(evaluation) if c[0].vote == "average")
    return [c for c in curves if all(getattr(row, f"{score}_mean") is not None for row in c)]


def _score_spread(curve: tuple[Row, ...], score: str) -> tuple[float, ...] | None:
    """Return the standard deviations (n - 1) over the draws; None for one draw, or a record that lacks them."""
    draws = [getattr(row, f"{score}s") or () for row in curve]
    return tuple(stdev(some) for some in draws) if all(len(some) > 1 for some in draws) else None


def _drawn(settings: Settings) -> str:
    """Return how many ensembles a point averages."""
    if settings.grouped:
        return _BUDGET
    return _DRAW if settings.repeats == 1 else _DRAWS.format(repeats=settings.repeats)


def _curves(evaluation: Evaluation) -> list[tuple[Row, ...]]:
    """Return all curves that have points: the drawn weightings first, all states before last ones."""
    settings = evaluation.settings
    ordered = sorted(settings.weightings, key=lambda w: w not in DRAWN)
    keys = [(m, w, v) for v in settings.votes for w in ordered for m in sorted(evaluation.distinct)]
    return [curve for key in keys if (curve := evaluation.curve(*key))]


def _name(evaluation: Evaluation, row: Row) -> str:
    """Return the name of the row's curve: its weights, and its members if there are several choices."""
    if evaluation.single_states:
        return legible(row.weights)
    return legible(curve_title(row.members, row.weights, ", "))


def _series(
    evaluation: Evaluation,
    curve: tuple[Row, ...],
    values: Sequence[float | None],
    spread: tuple[float, ...] | None = None,
) -> Series:
    first = curve[0]
    return Series(
        name=_name(evaluation, first),
        role=role_of(first.weights),
        x=tuple(float(row.size) for row in curve),
        y=tuple(values),
        spread=spread,
        dashed=first.members == "last" and not evaluation.single_states,
        shown=first.weights in DRAWN,
    )


def _spread(curve: tuple[Row, ...]) -> tuple[float, ...] | None:
    found = tuple(row.accuracy_sd for row in curve if row.accuracy_sd is not None)
    return found if len(found) == len(curve) else None


def _curves_in_words(
    what: str,
    curves: Sequence[Series],
    levels: Sequence[Reference],
    value: Callable[[float], str] = percent,
) -> str:
    told = [
        f"{c.name} goes from {value(c.y[0] or 0.0)} at {c.x[0]:g} to {value(c.y[-1] or 0.0)} at {c.x[-1]:g}"
        for c in curves
        if c.shown
    ] + [f"{level.name} at {value(level.value)}" for level in levels]
    return legible(f"{what}: {'; '.join(told)}.")


def _rows_table(curves: Sequence[tuple[Row, ...]]) -> Table:
    scores = ("NLL", "Brier", "ECE", "AUROC", "bound", "diversity")
    columns = ("runs", "members", "weights", "accuracy", "± sd", *scores)
    rows = tuple(
        (
            *(row.size, row.members, row.weights, row.accuracy_mean, row.accuracy_sd),
            *(row.nll_mean, row.brier_mean, row.ece_mean, row.auroc_mean, row.bound_mean),
            row.diversity_mean,
        )
        for curve in curves
        for row in curve
    )
    return Table(columns, rows)


def bound_figure(evaluation: Evaluation) -> Figure:
    """Return the tandem bound on the risk of the majority vote by number of runs, before and after weighing."""
    curves = [c for c in _curves(evaluation) if c[0].vote == "majority" and c[0].bound_mean is not None]
    series = tuple(_series(evaluation, c, [row.bound_mean for row in c]) for c in curves)
    return Figure(
        key="bound",
        title="The tandem bound, before and after weighing",
        caption=(
            "Upper bound (tandem-kl) on the risk of the majority vote. Lower is better, 100% promises nothing. "
            "Tandem weights minimise it. As a certificate it is loose."
        ),
        alt=legible(
            "Tandem bound against the number of runs: "
            + "; ".join(f"{s.name} ends at {percent(s.y[-1] or 0.0)}" for s in series if s.shown)
            + "."
        ),
        x_title="runs in the ensemble",
        panels=(Panel("lines", "bound on the risk", series, _nothing(series), percent=True),),
        table=_rows_table(curves),
    )


def _nothing(series: Sequence[Series]) -> tuple[Reference, ...]:
    """Return the line from which on a bound promises nothing, if one reaches it."""
    reached = any(y is not None and y >= 1 for one in series for y in one.y)
    return (Reference("promises nothing", "best", 1.0),) if reached else ()
