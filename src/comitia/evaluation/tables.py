"""Tables of an evaluation: one record, written as Markdown, LaTeX (booktabs) or CSV."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError
from comitia.evaluation.records import Evaluation, Reference, Row
from comitia.evaluation.scores import DEFINITIONS

Cell = str | float | None
FORMATS = (".md", ".tex", ".csv")


@dataclass(frozen=True)
class Column:
    """A column: its title, and how many decimals its numbers are shown with (None: text)."""

    title: str
    decimals: int | None = None


@dataclass(frozen=True)
class Table:
    """A table: its title, columns, rows of cells (None is an empty one) and notes below it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def shown(self, empty: str = "–") -> list[list[str]]:
        """Return the cells as text, numbers with the decimals of their column."""
        return [[_shown(cell, c.decimals, empty) for cell, c in zip(row, self.columns)] for row in self.rows]


def _shown(cell: Cell, decimals: int | None, empty: str) -> str:
    if cell is None:
        return empty
    return str(cell) if isinstance(cell, str) or decimals is None else f"{cell:.{decimals}f}"


def markdown(table: Table) -> str:
    """Return the table as Markdown; bars in cells are escaped.

    >>> print(markdown(Table("t", (Column("vote"), Column("risk", 2)), (("a|b", 0.123),))), end="")
    | vote | risk |
    |---|--:|
    | a\\|b | 0.12 |
    """
    rule = "|".join("---" if column.decimals is None else "--:" for column in table.columns)
    lines = [f"| {' | '.join(c.title for c in table.columns)} |", f"|{rule}|"]
    lines += [f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in table.shown()]
    notes = "".join(f"\n{note}\n" for note in table.notes)
    return "\n".join(lines) + "\n" + notes


