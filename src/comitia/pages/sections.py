"""The details of a page, below the figures: every certificate with its inputs, claims, data, versions."""

from collections.abc import Iterator, Sequence
from typing import Any

from comitia._certificate import MEANING, Certificate, percent_up
from comitia._ensemble import Ensemble
from comitia.evaluation.claims import CLAIMS_RULE
from comitia.evaluation.findings import COLUMNS, HELD, NOT_HELD, Finding
from comitia.evaluation.records import Certified, Claim, Evaluation
from comitia.evaluation.scores import DEFINITIONS
from comitia.evaluation.tables import beside_paper
from comitia.pages.ensemble_figures import shown_certificates
from comitia.pages.figure import Cell, Table, number, shortened
from comitia.pages.markup import Markup, element, table
from comitia.pages.standing import CALLED

VERDICT_CLASS = {HELD: "held", NOT_HELD: "not-held"}


def section(title: str, *children: str | None, key: str | None = None) -> Markup:
    """A titled part of the page."""
    return element("section", element("h2", title), *children, id=key)


def ensemble_sections(ensemble: Ensemble) -> Iterator[Markup]:
    """The details of a weighed ensemble."""
    rows = shown_certificates(ensemble)
    cards = [certificate_card(c, c == ensemble.best, c.name) for c in rows]
    note = "Each holds alone at its own δ. Every number that enters the formula stands in its table."
    yield section(
        "Certificates in full", element("p", note, class_="note"), *cards, _missing(ensemble), key="inputs"
    )
    yield section(
        "Data and settings", table(Table(("what", "value"), tuple(_settings(ensemble))), "Data and settings")
    )


def certificate_card(
    certificate: Certificate, designated: bool, title: str, *, unfold: bool = True
) -> Markup:
    """One certificate, folded: its promise, what it is, and all its inputs."""
    risk = "vacuous" if certificate.vacuous else f"≤ {percent_up(certificate.risk)}"
    inputs = {"risk, unrounded": certificate.risk, "δ": certificate.delta, **certificate.inputs}
    rows = tuple((str(key), _told(value)) for key, value in inputs.items())
    summary = element(
        "summary",
        element("span", title, class_="name"),
        element("span", "designated", class_="chip") if designated else None,
        element("span", risk, class_="risk"),
    )
    meaning = MEANING.get(certificate.name, "")
    return element(
        "details",
        summary,
        element("p", f"{certificate.promise[:1].upper()}{certificate.promise[1:]}."),
        element("p", f"{meaning[:1].upper()}{meaning[1:]}.", class_="note") if meaning else None,
        table(Table(("input", "value"), rows), f"Inputs of {title}"),
        class_="certificate designated" if designated else "certificate",
        open=designated and unfold,
    )


def _told(value: Any) -> Cell:
    """An input as a cell: numbers to all their digits, lists as text."""
    if isinstance(value, float):
        return repr(value)
    if value is None or isinstance(value, int | str):
        return value
    return shortened(str(value), 600)


def _missing(ensemble: Ensemble) -> Markup | None:
    rows = tuple((row.name, row.why) for row in ensemble.certification.unavailable)
    if not rows:
        return None
    inner = table(Table(("certificate", "why it is not given"), rows), "Certificates that are not given")
    return element(
        "details",
        element("summary", element("span", f"{len(rows)} not given, and why", class_="name")),
        inner,
    )


def _settings(ensemble: Ensemble) -> Iterator[tuple[Cell, ...]]:
    weighting, split, data = ensemble.weighting, ensemble.split, ensemble.data
    yield "hold-out samples", data.samples
    yield "smallest overlap of two members' samples", data.pair_samples_min
    yield "sha256 of the predictions", data.sha256
    yield "samples that chose the weights", f"{weighting.samples:,} ({ensemble.chosen_on} of the hold-out)"
    yield "samples kept for certifying", split.certifying
    yield "seed of the split", str(split.seed)
    yield "δ", ensemble.delta
    for name, value in (
        ("λ", weighting.lam),
        ("KL(weights, prior)", weighting.kl),
        ("optimality gap", weighting.gap),
    ):
        if value is not None:
            yield name, value
    yield from ((f"{name} at these weights", value) for name, value in ensemble.statistics.items())
    yield from ((f"version of {name}", version) for name, version in ensemble.versions.items())
    yield "to check all this from the data", "comitia verify ENSEMBLE.json FILE…"


def evaluation_sections(evaluation: Evaluation) -> Iterator[Markup]:
    """The details of an evaluation."""
    if evaluation.certificates:
        note = "For the largest ensemble, all samples being hold-out. Each holds alone at its own δ."
        groups = [_group(called, found) for called, found in _grouped(evaluation).items()]
        yield section(
            "Certificates in full", element("p", note, class_="note"), *groups, key="evaluation-inputs"
        )
    yield section(
        "Protocol and data",
        table(Table(("what", "value"), tuple(_protocol(evaluation))), "Protocol and data"),
        element(
            "details",
            element("summary", element("span", "What every number means", class_="name")),
            table(Table(("word", "definition"), tuple(DEFINITIONS.items())), "Definitions"),
        ),
    )


