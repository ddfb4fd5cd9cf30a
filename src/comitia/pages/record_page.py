"""The page of an ensemble, an evaluation or both: verdicts, claims, figures, then every detail."""

from collections.abc import Iterable, Iterator
from typing import Any

from comitia._certificate import Certificate, percent_up
from comitia._ensemble import Ensemble
from comitia._words import counted
from comitia.evaluation.claims import CLAIMS_RULE, left_out
from comitia.evaluation.findings import COLUMNS, HELD, NOT_HELD, Finding
from comitia.evaluation.records import Certified, Claim, Evaluation
from comitia.evaluation.scores import DEFINITIONS
from comitia.evaluation.tables import beside_paper
from comitia.pages import page_parts as html
from comitia.pages.ensemble_figures import certificate_title, ensemble_figures, shown_certificates
from comitia.pages.ensemble_verdict import ensemble_verdict
from comitia.pages.evaluation_figures import evaluation_figures
from comitia.pages.figure import Cell, Table, legible, number, shortened
from comitia.pages.frame import document
from comitia.pages.learning import learning_figure
from comitia.pages.material import Material
from comitia.pages.page_parts import Drawn, Markup, Part
from comitia.pages.promise_section import promise_sections
from comitia.pages.verdict import CALLED, capital, evaluation_verdict, sentence

ALONE = "Each holds by itself, at its own δ."
VERDICT_CLASS = {HELD: "held", NOT_HELD: "not-held"}


def record_page(material: Material) -> str:
    """Return the whole HTML text for those records."""
    ensemble, evaluation = material.ensemble, material.evaluation
    figures: list[Drawn] = []
    verdicts: list[Part | None] = []
    details: list[Part | None] = []
    if ensemble is not None:
        verdicts.append(html.hero(ensemble_verdict(ensemble), material.title, 1))
        figures += html.drawn("ensemble-", ensemble_figures(ensemble))
        details += ensemble_sections(ensemble)
    if evaluation is not None:
        level = 1 if ensemble is None else 2
        verdicts.append(html.hero(evaluation_verdict(evaluation), material.title, level))
        verdicts.append(claims_section(evaluation))
        figures += html.drawn("evaluation-", evaluation_figures(evaluation))
        details += [paper_section(evaluation), *evaluation_sections(evaluation, ensemble is not None)]
    if (learned := learning_figure(material.learning)) is not None:
        figures += html.drawn("training-", [learned])
    parts = (*verdicts, html.figures_part("Figures", figures), *details, run_section(material.run))
    return document(material.title, figures, parts)


def ensemble_sections(ensemble: Ensemble) -> Iterator[Part]:
    """Yield the details of a weighed ensemble."""
    cards = [
        certificate_card(c, c == ensemble.best, certificate_title(c, ensemble))
        for c in shown_certificates(ensemble)
    ]
    kept = (
        "None is given." if ensemble.best is None else f"{ALONE} Its table lists every number in its formula."
    )
    yield from promise_sections(ensemble)
    yield html.section("Certificates in full", html.note(kept), *cards, _missing(ensemble), key="inputs")
    yield html.section(
        "Data and settings", html.key_values("Data and settings", _settings(ensemble)), key="settings"
    )


def certificate_card(
    certificate: Certificate, designated: bool, title: str, *, unfold: bool = True
) -> Markup:
    """Return one certificate, folded: its promise, what it is, and all its inputs."""
    risk = "vacuous" if certificate.vacuous else f"≤ {percent_up(certificate.risk)}"
    inputs = {"risk, unrounded": certificate.risk, "δ": certificate.delta, **certificate.inputs}
    rows = ((str(key), told(value)) for key, value in inputs.items())
    summary = html.element(
        "summary",
        html.element("span", title, class_="name"),
        html.element("span", "designated", class_="chip") if designated else None,
        html.element("span", risk, class_="risk"),
    )
    meaning = certificate.meaning
    return html.element(
        "details",
        summary,
        html.element("p", f"{certificate.promise[:1].upper()}{certificate.promise[1:]}."),
        html.note(f"{meaning[:1].upper()}{meaning[1:]}.") if meaning else None,
        html.key_values(f"Inputs of {title}", rows, ("input", "value")),
        class_="certificate designated" if designated else "certificate",
        open=designated and unfold,
    )


