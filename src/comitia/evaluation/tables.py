"""Tables of an evaluation: all rows, the largest size, curves by size, and ours beside the paper's."""

import math

from comitia.evaluation.records import EARLY_STOPPING, Evaluation, Row, SingleBest
from comitia.evaluation.references import Reference
from comitia.evaluation.scores import DEFINITIONS
from comitia.evaluation.table_formats import Cell, Column, Table

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
    notes = (
        f"Best single member: {_single(evaluation.single_best)}.",
        f"Bound: delta = {evaluation.settings.delta:g}, {DEFINITIONS['bound']}. sd: {DEFINITIONS['sd']}.",
        f"NLL: {DEFINITIONS['nll']}. Brier: {DEFINITIONS['brier']}. ECE: {DEFINITIONS['ece']}. AUROC: "
        f"{DEFINITIONS['auroc']}.",
    )
    known = all(row.diversity_mean is not None for row in rows)
    more = _AS_THE_AUTHORS if known else ()
    told = tuple(f"{title}: {DEFINITIONS[word]}." for title, word in _AUTHORS_WORDS) if known else ()
    cells = tuple((*_cells(row), *(_authors_cells(row) if known else ())) for row in rows)
    return Table("Accuracy, scores and bounds", (*_ROWS, *more), cells, (*notes, *told))


def _cells(row: Row) -> tuple[Cell, ...]:
    scores = (row.nll_mean, row.brier_mean, row.ece_mean, row.auroc_mean, row.bound_mean)
    named = (row.size, row.members, row.weights, row.vote, row.accuracy_mean, row.accuracy_sd)
    return (*named, *scores, row.effective_mean)


# By the authors' definitions; records of earlier versions have no diversity, and their tables stay as they were.
_AS_THE_AUTHORS = (Column("sd (n)", 4), Column("diversity", 4))
_AUTHORS_WORDS = (("sd (n)", "sd_population"), ("diversity", "diversity"))


def _authors_cells(row: Row) -> tuple[Cell, ...]:
    return row.accuracy_sd_population, row.diversity_mean


def _single(single: SingleBest) -> str:
    ours = f"accuracy {single.accuracy_mean:.4f} (chosen on one half, scored on the other)"
    if single.accuracy_max is None:
        return ours
    return f"{ours}; as the authors take it, the best on the scored half itself, {single.accuracy_max:.4f}"


# `states`, not `members`: with early-stopping among the weights the table just fits 80 columns
_SUMMARY = (
    Column("states"),
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
    bound = f"tandem-kl on the risk, delta {evaluation.settings.delta:g}"
    if evaluation.estimated:
        bound = "none, out-of-fold predictions promise nothing"
    notes = (
        f"Best single member: accuracy {single:.4f}. Bound: {bound}. In use: effective number of members.",
    )
    return Table("Largest ensembles", _SUMMARY, cells, notes)


def by_size(evaluation: Evaluation) -> Table:
    """Return accuracy ± standard deviation of the first vote: one line per size, one column per curve."""
    s, vote = evaluation.settings, evaluation.settings.votes[0]
    keys = [(m, weights, vote) for m in evaluation.distinct for weights in s.weightings_of(m)]
    columns = (Column("runs", 0), *(Column(curve_title(*key[:2])) for key in keys))
    curves = [{row.size: row for row in evaluation.curve(*key)} for key in keys]
    cells = tuple((size, *(_plus_minus(curve.get(size)) for curve in curves)) for size in s.sizes)
    return Table(f"Accuracy of the {vote} vote by number of runs", columns, cells)


def curve_title(members: str, weights: str, between: str = " ") -> str:
    """Return the name of a curve; early stopping chooses among all states, so that they need not be named.

    >>> curve_title("all", "tandem"), curve_title("all", "early-stopping")
    ('tandem all', 'early stopping')
    """
    return "early stopping" if weights == EARLY_STOPPING else f"{weights}{between}{members}"


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
    Column("diff.", 4),
)


def beside_paper(evaluation: Evaluation) -> Table:
    """Return our numbers beside the paper's, at its size where that was evaluated, else at our largest.

    Under a budget of epochs the paper does not say of which size its numbers are: ours are those of the best size.
    Accuracies, single network, Bayes ensemble and other numbers of the literature, bounds.
    """
    keys = dict.fromkeys(row.key for row in evaluation.rows)
    accuracies = [_beside(evaluation, key, "accuracy") for key in keys]
    bounds = [_beside(evaluation, key, "bound") for key in keys if key[2] == "majority"]
    alone = _best_single(evaluation)
    elsewhere = [_elsewhere(reference) for reference in evaluation.references if reference.kind != "paper"]
    title = f"{evaluation.name or 'evaluation'}: ours beside the paper's"
    notes = [_DELTA.format(evaluation.settings.delta)]
    notes += [_BEST] if evaluation.settings.grouped else []
    sources = dict.fromkeys(reference.source for reference in evaluation.references if reference.source)
    notes += [f"{_FROM} {', '.join(sources)}."] if sources else []
    return Table(title, _BESIDE, (*accuracies, *alone, *elsewhere, *bounds), tuple(notes))


def _best_single(evaluation: Evaluation) -> list[tuple[Cell, ...]]:
    """The best single member as we choose it and, where the record has it, as the authors do: the paper's is that."""
    single, paper = evaluation.single_best, _find(evaluation, "accuracy", "single", None, None)
    beside = paper if single.accuracy_max is None else None
    found = [_line("accuracy", ("best single", None, None), single.accuracy_mean, None, 1, beside)]
    if single.accuracy_max is not None:
        named = ("best single, hindsight", None, None)
        found.append(_line("accuracy", named, single.accuracy_max, None, 1, paper))
    return found


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
    "the samples (the paper prints 1 - risk). diff.: ours less the paper's."
)
_FROM = "Named methods with their number of members in brackets are from the literature:"
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
