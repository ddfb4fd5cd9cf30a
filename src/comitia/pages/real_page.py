"""The page of an ensemble for real targets, or of an evaluation: verdict, figures, then every detail."""

from collections.abc import Iterator

from comitia._certificate import confidence_down
from comitia._words import counted
from comitia.pages import page_parts as html
from comitia.pages.figure import Cell, Figure, Panel, Series, Table, legible, role_of
from comitia.pages.frame import document
from comitia.pages.material import RealMaterial
from comitia.pages.page_parts import Fact, Markup, Part, Verdict
from comitia.regression import RealCertificate, RealEnsemble, RealEvaluation
from comitia.regression.certificate import rounded_up

# with more members their names would overlap
NAMED_MEMBERS = 12
CHOSE = {
    "nothing": "none of the hold-out",
    "part": "a part of the hold-out",
    "apart": "none of those that certify",
    "all": "all of the hold-out",
}


def real_page(material: RealMaterial) -> str:
    """Return the whole HTML text for that record."""
    record = material.record
    if isinstance(record, RealEnsemble):
        verdict, figures, details = _verdict(record), ensemble_figures(record), list(_sections(record))
    else:
        verdict, figures, details = _evaluated(record), evaluation_figures(record), [_rows(record)]
    drawn = html.drawn("real-", figures)
    return document(
        material.title,
        drawn,
        (html.hero(verdict, material.title, 1), html.figures_part("Figures", drawn), *details),
    )


def _verdict(ensemble: RealEnsemble) -> Verdict:
    best = ensemble.best
    if best is None:
        headline = f"Estimate: mean squared error {ensemble.estimate:.4g}; nothing is promised"
        text = "No sample certifies, so the mean squared error is estimated by cross-validation."
    elif best.vacuous:
        headline, text = "Nothing can be promised from these samples", f"{_capital(best.promise)}."
    else:
        root = rounded_up(best.root or 0.0)
        clipped = f", of errors clipped at {best.limit.value:.4g}," if best.limit and best.limit.clips else ""
        headline = (
            f"Root mean squared error{clipped} at most {root}, with {confidence_down(best.delta)} probability"
        )
        text = f"{_capital(best.promise)}."
    own = min(ensemble.member_errors)
    alone = f" There the weighted mean has {ensemble.statistics['mse']:.4g}, the best member alone {own:.4g}."
    return Verdict(
        kind="Weighed ensemble",
        headline=headline,
        text=text + alone,
        facts=tuple(_facts(ensemble)),
        assumptions=("nothing is promised",) if best is None else (_capital(ensemble.assumption(best)),),
        warnings=ensemble.warnings,
    )


def _facts(ensemble: RealEnsemble) -> Iterator[Fact]:
    chosen = f"{ensemble.weighting.samples:,} samples ({CHOSE[ensemble.chosen_on]})"
    yield Fact("Weighting", ensemble.weighting.method, chosen)
    yield Fact(
        "Members with weight",
        f"{len(ensemble.active)} of {len(ensemble.names)}",
        "weighted mean, real target",
    )
    yield Fact("Mean absolute error", f"{ensemble.statistics['mae']:.4g}", "of the weighted mean")
    if ensemble.limit is not None:
        note = "larger errors count as it" if ensemble.limit.clips else "no error is larger, by your word"
        yield Fact("Limit of errors", rounded_up(ensemble.limit.value), note)
    for found in ensemble.certificates:
        if found.level is not None:
            yield Fact(
                _capital(found.title), f"≤ {rounded_up(found.risk)}", "certified, in units of the target"
            )


def ensemble_figures(ensemble: RealEnsemble) -> tuple[Figure, ...]:
    """Return the figures of a weighed ensemble for real targets."""
    members = _members_figure(ensemble)
    return (members,) if ensemble.best is None else (_certificates_figure(ensemble), members)


def _in_units(found: RealCertificate) -> tuple[str, float]:
    """What a certificate allows in units of the target, and what that is."""
    if found.root is not None:
        return f"root mean squared error ({found.name})", found.root
    return f"{found.title} ({found.name})", found.risk


def _certificates_figure(ensemble: RealEnsemble) -> Figure:
    names, values = zip(*map(_in_units, ensemble.certificates))
    shown = tuple(f"≤ {rounded_up(value)}" for value in values)
    bars = Series(
        "certified",
        "tandem",
        tuple(float(i) for i in range(len(names))),
        tuple(values),
        labels=shown,
        marked=tuple(found.vacuous for found in ensemble.certificates),
        strong=tuple(found == ensemble.best for found in ensemble.certificates),
    )
    return Figure(
        key="certificates",
        title="Certificates side by side",
        caption="What each certificate allows, in units of the target. Shorter is better. Each holds only by itself.",
        alt=f"Bar chart of {counted(len(names), 'certificate')}: {', '.join(map(' '.join, zip(names, shown)))}.",
        x_title="certified, in units of the target",
        panels=(Panel("across", "", (bars,), ticks=names),),
        table=Table(
            ("certificate", "at most", "δ", "samples", "what it is"),
            tuple(
                (n, v, c.delta, c.samples, c.meaning) for n, v, c in zip(names, values, ensemble.certificates)
            ),
        ),
    )


