"""Tables of the argument's experiment: a few sizes for a page, all sizes, and the vote of ever more members."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from comitia.evaluation.table_formats import Cell, Column, Table
from comitia.paper.argument.record import Argument, Case, SizeRow, Spread


@dataclass(frozen=True)
class _Quantity:
    """A field of a row, the title of its column, and whether a column of its deviation follows."""

    field: str
    title: str
    decimals: int = 4
    spread: bool = True

    def columns(self, members: int) -> list[Column]:
        title = self.title.format(members=members)
        sd = [Column(f"{title} sd", self.decimals)] if self.spread else []
        return [Column(title, self.decimals), *sd]

    def cells(self, row: SizeRow) -> list[Cell]:
        found: Spread = getattr(row, self.field)
        return [found.mean, *([found.sd] if self.spread else [])]


_SHORT = (
    _Quantity("bayes", "Bayes"),
    _Quantity("sampled", "{members} draws", spread=False),
    _Quantity("uniform", "uniform"),
    _Quantity("tandem", "tandem"),
    _Quantity("bound", "bound", 3, spread=False),
    _Quantity("posterior_disagreement", "posterior disagrees", 3, spread=False),
    _Quantity("member_disagreement", "members disagree", 3, spread=False),
    _Quantity("posterior_effective", "posterior effective", 1, spread=False),
    _Quantity("member_effective", "members effective", 1, spread=False),
)
_ALL = (
    _Quantity("bayes", "Bayes"),
    _Quantity("sampled", "{members} draws"),
    _Quantity("single", "fewest errors"),
    _Quantity("member", "one member"),
    _Quantity("uniform", "uniform"),
    _Quantity("tandem", "tandem"),
    _Quantity("bound", "bound", 3),
    _Quantity("posterior_disagreement", "posterior disagrees"),
    _Quantity("member_disagreement", "members disagree"),
    _Quantity("posterior_effective", "posterior effective", 2),
    _Quantity("member_effective", "members effective", 2),
)
_TERMINAL = ("truth", "samples", "best single", "lowest", "Bayes", "uniform", "tandem", "bound")
_CASE = (Column("truth"), Column("samples", 0), Column("best single", 4), Column("lowest", 4))


def argument_table(argument: Argument) -> Table:
    """Return the smallest, the middle and the largest size of every case."""
    sizes = [row.samples for row in argument.cases[0].rows]
    shown = {sizes[0], sizes[len(sizes) // 2], sizes[-1]}
    return _table("Exact risks, means over the repeats", argument, _SHORT, shown)


def argument_summary(argument: Argument) -> Table:
    """Return the same sizes with the columns that fit a terminal."""
    table = argument_table(argument)
    places = [k for k, column in enumerate(table.columns) if column.title in _TERMINAL]
    rows = tuple(tuple(row[k] for k in places) for row in table.rows)
    columns = tuple(table.columns[k] for k in places)
    return replace(table, columns=columns, rows=rows, notes=table.notes[:2])


def argument_rows(argument: Argument) -> Table:
    """Return every size of every case, each mean with its standard deviation."""
    sizes = {row.samples for case in argument.cases for row in case.rows}
    return _table("Exact risks, means and standard deviations over the repeats", argument, _ALL, sizes)


def _table(title: str, argument: Argument, quantities: Sequence[_Quantity], sizes: Collection[int]) -> Table:
    members = argument.settings.members
    columns = [column for quantity in quantities for column in quantity.columns(members)]
    rows = tuple(
        (*_case_cells(case, row), *(cell for quantity in quantities for cell in quantity.cells(row)))
        for case in argument.cases
        for row in case.rows
        if row.samples in sizes
    )
    return Table(title, (*_CASE, *columns), rows, _notes(argument))


def _case_cells(case: Case, row: SizeRow) -> tuple[Cell, ...]:
    return (case.name, row.samples, case.best_single, case.best_possible)


def _notes(argument: Argument) -> tuple[str, ...]:
    settings = argument.settings
    return (
        f"Means over {settings.repeats} training sets. Best single: the smallest risk of a hypothesis. Lowest: the "
        "smallest risk of any classifier.",
        f"Bound: tandem-kl at the tandem weights, from {settings.holdout} hold-out samples, delta = "
        f"{settings.delta:g}.",
        "Disagrees: probability that two of them differ. Effective: 1 / (sum of squared shares of the hypotheses).",
    )


def cancellation_table(argument: Argument) -> Table:
    """Return the uniform vote of ever more members, beside what independent errors would give."""
    columns = (
        Column("members", 0),
        Column("largest risk", 4),
        Column("uniform", 4),
        Column("uniform sd", 4),
        Column("exact if independent", 4),
        Column("bound if independent", 4),
    )
    rows = tuple(
        (row.members, row.largest.mean, row.uniform.mean, row.uniform.sd, row.exact.mean, row.bound.mean)
        for row in argument.cancellation
    )
    case = argument.cases[0]
    note = (
        f"Truth {case.name}, {case.rows[-1].samples} training samples, means over {argument.settings.repeats} training "
        "sets. The last two columns assume independent errors, which the members do not make."
    )
    return Table("The uniform vote of ever more members", columns, rows, (note,))
