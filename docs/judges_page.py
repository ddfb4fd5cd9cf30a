"""Write the numbers of docs/judges.md: python docs/judges_page.py llm-judges.csv

Run it after changes to what they show. The table is that of JudgeBench's published outputs: item, source, judge,
round, answer, label. Commands are run as the page shows them; the rest is computed with the library.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import fill

import numpy as np

from comitia import Ensemble, Predictions, read_predictions, weigh
from comitia._certificate import percent_up
from comitia._votes import certified_losses, ensemble_probabilities
from comitia.bounds.group_mean import group_mean
from comitia.evaluation import Dropping, drop_members
from comitia.evaluation.dropping import Without
from comitia.evaluation.table_formats import Column as Head
from comitia.evaluation.table_formats import Table as Grid
from comitia.evaluation.table_formats import markdown
from comitia.statistics import effective_members, error_correlations, measure

PAGE = Path(__file__).parent / "judges.md"
BEGIN, END = "<!-- {}: from the table of judges -->\n", "<!-- end of {} -->\n"
TIE = "A=B"
READ = f'--rounds agree --abstain "{TIE}"'
#: What is shown of the output of weigh: all before the certificates, then the promise.
HIDDEN_FROM, SHOWN_FROM, SHOWN_TO = " certificate ", "Promise", "Provided"


def panel(path: Path, rounds: str = "agree", group: str | None = None) -> Predictions:
    """Return the predictions of the table as the page reads them."""
    return read_predictions(path, rounds=rounds, abstain=TIE, group=group)


def printed(path: Path, options: str = "") -> list[str]:
    """Return the lines that `comitia weigh` prints, on standard error if it refuses."""
    words = [sys.executable, "-m", "comitia", "weigh", path.name, *shlex.split(options)]
    environment = {**os.environ, "COLUMNS": "110"}
    done = subprocess.run(words, cwd=path.parent, capture_output=True, text=True, env=environment)
    return [line.rstrip() for line in (done.stdout or done.stderr).splitlines()]


def block(path: Path, options: str, lines: list[str]) -> str:
    """Return a command and some of its output as a block of text."""
    command = f"$ comitia weigh {path.name} {options}".rstrip()
    return "\n".join(["```text", command, *lines, "```"]) + "\n"


def refused_text(path: Path) -> str:
    """Return what is said of the table without options."""
    return block(path, "", fill(" ".join(printed(path)), 118, break_on_hyphens=False).splitlines())


def weighed_text(path: Path, options: str) -> str:
    """Return the command with its members and its promise."""
    lines = printed(path, options)
    end = next(k for k, line in enumerate(lines) if line.startswith(HIDDEN_FROM))
    start = next(k for k, line in enumerate(lines) if line.startswith(SHOWN_FROM))
    stop = next(k for k, line in enumerate(lines) if line.startswith(SHOWN_TO))
    head = [line for line in lines[:end] if line]
    return block(path, options, [*head, "…", *lines[start:stop], "…"])


def judges_text(six: Predictions, ensemble: Ensemble) -> str:
    """Return the table of the judges: how often each is right, wrong and silent."""
    silent = six.abstained()
    assert silent is not None
    assert six.labels is not None
    right = (six.votes() == six.labels) & ~silent
    counts = [right.sum(axis=1), (~right & ~silent).sum(axis=1), silent.sum(axis=1)]
    whole = (Head("right", 0), Head("wrong", 0), Head("no answer", 0))
    rows = zip(
        six.names, *(some.tolist() for some in counts), ensemble.member_risks, ensemble.weights.tolist()
    )
    heads = (Head("judge"), *whole, Head("error", 3), Head("weight", 3))
    return markdown(Grid("", heads, tuple(rows))) + "\n" + _wrapped(_leader(six, ensemble))


def _leader(six: Predictions, ensemble: Ensemble) -> str:
    """Who decides: a judge with more than half of the weight does so alone wherever it answers."""
    first, silent = int(ensemble.weights.argmax()), six.abstained()
    assert silent is not None
    if ensemble.weights[first] <= 0.5:
        return "No judge decides alone."
    return (
        f"{six.names[first]} has more than half of the weight. Where it answers, it decides. The other "
        f"{six.members - 1} decide the {silent[first].sum()} items on which it does not."
    )


def uniform_text(six: Predictions, ensemble: Ensemble) -> str:
    """Return how both panels do on all items."""
    equal = np.full(six.members, 1 / six.members)
    heads = (Head("panel"), Head("errors", 0), Head("of these, no answer leads", 0), Head("error rate", 3))
    rows = [_counted("equal weights", six, equal), _counted("weighed", six, ensemble.weights)]
    return markdown(Grid("", heads, tuple(rows)))


def _counted(name: str, six: Predictions, weights: np.ndarray) -> tuple[str | float | None, ...]:
    losses, shares = certified_losses(six, weights), ensemble_probabilities(six, weights)
    ties = np.isclose(*np.sort(shares, axis=1)[:, -2:].T)
    return (name, float(losses.sum()), float(ties.sum()), float(losses.mean()))


def promises_text(path: Path) -> str:
    """Return what is promised of each panel, with items and with sources as independent draws."""
    apart, together = panel(path), panel(path, group="source")
    asked: list[tuple[str, str, dict[str, object]]] = [
        ("weighed", "", {}),
        ("weighed, half kept", "`--certify-fraction .5`", {"certify_fraction": 0.5}),
        ("equal weights", "`--method uniform`", {"method": "uniform"}),
        ("one judge, chosen", "`--method best`", {"method": "best"}),
    ]
    heads = tuple(map(Head, ("panel", "options", "items are independent", "sources are (`--group source`)")))
    rows = [(name, flags, _risk(apart, more), _risk(together, more)) for name, flags, more in asked]
    return markdown(Grid("", heads, tuple(rows))) + "\n" + _wrapped(_limit(together))


def _risk(predictions: Predictions, more: dict[str, object]) -> str:
    best = weigh(predictions, **more).promised  # type: ignore[arg-type]
    unit = "items" if best.unit == "samples" else "sources"
    return "nothing" if best.vacuous else f"{percent_up(best.risk)}, from {best.samples} {unit}"


def _limit(together: Predictions) -> str:
    assert together.groups is not None
    count = together.groups.count
    least = percent_up(group_mean([0] * count, [20] * count, count))
    return f"A panel that never erred on {count} sources could be promised no less than {least}."


def effective_text(six: Predictions, twelve: Predictions, ensemble: Ensemble) -> str:
    """Return the numbers of effective judges, and the correlations of their errors."""
    hard, double = measure(six), measure(twelve)
    pairs = error_correlations(hard)[np.triu_indices(six.members, 1)]
    heads = (Head("panel"), Head("members", 0), Head("effective members", 2))
    rows = (
        ("judges, equal weights", six.members, effective_members(hard)),
        ("judges, weighed", len(ensemble.active), effective_members(hard, ensemble.weights)),
        ("each order as a member, equal weights", twelve.members, effective_members(double)),
    )
    about = (
        f"The errors of two judges correlate by {pairs.min():.2f} to {pairs.max():.2f}, on average by "
        f"{pairs.mean():.2f}."
    )
    return f"{markdown(Grid('', heads, rows))}\n{_wrapped(about)}"


def dropping_text(found: Dropping) -> str:
    """Return what leaving judges out costs."""
    heads = (Head("left out"), Head("judges left", 0), Head("error", 3), Head("certified risk", 3))
    named = [("nobody", found.whole), *((one.dropped[0], one) for one in found.alone)]
    named += [(f"… and {one.dropped[-1]}", one) for one in found.stepwise[1:]]
    first = found.stepwise[0].dropped[0]
    order = f"The last rows drop more and more, beginning with {first}. {found.note.capitalize()}."
    rows = tuple(_line(name, one) for name, one in named)
    return f"{markdown(Grid('', heads, rows))}\n{_wrapped(order)}\n{_wrapped(_smallest(found))}"


def _smallest(found: Dropping) -> str:
    """The smallest panel on the way whose certified risk is not above that of all."""
    assert found.whole.risk is not None
    names = [one.dropped[0] for one in found.alone]
    least = min(
        (
            one
            for one in (found.whole, *found.stepwise)
            if one.risk is not None and one.risk <= found.whole.risk
        ),
        key=lambda one: one.members,
    )
    if least is found.whole:
        return f"No smaller panel on this way is certified as low as all {len(names)}."
    kept = " and ".join(name for name in names if name not in least.dropped)
    return f"The smallest panel on this way that is certified as low as all {len(names)} has {least.members}: {kept}."


def _line(name: str, one: Without) -> tuple[str | float | None, ...]:
    return (name, one.members, one.error, one.risk)


def _wrapped(text: str) -> str:
    return fill(text, 118, break_on_hyphens=False) + "\n"


def parts(path: Path) -> dict[str, str]:
    """Return the generated parts of the page by their names."""
    six, twelve = panel(path), panel(path, "members")
    ensemble = weigh(six)
    return {
        "refused": refused_text(path),
        "weighed": weighed_text(path, READ),
        "judges": judges_text(six, ensemble),
        "uniform": uniform_text(six, ensemble),
        "promises": promises_text(path),
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