def _grouped(evaluation: Evaluation) -> dict[str, list[Certified]]:
    """The certificates by what they certify; not twice where last and all states are the same."""
    found: dict[str, list[Certified]] = {}
    for c in (c for c in evaluation.certificates if c.members in evaluation.distinct):
        weights, _, rounded = c.weights.partition(", ")
        fine = f" in {rounded}" if rounded else ""
        called = f"{weights} weights{fine}, {CALLED.get(c.members, c.members)}, {c.certificate.vote} vote"
        found.setdefault(called, []).append(c)
    return found


def _group(called: str, rows: list[Certified]) -> Markup:
    """The certificates of one weighting and vote, folded together."""
    ordered = sorted(rows, key=lambda c: (c.certificate.risk, c.certificate.name))
    cards = [certificate_card(c.certificate, c.designated, c.certificate.name, unfold=False) for c in ordered]
    summary = element(
        "summary",
        element("span", called, class_="name"),
        element("span", f"{len(rows)} certificates" if len(rows) > 1 else "1 certificate", class_="risk"),
    )
    return element("details", summary, element("div", *cards, class_="inner"), class_="certificate group")


def _protocol(evaluation: Evaluation) -> Iterator[tuple[Cell, ...]]:
    settings, source = evaluation.settings, evaluation.source
    yield "samples", source.samples
    yield "classes", source.classes
    yield "members, runs", f"{source.members:,}, {source.runs:,}"
    yield "sha256 of the predictions", source.sha256
    yield "sizes", ", ".join(str(size) for size in settings.sizes)
    yield (
        "draws of each size",
        "none, each size was trained by itself" if settings.grouped else settings.repeats,
    )
    yield "seed", str(settings.seed)
    yield "δ", settings.delta
    yield "weightings", ", ".join(settings.weightings)


def claims_section(evaluation: Evaluation) -> Markup | None:
    """The paper's claims, each with its verdict and the numbers behind it, and the rule that decides."""
    if not evaluation.claims:
        return None
    rule = _folded("How it is decided", element("p", CLAIMS_RULE.replace("*", ""), class_="note"))
    paper = "Of “On Uniform, Bayesian, and PAC-Bayesian Deep Ensembles” (Hauptvogel and Igel)"
    about = f"{paper}, as far as these members can tell." if evaluation.name is None else f"{paper}."
    return section(
        "The paper's claims, by the numbers",
        element("p", about, class_="note"),
        *(_claim(claim) for claim in evaluation.claims),
        element("article", rule, class_="claim"),
        key="claims",
    )


def _claim(claim: Claim) -> Markup:
    chip = element("span", claim.verdict, class_=f"chip {VERDICT_CLASS.get(claim.verdict, 'undecided')}")
    behind = (
        _folded("The numbers behind it", findings_table(claim.findings, f"Claim {claim.number}"))
        if claim.findings
        else element("p", f"{claim.reason[:1].upper()}{claim.reason[1:]}.", class_="note")
    )
    return element(
        "article", element("h3", f"{claim.number}. {claim.statement}", chip), behind, class_="claim"
    )


def _folded(title: str, content: Markup) -> Markup:
    return element("details", element("summary", element("span", title, class_="name")), content)


def findings_table(findings: Sequence[Finding], caption: str) -> Markup:
    """Comparisons with their numbers and verdicts."""
    rows = tuple(finding.cells() for finding in findings)
    return table(Table(COLUMNS, rows), caption, numeric=(False, True, True, True, True, False))


def paper_section(evaluation: Evaluation) -> Markup | None:
    """The paper's numbers beside ours, where a reproduction brought them."""
    if not evaluation.references:
        return None
    beside = beside_paper(evaluation)
    rows = tuple(tuple(row) for row in beside.shown())
    numeric = tuple(column.decimals is not None for column in beside.columns)
    content = Table(tuple(column.title for column in beside.columns), rows)
    notes = [element("p", note, class_="note") for note in beside.notes]
    return section("Beside the paper", table(content, beside.title, numeric=numeric), *notes, key="paper")


def run_section(run: dict[str, Any] | None) -> Markup | None:
    """How the records came about, as the run's own record tells it."""
    if not run:
        return None
    rows = tuple((path, number(_told(value))) for path, value in _leaves(run, ""))
    return section("How it was made", table(Table(("what", "value"), rows), "The run's record"))


def _leaves(record: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every value of a nested record under its dotted path."""
    if isinstance(record, dict) and record:
        for key, value in record.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, record