def _members_figure(ensemble: RealEnsemble) -> Figure:
    names = tuple(legible(name) for name in ensemble.names)
    weights = tuple(float(w) for w in ensemble.weights)
    roots = tuple(error**0.5 for error in ensemble.member_errors)
    x = tuple(float(i) for i in range(len(names)))
    ticks = names if len(names) <= NAMED_MEMBERS else None
    points = Series(
        "root mean squared error", "best", x, roots, labels=names, strong=tuple(w > 0 for w in weights)
    )
    bars = Series("weight", role_of(ensemble.weighting.method), x, weights, labels=names)
    return Figure(
        key="members",
        title="Members and their weights",
        caption="Above: the root mean squared error of each member (filled: it has weight). Below: its weight.",
        alt=(
            f"Two charts over {counted(len(names), 'member')}. Root mean squared error from {min(roots):.3g} to "
            f"{max(roots):.3g}. Weight from {min(weights):.3g} to {max(weights):.3g}."
        ),
        x_title="member" if ticks else "member, in the order of the file",
        panels=(
            Panel("dots", "root mean squared error", (points,), (), ticks),
            Panel("bars", "weight", (bars,), (), ticks),
        ),
        table=Table(("member", "root mean squared error", "weight"), tuple(zip(names, roots, weights))),
    )


def _sections(ensemble: RealEnsemble) -> Iterator[Part]:
    cards = [_card(found, found == ensemble.best) for found in ensemble.certificates]
    if ensemble.best is not None and ensemble.best not in ensemble.certificates:
        cards.append(_card(ensemble.best, True))
    missing = tuple((row.name, row.why) for row in ensemble.unavailable)
    if missing:
        listed = html.key_values(
            "Certificates that are not given", missing, ("certificate", "why it is not given")
        )
        cards.append(html.folded(f"{len(missing)} not given, and why", listed))
    yield html.section(
        "Certificates in full", html.note("Each holds by itself, at its own δ."), *cards, key="inputs"
    )
    settings = html.key_values("Data and settings", tuple(_settings(ensemble)))
    yield html.section("Data and settings", settings, key="settings")


def _card(found: RealCertificate, designated: bool) -> Markup:
    inputs = {"bound, unrounded": found.risk, "δ": found.delta, **found.inputs}
    rows = tuple(
        (key, f"{value:.9g}" if isinstance(value, float) else str(value)) for key, value in inputs.items()
    )
    summary = html.element(
        "summary",
        html.element("span", f"{found.name}: {found.title}", class_="name"),
        html.element("span", "designated", class_="chip") if designated else None,
        html.element("span", "vacuous" if found.vacuous else f"≤ {rounded_up(found.risk)}", class_="risk"),
    )
    return html.element(
        "details",
        summary,
        html.element("p", f"{_capital(found.promise)}."),
        html.key_values(f"Inputs of {found.name}, {found.title}", rows, ("input", "value")),
        class_="certificate designated" if designated else "certificate",
        open=designated,
    )


def _settings(ensemble: RealEnsemble) -> Iterator[tuple[Cell, ...]]:
    data = ensemble.data
    yield "hold-out samples", data.samples
    if data.groups is not None:
        yield "groups of samples", data.groups
    yield "sha256 of the predictions", data.sha256
    if data.certify_sha256 is not None:
        yield "samples apart that certify", data.certify_samples
        yield "sha256 of those", data.certify_sha256
    yield "what chose the weights", CHOSE[ensemble.chosen_on]
    if ensemble.chosen_on == "part":
        yield "samples kept for certifying", ensemble.split.certifying
        yield "seed of the split", str(ensemble.split.seed)
    yield "δ", ensemble.delta
    yield from ensemble.versions.items()


def _evaluated(found: RealEvaluation) -> Verdict:
    best = min(found.rows, key=lambda row: row.mse_mean)
    leader = found.single_best
    return Verdict(
        kind="Evaluation",
        headline=f"{_capital(best.weights)} weights have the smallest mean squared error, {best.mse_mean:.4g}",
        text=f"Mean over {counted(found.repeats, 'random halving')}; each half chose weights that the other judged.",
        facts=(
            Fact("Test samples", f"{found.samples:,}", "with real targets"),
            Fact(
                "Best member alone",
                f"{found.member_errors[leader]:.4g}",
                f"mean squared error of {legible(found.names[leader])}; chosen with hindsight",
            ),
        ),
        assumptions=("No sample had a part in training.",),
        warnings=(),
    )


def evaluation_figures(found: RealEvaluation) -> tuple[Figure, ...]:
    """Return the figure of an evaluation: the error of each weighting."""
    names = tuple(row.weights for row in found.rows)
    values = tuple(row.mse_mean**0.5 for row in found.rows)
    x = tuple(float(i) for i in range(len(names)))
    bars = Series("root mean squared error", "tandem", x, values, labels=tuple(f"{v:.4g}" for v in values))
    return (
        Figure(
            key="weightings",
            title="Weightings side by side",
            caption="Root of the mean squared error on samples that did not choose the weights. Shorter is better.",
            alt=f"Bar chart: {', '.join(f'{n} {v:.4g}' for n, v in zip(names, values))}.",
            x_title="root mean squared error",
            panels=(Panel("across", "", (bars,), ticks=names),),
            table=Table(("weights", "root mean squared error"), tuple(zip(names, values))),
        ),
    )


def _rows(found: RealEvaluation) -> Part:
    columns = ("weights", "mean squared error", "sd", "mean absolute error", "certified at most")
    cells = tuple((r.weights, r.mse_mean, r.mse_sd, r.mae_mean, r.bound_mean) for r in found.rows)
    return html.section("All rows", html.table(Table(columns, cells), "Weightings"), key="rows")


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