_LATEX = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex(table: Table) -> str:
    """Return the table as a LaTeX `tabular` for the package booktabs; special characters are escaped."""
    layout = "".join("l" if column.decimals is None else "r" for column in table.columns)
    head = " & ".join(_escaped(column.title) for column in table.columns)
    body = [" & ".join(_escaped(text) for text in row) + r" \\" for row in table.shown("--")]
    lines = [rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}", r"\toprule", head + r" \\", r"\midrule", *body]
    notes = [f"% {' '.join(note.split())}" for note in (table.title, *table.notes)]
    return "\n".join([*notes, *lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def csv_text(table: Table) -> str:
    """Return the table as CSV with all digits; empty cells are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.title for column in table.columns])
    writer.writerows([["" if cell is None else cell for cell in row] for row in table.rows])
    return stream.getvalue()


def render(table: Table, path: str | Path) -> str:
    """Return the table's text in the format that the path's ending names."""
    writers = {".md": markdown, ".tex": latex, ".csv": csv_text}
    ending = Path(path).suffix.lower()
    if ending not in writers:
        raise InputError(f"{path}: the name of a table must end in {', '.join(FORMATS)}, got '{ending}'")
    return writers[ending](table)


_ROWS = (
    Column("runs", 0),
    Column("members"),
    Column("weights"),
    Column("vote"),
    Column("accuracy", 4),
    Column("sd", 4),
    Column("NLL", 4),
    Column("Brier", 4),
    Column("ECE", 4),
    Column("AUROC", 4),
    Column("bound (risk)", 3),
    Column("effective members", 1),
)


def all_rows(evaluation: Evaluation, *, size: int | None = None) -> Table:
    """Return every row of the evaluation, or those of one size."""
    rows = [row for row in evaluation.rows if size in (None, row.size)]
    single = evaluation.single_best
    notes = (
        f"Best single member: accuracy {single.accuracy_mean:.4f} (chosen on one half, scored on the other).",
        f"Bound: delta = {evaluation.settings.delta:g}, {DEFINITIONS['bound']}. sd: {DEFINITIONS['sd']}.",
        f"NLL: {DEFINITIONS['nll']}. Brier: {DEFINITIONS['brier']}. ECE: {DEFINITIONS['ece']}. AUROC: "
        f"{DEFINITIONS['auroc']}.",
    )
    return Table("Accuracy, scores and bounds", _ROWS, tuple(_cells(row) for row in rows), notes)


def _cells(row: Row) -> tuple[Cell, ...]:
    scores = (row.nll_mean, row.brier_mean, row.ece_mean, row.auroc_mean, row.bound_mean)
    named = (row.size, row.members, row.weights, row.vote, row.accuracy_mean, row.accuracy_sd)
    return (*named, *scores, row.effective_mean)


_SUMMARY = (
    Column("members"),
    Column("weights"),
    Column("vote"),
    Column("accuracy", 4),
    Column("sd", 3),
    Column("NLL", 3),
    Column("ECE", 3),
    Column("bound", 3),
    Column("in use", 1),
)


def summary(evaluation: Evaluation) -> Table:
    """Return the rows of the largest size with the columns that fit a terminal."""
    largest = (row for row in evaluation.rows if row.size == evaluation.settings.sizes[-1])
    rows = [row for row in largest if row.members in evaluation.distinct]
    cells = tuple(
        (*r.key, r.accuracy_mean, r.accuracy_sd, r.nll_mean, r.ece_mean, r.bound_mean, r.effective_mean)
        for r in rows
    )
    single = evaluation.single_best.accuracy_mean
    notes = (
        f"Best single member: accuracy {single:.4f}. Bound: tandem-kl on the risk, delta "
        f"{evaluation.settings.delta:g}. In use: effective number of members.",
    )
    return Table("Largest ensembles", _SUMMARY, cells, notes)


def by_size(evaluation: Evaluation) -> Table:
    """Return accuracy ± standard deviation of the first vote: one line per size, one column per curve."""
    s, vote = evaluation.settings, evaluation.settings.votes[0]
    keys = [(members, weights, vote) for members in evaluation.distinct for weights in s.weightings]
    columns = (Column("runs", 0), *(Column(f"{weights} {members}") for members, weights, _ in keys))
    curves = [{row.size: row for row in evaluation.curve(*key)} for key in keys]
    cells = tuple((size, *(_plus_minus(curve.get(size)) for curve in curves)) for size in s.sizes)
    return Table(f"Accuracy of the {vote} vote by number of runs", columns, cells)


def _plus_minus(row: Row | None) -> str | None:
    if row is None or row.accuracy_sd is None:
        return None if row is None else f"{row.accuracy_mean:.4f}"
    return f"{row.accuracy_mean:.4f} ± {row.accuracy_sd:.4f}"


_BESIDE = (
    Column("quantity"),
    Column("members"),
    Column("weights"),
    Column("vote"),
    Column("ours", 4),
    Column("sd", 4),
    Column("runs", 0),
    Column("paper", 3),
    Column("paper's runs", 0),
    Column("difference", 4),
)


def beside_paper(evaluation: Evaluation) -> Table:
    """Return our numbers beside the paper's, at its size where that was evaluated, else at our largest.

    Under a budget of epochs the paper does not say of which size its numbers are: ours are those of the best size.
    Accuracies, single network, Bayes ensemble and other numbers of the literature, bounds.
    """
    keys = dict.fromkeys(row.key for row in evaluation.rows)
    accuracies = [_beside(evaluation, key, "accuracy") for key in keys]
    bounds = [_beside(evaluation, key, "bound") for key in keys if key[2] == "majority"]
    single = evaluation.single_best
    paper = _find(evaluation, "accuracy", "single", None, None)
    alone = _line("accuracy", ("best single", None, None), single.accuracy_mean, None, 1, paper)
    elsewhere = [_elsewhere(reference) for reference in evaluation.references if reference.kind != "paper"]
    title = f"{evaluation.name or 'evaluation'}: ours beside the paper's"
    notes = (_DELTA.format(evaluation.settings.delta), *((_BEST,) if evaluation.settings.grouped else ()))
    return Table(title, _BESIDE, (*accuracies, alone, *elsewhere, *bounds), notes)


def against_paper(evaluation: Evaluation) -> Table:
    """Return the lines for which the paper has a number, with the columns that fit a terminal."""
    whole = beside_paper(evaluation)
    kept = [i for i, column in enumerate(whole.columns) if column.title not in ("sd", "runs", "paper's runs")]
    paper = [column.title for column in whole.columns].index("paper")
    found = [row for row in whole.rows if row[paper] is not None]
    runs = sorted(
        {(row[6], row[8]) for row in found if row[1] in ("last", "all") and row[6] and row[8]}, key=str
    )
    told = [f"Runs: {ours} of ours, {theirs} of the paper's." for ours, theirs in runs]
    rows = tuple(tuple(row[i] for i in kept) for row in found)
    return Table(whole.title, tuple(whole.columns[i] for i in kept), rows, (*whole.notes, *told))


_DELTA = (
    "Accuracy: mean over the draws. Bound: tandem-kl on the risk of the majority vote at delta = {:g}, from half of "
    "the samples (the paper prints 1 - risk). Difference: ours less the paper's."
)
_BEST = (
    "The paper does not say of which number of runs its numbers under a budget are: ours are those of the best one, "
    "which is chosen by the numbers themselves."
)


def _elsewhere(reference: Reference) -> tuple[Cell, ...]:
    """The line of a Bayes ensemble trained here, which has a vote, or of a number from the literature."""
    named = (reference.quantity, reference.label, reference.weights, reference.vote)
    if reference.vote is not None:
        return (*named, reference.value, None, reference.size, None, None, None)
    return (*named, None, None, None, reference.value, reference.size, None)


def _beside(evaluation: Evaluation, key: tuple[str, str, str], quantity: str) -> tuple[Cell, ...]:
    row, paper = row_beside(evaluation, key, quantity), _find(evaluation, quantity, *key)
    # the paper's bounds are cut off at 1, so ours must be to stand beside them
    bound = None if row.bound_mean is None else min(row.bound_mean, 1.0)
    value = row.accuracy_mean if quantity == "accuracy" else bound
    spread = row.accuracy_sd if quantity == "accuracy" else None
    return _line(quantity, key, value, spread, row.size, paper)


def row_beside(evaluation: Evaluation, key: tuple[str, str, str], quantity: str) -> Row:
    """Return the row of a curve that stands beside a number of the paper.

    That of its size, under a budget of epochs the best, else the largest.
    """
    curve, paper = evaluation.curve(*key), _find(evaluation, quantity, *key)
    if evaluation.settings.grouped and (paper is None or paper.size is None):
        if quantity == "accuracy":
            return max(curve, key=lambda row: row.accuracy_mean)
        return min(curve, key=lambda row: math.inf if row.bound_mean is None else row.bound_mean)
    return next((row for row in curve if paper is not None and row.size == paper.size), curve[-1])


def _line(
    quantity: str,
    key: tuple[str | None, str | None, str | None],
    ours: float | None,
    spread: float | None,
    runs: int,
    paper: Reference | None,
) -> tuple[Cell, ...]:
    if paper is None or ours is None:
        return (quantity, *key, ours, spread, runs, None, None, None)
    return (quantity, *key, ours, spread, runs, paper.value, paper.size, ours - paper.value)


def _find(
    evaluation: Evaluation, quantity: str, members: str, weights: str | None, vote: str | None
) -> Reference | None:
    """The paper's number for that cell, if it has one."""
    for reference in evaluation.references:
        cell = (reference.quantity, reference.members, reference.weights, reference.vote)
        if reference.kind == "paper" and cell == (quantity, members, weights, vote):
            return reference
    return None