def _missing(ensemble: Ensemble) -> Markup | None:
    rows = tuple((row.name, row.why) for row in ensemble.certification.unavailable)
    if not rows:
        return None
    columns = ("certificate", "why it is not given")
    return html.folded(
        f"{len(rows)} not given, and why", html.key_values("Certificates that are not given", rows, columns)
    )


# which samples chose the weights, in words
CHOSE = {
    "nothing": "none of the hold-out",
    "part": "part of the hold-out",
    "all": "all of the hold-out",
    "apart": "none of those that certify",
}


def _settings(ensemble: Ensemble) -> Iterator[tuple[Cell, ...]]:
    weighting, split, data = ensemble.weighting, ensemble.split, ensemble.data
    yield "hold-out samples" if data.folds is None else "out-of-fold samples", data.samples
    unit = "samples" if data.groups is None else "groups"
    yield f"smallest overlap of two members' {unit}", data.pair_samples_min
    if data.groups is not None:
        yield "groups of samples", data.groups
    if data.abstained:
        yield "answers that members did not give", data.abstained
    if data.folds is not None:
        yield "folds", data.folds
    if ensemble.declared:
        yield "classes", shortened(", ".join(map(legible, ensemble.class_names)), 600)
    yield "sha256 of the predictions", data.sha256
    if data.certify_sha256 is not None:
        yield "samples apart that certify", data.certify_samples
        yield "sha256 of those", data.certify_sha256
    chose = "all of them" if data.folds is not None else CHOSE[ensemble.chosen_on]
    yield f"{unit} that chose the weights", f"{weighting.samples:,} ({chose})"
    if ensemble.chosen_on == "part":
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
    yield "to recompute all this from the data", "comitia verify ENSEMBLE.json FILE…"


def evaluation_sections(evaluation: Evaluation, beside: bool) -> Iterator[Part]:
    """Yield the details of an evaluation; `beside` an ensemble, its certificates say whose they are."""
    if evaluation.certificates:
        about = html.note(f"For the largest ensemble, with all samples as hold-out. {ALONE}")
        groups = [_group(called, found) for called, found in _grouped(evaluation).items()]
        title = "Certificates of the evaluation in full" if beside else "Certificates in full"
        yield html.section(title, about, *groups, key="evaluation-inputs")
    definitions = html.key_values("Definitions", DEFINITIONS.items(), ("word", "definition"))
    yield html.section(
        "Protocol and data",
        html.key_values("Protocol and data", _protocol(evaluation)),
        html.folded("What every number means", definitions),
        _claims_left_out(evaluation) if not evaluation.claims else None,
        key="protocol",
    )


def _grouped(evaluation: Evaluation) -> dict[str, list[Certified]]:
    """Return the certificates by what they certify, only once if last and all states are the same."""
    found: dict[str, list[Certified]] = {}
    for c in (c for c in evaluation.certificates if c.members in evaluation.distinct):
        weights, _, rounded = c.weights.partition(", ")
        fine = f" in {rounded}" if rounded else ""
        called = f"{weights} weights{fine}, {CALLED.get(c.members, c.members)}, {c.certificate.vote} vote"
        found.setdefault(called, []).append(c)
    return found


def _group(called: str, rows: list[Certified]) -> Markup:
    """Return the certificates of one weighting and vote, folded together."""
    ordered = sorted(rows, key=lambda c: (c.certificate.risk, c.certificate.name))
    cards = [certificate_card(c.certificate, c.designated, c.certificate.name, unfold=False) for c in ordered]
    summary = html.element(
        "summary",
        html.element("span", called, class_="name"),
        html.element("span", counted(len(rows), "certificate"), class_="risk"),
    )
    return html.element(
        "details", summary, html.element("div", *cards, class_="inner"), class_="certificate group"
    )


