"""The page of a comparison: ensembles side by side, what their differences say, the temperatures of the chains."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comitia.evaluation.comparison import Comparison, comparison_table, with_spreads
from comitia.evaluation.findings import HELD, MANY, NOT_HELD, RULE, UNDECIDED
from comitia.pages.chain_temperatures import Chain, read_chain
from comitia.pages.figure import Cell, Figure, Table, percent
from comitia.pages.markup import Markup, element, table
from comitia.pages.material import RUN, file_text, json_object
from comitia.pages.page import document, figure_block, hero
from comitia.pages.sections import findings_table, run_section, section
from comitia.pages.temperature_figures import temperature_figure
from comitia.pages.verdict import Fact, Verdict

COMPARISON = "comparison.json"
TEMPERATURES = (
    "Both temperatures must be T if a chain samples the posterior at T. Kinetic above T: the minibatch's noise or the "
    "step adds heat. Configurational off: the chain is not stationary. Both right is necessary, not sufficient."
)


@dataclass(frozen=True)
class Contents:
    """What the page of a comparison is made of; `run` is how it came about."""

    record: Comparison
    chains: tuple[Chain, ...] = ()
    run: dict[str, Any] | None = None


def holds_comparison(path: str | Path) -> bool:
    """Whether the path is a comparison's record or a folder that holds one."""
    place = Path(path)
    return place.name == COMPARISON or (place / COMPARISON).exists()


def read_contents(path: str | Path) -> Contents:
    """The comparison at the path, `run.json` beside it, and the temperatures in the logs of its chains."""
    place = Path(path)
    file = place / COMPARISON if place.is_dir() else place
    record = Comparison.from_json(file_text(file), source=str(file))
    own = [name for name, ensemble in record.ensembles.items() if ensemble.last_of is None]
    chains = [chain for name in own if (chain := read_chain(file.parent, name)) is not None]
    run = file.with_name(RUN)
    return Contents(record, tuple(chains), json_object(run) if run.exists() else None)


def comparison_page(contents: Contents, plotly_js: str) -> str:
    """The whole HTML text of a comparison; `plotly_js` is the drawing library, put in as it is."""
    record = contents.record
    drawn = [figure for chain in contents.chains if (figure := temperature_figure(chain)) is not None]
    figures = [("comparison-", figure) for figure in drawn]
    lines = with_spreads(comparison_table(record))
    titles = tuple(column.title for column in lines.columns)
    body = [
        hero(comparison_verdict(record), record.name, "h1"),
        section(
            "Side by side",
            table(Table(titles, lines.rows), "Ensembles side by side", numeric=(True,) * len(titles)),
            element("p", lines.notes[0], class_="note"),
            key="lines",
        ),
        _findings(record),
        _temperatures(figures),
        section("Protocol and data", table(Table(("what", "value"), tuple(_protocol(record))), "Protocol")),
        run_section(contents.run),
    ]
    return document(record.name, figures, [part for part in body if part is not None], plotly_js)


def comparison_verdict(record: Comparison) -> Verdict:
    """What is said first: the extent of the comparison and the range of accuracies, no winner picked by looking."""
    asked, found = record.settings, Counter(finding.verdict for finding in record.findings)
    counted = f"{len(record.ensembles)} ensembles"
    return Verdict(
        kind="Comparison",
        headline=f"{counted}, {asked.budget:,} training epochs each",
        text=_range_in_words(record),
        facts=(
            Fact("Ensembles", str(len(record.ensembles)), "trained by one program on the same samples"),
            Fact("Epochs of each", f"{asked.budget:,}", "over all its runs"),
            Fact("Repeats", f"{asked.repeats:,}", "trained anew with other seeds"),
            Fact(
                "Comparisons held",
                f"{found[HELD]} of {len(record.findings)}",
                f"{found[NOT_HELD]} not held, {found[UNDECIDED]} not decidable at this scale",
            ),
        ),
        assumptions=(
            "Equal epochs, not equal time; the seconds of each stand under “How it was made”.",
            f"A certificate holds alone, with probability {1 - asked.delta:g}; shown are means of certificates.",
            "Spreads are over few repeats on the same test samples; intervals have the noise of both.",
        ),
        warnings=(*record.notes, *_missing(record)),
    )


def _range_in_words(record: Comparison) -> str:
    first = record.lines[0].weights
    lines = sorted(
        (line for line in record.lines if line.weights == first), key=lambda one: one.mean("accuracy")
    )
    low, high = lines[0], lines[-1]
    return (
        f"With {first} weights the average vote is right on {percent(low.mean('accuracy'), 2)} ({low.ensemble}) to "
        f"{percent(high.mean('accuracy'), 2)} ({high.ensemble}) of the test samples. Which differences are more than "
        "noise is said below, comparison by comparison."
    )


def _missing(record: Comparison) -> Iterator[str]:
    asked = record.settings.repeats
    for line in record.lines:
        if len(line.members) != asked:
            yield f"{line.ensemble}, {line.weights} weights: {len(line.members)} of {asked} repeats"


def _findings(record: Comparison) -> Markup | None:
    """Every comparison, by what it asks, with its verdict."""
    if not record.findings:
        return None
    summary = element("summary", element("span", f"All {len(record.findings)} comparisons", class_="name"))
    folded = element("details", summary, findings_table(record.findings, "Comparisons"))
    return section(
        "What the numbers say",
        element("p", f"{RULE} {MANY}".replace("*", ""), class_="note"),
        element("article", folded, class_="claim"),
        key="findings",
    )


def _temperatures(figures: list[tuple[str, Figure]]) -> Markup | None:
    if not figures:
        return None
    blocks = [figure_block(figure, prefix + figure.key) for prefix, figure in figures]
    return section(
        "Temperatures of the chains", element("p", TEMPERATURES, class_="note"), *blocks, key="temperatures"
    )


def _protocol(record: Comparison) -> Iterator[tuple[Cell, ...]]:
    yield "seed of the evaluation", str(record.settings.seed)
    yield "δ", record.settings.delta
    for name, one in record.ensembles.items():
        of = f"the last states of {one.last_of}" if one.last_of is not None else f"strategy {one.strategy}"
        yield name, f"{of}, {one.epochs:,} epochs"
    for name, digest in record.predictions.items():
        yield f"sha256 of the test predictions, {name}", digest
