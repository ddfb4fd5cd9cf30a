"""Figures of the argument's experiment: risk and disagreement by training samples, and the vote by members."""

from collections.abc import Sequence

from comitia.pages.figure import Figure, Panel, Reference, Series, Table, percent
from comitia.paper.argument.record import Argument, CancellationRow, Case, Spread

TITLES = {
    "three-sources": "Three sources of nearly equal evidence: errors cancel",
    "uneven-sources": "Three uneven sources: equal weights gain nothing",
    "strong-source": "One source outweighs the others: nothing to gain",
    "well-specified": "The truth is in the class: nothing to gain",
}
# Risks that do not nearly coincide. A band about a disagreement near zero would reach below it.
_BANDS = ("bayes", "uniform", "tandem")
_BAYES, _UNIFORM, _TANDEM = "Bayes, exact posterior", "members, uniform", "members, tandem weights"


def argument_figures(argument: Argument) -> tuple[Figure, ...]:
    """Return one figure per case, and the one of ever more members."""
    return (*(risk_figure(argument, case) for case in argument.cases), cancellation_figure(argument))


def risk_figure(argument: Argument, case: Case) -> Figure:
    """Return the exact risks and the disagreement of two draws by the number of training samples."""
    settings = argument.settings
    draws = f"Bayes, {settings.members} draws"
    risks = (
        _by_samples(case, "bayes", _BAYES, "bayes"),
        _by_samples(case, "sampled", draws, "bayes", dashed=True),
        _by_samples(case, "uniform", _UNIFORM, "uniform"),
        _by_samples(case, "tandem", _TANDEM, "tandem"),
    )
    apart = (
        _by_samples(case, "posterior_disagreement", _BAYES, "bayes"),
        _by_samples(case, "member_disagreement", _UNIFORM, "uniform"),
    )
    levels = (
        Reference("best single hypothesis", "best", case.best_single),
        Reference("lowest possible risk", "first-order", case.best_possible),
    )
    return Figure(
        key=f"risk-{case.name}",
        title=TITLES.get(case.name, case.name),
        caption=(
            f"Exact risks and disagreements, means over {settings.repeats} training sets. The band is ± one standard "
            f"deviation. Tandem weights were chosen on {settings.holdout:,} further samples."
        ),
        alt=_in_words(risks, apart, levels),
        x_title="training samples",
        panels=(
            Panel("lines", "risk", risks, levels, percent=True),
            Panel("lines", "disagreement of two of them", apart, percent=True),
        ),
        table=_table("training samples", (*risks, *apart), ("risk",) * 4 + ("disagreement",) * 2),
        log=True,
    )


def _by_samples(case: Case, field: str, name: str, role: str, *, dashed: bool = False) -> Series:
    places = [float(row.samples) for row in case.rows]
    found = [getattr(row, field) for row in case.rows]
    return _series(name, role, places, found, dashed=dashed, band=field in _BANDS)


def _series(
    name: str,
    role: str,
    x: Sequence[float],
    found: Sequence[Spread],
    *,
    dashed: bool = False,
    band: bool = True,
) -> Series:
    deviations = tuple(one.sd for one in found if one.sd is not None)
    spread = deviations if band and len(deviations) == len(found) else None
    return Series(name, role, tuple(x), tuple(one.mean for one in found), spread, dashed=dashed)


def _in_words(risks: Sequence[Series], apart: Sequence[Series], levels: Sequence[Reference]) -> str:
    told = [f"{s.name} goes from {_ends(s)}" for s in risks] + [
        f"{r.name} is {percent(r.value)}" for r in levels
    ]
    other = [f"{s.name} from {_ends(s)}" for s in apart]
    first, last = risks[0].x[0], risks[0].x[-1]
    return (
        f"Risk against {first:,.0f} to {last:,.0f} training samples: {'; '.join(told)}. Disagreement of two of them: "
        f"{'; '.join(other)}."
    )


def _ends(series: Series) -> str:
    return f"{percent(series.y[0] or 0.0)} to {percent(series.y[-1] or 0.0)}"


def _table(first: str, series: Sequence[Series], what: Sequence[str]) -> Table:
    columns = (first, *(f"{w}: {s.name}" for w, s in zip(what, series)))
    return Table(columns, tuple((int(x), *(s.y[i] for s in series)) for i, x in enumerate(series[0].x)))


def cancellation_figure(argument: Argument) -> Figure:
    """Return the uniform vote of ever more members, beside what independent errors would give."""
    case, rows = argument.cases[0], argument.cancellation
    series = (
        _by_members(rows, "uniform", "members, uniform: true risk", "uniform"),
        _by_members(rows, "exact", "independent errors, exact", "tandem", dashed=True),
        _by_members(rows, "bound", "independent errors, bound", "other", dashed=True),
    )
    levels = (
        Reference("best single hypothesis", "best", case.best_single),
        Reference("lowest possible risk", "first-order", case.best_possible),
    )
    told = "; ".join(f"{s.name} goes from {_ends(s)}" for s in series)
    return Figure(
        key="cancellation",
        title="Errors cancel, but they are not independent",
        caption=(
            f"{case.rows[-1].samples:,} training samples, mean over {argument.settings.repeats} training sets. The "
            "dashed lines assume that members err independently with the largest risk of a member. They do not, so "
            "that with enough members the true risk lies above both."
        ),
        alt=f"Risk against {rows[0].members} to {rows[-1].members} members: {told}.",
        x_title="members",
        panels=(Panel("lines", "risk", series, levels, percent=True),),
        table=_table("members", series, ("risk",) * 3),
        log=True,
    )


def _by_members(
    rows: Sequence[CancellationRow], field: str, name: str, role: str, *, dashed: bool = False
) -> Series:
    places = [float(row.members) for row in rows]
    return _series(name, role, places, [getattr(row, field) for row in rows], dashed=dashed, band=not dashed)