def _protocol(evaluation: Evaluation) -> Iterator[tuple[Cell, ...]]:
    settings, source = evaluation.settings, evaluation.source
    yield "samples", source.samples
    yield "classes", source.classes
    yield "members, runs", f"{source.members:,}, {source.runs:,}"
    yield "sha256 of the predictions", source.sha256
    yield "sizes", ", ".join(str(size) for size in settings.sizes)
    yield "draws per size", "none: each size was trained separately" if settings.grouped else settings.repeats
    yield "seed", str(settings.seed)
    yield "δ", settings.delta
    yield "weightings", ", ".join(settings.weightings)


def claims_section(evaluation: Evaluation) -> Part | None:
    """Return the paper's claims, each with its verdict and its numbers or the reason why it has none, and the rule."""
    if not evaluation.claims:
        return None
    claims = (*evaluation.claims, *left_out(evaluation))
    rule = html.folded("How claims are decided", html.note(CLAIMS_RULE.replace("*", "")))
    paper = "Claims of “On Uniform, Bayesian, and PAC-Bayesian Deep Ensembles” (Hauptvogel and Igel)"
    about = f"{paper}, as far as these members can tell." if evaluation.name is None else f"{paper}."
    return html.section(
        "The paper's claims, by the numbers",
        html.note(about),
        *(_claim(claim) for claim in sorted(claims, key=lambda claim: claim.number)),
        html.element("article", rule, class_="claim"),
        key="claims",
    )


def _claims_left_out(evaluation: Evaluation) -> Markup:
    """Return why none of the paper's claims is judged, folded: most evaluations are not about them."""
    rows = ((claim.statement, capital(claim.reason)) for claim in left_out(evaluation))
    columns = ("claim of the paper", "why it is not judged")
    return html.folded(
        "None of the paper's claims is judged, and why", html.key_values("The paper's claims", rows, columns)
    )


def _claim(claim: Claim) -> Markup:
    chip = html.element("span", claim.verdict, class_=f"chip {VERDICT_CLASS.get(claim.verdict, 'undecided')}")
    reason = html.note(sentence(claim.reason)) if claim.reason else None
    behind = (
        html.folded("The numbers behind it", findings_table(claim.findings, f"Claim {claim.number}"))
        if claim.findings
        else None
    )
    title = html.element("h3", f"{claim.number}. {claim.statement}", chip)
    return html.element("article", title, reason, behind, class_="claim")


def paper_section(evaluation: Evaluation) -> Part | None:
    """Return the paper's numbers beside ours, if the evaluation is a reproduction."""
    if not evaluation.references:
        return None
    beside = beside_paper(evaluation)
    rows = tuple(tuple(row) for row in beside.shown())
    numeric = tuple(column.decimals is not None for column in beside.columns)
    content = Table(tuple(column.title for column in beside.columns), rows)
    notes = map(html.note, beside.notes)
    return html.section(
        "Beside the paper", html.table(content, beside.title, numeric=numeric), *notes, key="paper"
    )


def findings_table(findings: Iterable[Finding], caption: str) -> Markup:
    """Return comparisons with their numbers and verdicts."""
    rows = tuple(finding.cells() for finding in findings)
    return html.table(Table(COLUMNS, rows), caption, numeric=(False, True, True, True, True, False))


def run_section(run: dict[str, Any] | None) -> Part | None:
    """Return how the records were made, as `run.json` says."""
    if not run:
        return None
    rows = ((path, number(told(value))) for path, value in _leaves(run, ""))
    return html.section("How it was made", html.key_values("The run's record", rows), key="run")


def told(value: Any) -> Cell:
    """Return any value as a cell: numbers with all their digits, lists as text."""
    if isinstance(value, float):
        return repr(value)
    if value is None or isinstance(value, int | str):
        return value
    return shortened(str(value), 600)


def _leaves(record: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every value of a nested record under its dotted path."""
    if isinstance(record, dict) and record:
        for key, value in record.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, record
