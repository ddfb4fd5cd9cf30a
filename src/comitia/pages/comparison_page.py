"""The page of a comparison: ensembles side by side, their differences, the temperatures of the chains."""

from collections import Counter
from collections.abc import Iterator

from comitia.evaluation.comparison import Comparison, comparison_table, with_spreads
from comitia.evaluation.findings import HELD, MANY, NOT_HELD, RULE, UNDECIDED
from comitia.pages import page_parts as html
from comitia.pages.chain_temperatures import temperature_figure
from comitia.pages.figure import Cell, Table, percent
from comitia.pages.frame import document
from comitia.pages.material import ComparisonMaterial
from comitia.pages.page_parts import Fact, Part, Verdict
from comitia.pages.record_page import findings_table, run_section

TEMPERATURES = (
    "A chain that samples the posterior at T has both temperatures equal to T. Kinetic above T: the noise of the "
    "minibatches or the step size adds heat. Configurational not T: the chain is not stationary. Both equal to T is "
    "necessary, not sufficient."
)


def comparison_page(material: ComparisonMaterial) -> str:
    """Return the whole HTML text of a comparison."""
    record, chains = material.record, map(temperature_figure, material.chains)
    figures = html.drawn("comparison-", (figure for figure in chains if figure is not None))
    lines = with_spreads(comparison_table(record))
    titles = tuple(column.title for column in lines.columns)
    side_by_side = html.table(
        Table(titles, lines.rows), "Ensembles side by side", numeric=(True,) * len(titles)
    )
    parts = (
        html.hero(comparison_verdict(record), material.title, 1),
        html.section("Side by side", side_by_side, html.note(lines.notes[0]), key="lines"),
        _findings(record),
        html.figures_part("Temperatures of the chains", figures, html.note(TEMPERATURES), key="temperatures"),
        html.section("Protocol and data", html.key_values("Protocol", _protocol(record)), key="protocol"),
        run_section(material.run),
    )
    return document(material.title, figures, parts)


def comparison_verdict(record: Comparison) -> Verdict:
    """Return what comes first: the extent of the comparison and the range of accuracies, without a winner."""
    asked, found = record.settings, Counter(finding.verdict for finding in record.findings)
    counted = f"{len(record.ensembles)} ensembles"
    return Verdict(
        kind="Comparison",
        headline=f"{counted}, {asked.budget:,} training epochs each",
        text=_range_in_words(record),
        facts=(
            Fact("Ensembles", str(len(record.ensembles)), "trained by one program on the same samples"),
            Fact("Epochs per ensemble", f"{asked.budget:,}", "over all its runs"),
            Fact("Repeats", f"{asked.repeats:,}", "trained again with other seeds"),
            Fact(
                "Comparisons held",
                f"{found[HELD]} of {len(record.findings)}",
                f"{found[NOT_HELD]} not held, {found[UNDECIDED]} not decidable at this scale",
            ),
        ),
        assumptions=(
            "Equal epochs, not equal time. “How it was made” lists the seconds of each.",
            f"A certificate holds by itself, with probability {1 - asked.delta:g}. "
            "The table shows means of certificates.",
            "Spreads are over few repeats on the same test samples. Intervals include the noise of both.",
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
        f"{percent(high.mean('accuracy'), 2)} ({high.ensemble}) of the test samples. The comparisons below say "
        "which differences are more than noise."
    )


def _missing(record: Comparison) -> Iterator[str]:
    asked = record.settings.repeats
    for line in record.lines:
        if len(line.members) != asked:
            yield f"{line.ensemble}, {line.weights} weights: {len(line.members)} of {asked} repeats"


def _findings(record: Comparison) -> Part | None:
    """Return every comparison with its verdict."""
    if not record.findings:
        return None
    rows = html.folded("All comparisons", findings_table(record.findings, "Comparisons"))
    rule = html.note(f"{RULE} {MANY}".replace("*", ""))
    return html.section(
        "What the numbers say", rule, html.element("article", rows, class_="claim"), key="findings"
    )


def _protocol(record: Comparison) -> Iterator[tuple[Cell, ...]]:
    yield "seed of the evaluation", str(record.settings.seed)
    yield "δ", record.settings.delta
    for name, one in record.ensembles.items():
        of = f"the last states of {one.last_of}" if one.last_of is not None else f"strategy {one.strategy}"
        yield name, f"{of}, {one.epochs:,} epochs"
    for name, digest in record.predictions.items():
        yield f"sha256 of the test predictions, {name}", digest
