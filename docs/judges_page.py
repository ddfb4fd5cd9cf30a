"""Write the numbers of docs/judges.md: python docs/judges_page.py llm-judges.csv

Run it after changes to what they show. The table is that of JudgeBench's published outputs: item, source, judge,
round, answer, label.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill

import numpy as np

from comitia import Ensemble, Predictions, weigh
from comitia.evaluation import Dropping, drop_members
from comitia.evaluation.dropping import Without
from comitia.evaluation.table_formats import Column as Head
from comitia.evaluation.table_formats import Table as Grid
from comitia.evaluation.table_formats import markdown
from comitia.files.columns import Column
from comitia.files.long import Gathered, read_long
from comitia.statistics import effective_members, error_correlations, measure

PAGE = Path(__file__).parent / "judges.md"
BEGIN, END = "<!-- {}: from the table of judges -->\n", "<!-- end of {} -->\n"
TIE = "A=B"
NO_ANSWER = "no answer"


class CsvTable:
    """A small CSV file as a table: one batch, every column text."""

    def __init__(self, path: Path) -> None:
        with path.open(newline="", encoding="utf-8") as stream:
            header, *self._rows = csv.reader(stream)
        self.source, self.names = path.name, tuple(header)

    def batches(self, columns: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield all rows at once."""
        yield {name: self._column(self.names.index(name)) for name in columns}

    def _column(self, place: int) -> Column:
        cells = [row[place] for row in self._rows]
        words, codes = np.unique(cells, return_inverse=True)
        return Column(codes, tuple(words.tolist()), np.array([cell == "" for cell in cells]))


def panel(path: Path, repeats: str) -> tuple[Gathered, Predictions]:
    """Return what the table says, and its predictions: an abstention is a vote for a class that is never right."""
    found = read_long(CsvTable(path), group="source", repeats=repeats, abstain=[TIE])
    votes = np.where(found.missing, len(found.classes), found.votes)
    classes = len(found.classes) + 1
    return found, Predictions.from_arrays(
        votes=votes, labels=found.labels, names=found.names, classes=classes
    )


def judges_text(found: Gathered, predictions: Predictions, ensemble: Ensemble) -> str:
    """Return the table of the judges."""
    heads = (Head("judge"), Head("error", 3), Head(NO_ANSWER), Head("weight", 3))
    silent = found.missing.sum(axis=1)
    rows = zip(found.names, ensemble.member_risks, map(str, silent.tolist()), ensemble.weights.tolist())
    return markdown(Grid("", heads, tuple(rows)))


def promise_text(found: Gathered, ensemble: Ensemble, uniform: Ensemble) -> str:
    """Return what is promised of the panel, weighed and unweighed."""
    assert found.groups is not None
    lines = (
        f"{len(found.names)} judges, {len(found.ids)} items from {len(set(found.groups.tolist()))} sources.",
        f"Weights by the tandem bound: {ensemble.best.promise}.",
        f"Uniform weights, which no item chose: {uniform.best.promise}.",
    )
    return "".join(_wrapped(f"- {line}", "  ") for line in lines)


def effective_text(six: Predictions, twelve: Predictions, ensemble: Ensemble) -> str:
    """Return the numbers of effective judges, and the correlations of their errors."""
    hard, double = measure(six), measure(twelve)
    pairs = error_correlations(hard)[np.triu_indices(six.members, 1)]
    heads = (Head("panel"), Head("members"), Head("effective members", 2))
    rows = (
        ("judges, uniform weights", str(six.members), effective_members(hard)),
        ("judges, weighed", str(len(ensemble.active)), effective_members(hard, ensemble.weights)),
        ("each order as a member, uniform weights", str(twelve.members), effective_members(double)),
    )
    about = (
        f"The errors of two judges correlate by {pairs.min():.2f} to {pairs.max():.2f}, on average by "
        f"{pairs.mean():.2f}."
    )
    return f"{markdown(Grid('', heads, rows))}\n{_wrapped(about)}"


def dropping_text(found: Dropping) -> str:
    """Return what leaving judges out costs."""
    heads = (Head("left out"), Head("judges left"), Head("error", 3), Head("certified risk", 3))
    named = [("nobody", found.whole), *((one.dropped[0], one) for one in found.alone)]
    named += [(f"… and {one.dropped[-1]}", one) for one in found.stepwise[1:]]
    first = found.stepwise[0].dropped[0]
    order = f"The last rows drop more and more, beginning with {first}. {found.note.capitalize()}."
    rows = tuple(_line(name, one) for name, one in named)
    return f"{markdown(Grid('', heads, rows))}\n{_wrapped(order)}"


def _line(name: str, one: Without) -> tuple[str | float | None, ...]:
    return (name, str(one.members), one.error, one.risk)


def _wrapped(text: str, indent: str = "") -> str:
    return fill(text, 118, subsequent_indent=indent, break_on_hyphens=False) + "\n"


def parts(path: Path) -> dict[str, str]:
    """Return the generated parts of the page by their names."""
    found, six = panel(path, "agree")
    _, twelve = panel(path, "members")
    ensemble, uniform = weigh(six), weigh(six, method="uniform")
    return {
        "judges": judges_text(found, six, ensemble),
        "promise": promise_text(found, ensemble, uniform),
        "effective": effective_text(six, twelve, ensemble),
        "dropping": dropping_text(drop_members(six)),
    }


def updated(page: str, path: Path) -> str:
    """Return the page with its numbers made anew."""
    for part, made in parts(path).items():
        begin, end = BEGIN.format(part), END.format(part)
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{made}\n{end}{rest.split(end)[1]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), Path(sys.argv[1])), encoding="utf-8")
