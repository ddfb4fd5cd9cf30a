"""What the page says first: which weighting, what it gains, what is promised and under which assumptions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from comitia._certificate import SAMPLING, Certificate, confidence_down, percent_up
from comitia._ensemble import Ensemble
from comitia.evaluation.records import Evaluation, Row
from comitia.pages.figure import percent
from comitia.pages.standing import CALLED, Standing, standing_of


@dataclass(frozen=True)
class Fact:
    """One number of the verdict, with what it is and where it comes from."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Verdict:
    """The first screen of the page: headline, one paragraph, a few numbers, and the small print."""

    kind: str
    headline: str
    text: str
    facts: tuple[Fact, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]


def ensemble_verdict(ensemble: Ensemble) -> Verdict:
    """The verdict on a weighed ensemble."""
    # chosen among several events, the best one holds at the delta asked for, not at its share of it
    promised = replace(ensemble.best, delta=ensemble.delta)
    return Verdict(
        kind="Weighed ensemble",
        headline=_promise_in_short(promised),
        text=f"{_sentence(promised.promise)} {_gain_of_ensemble(ensemble)}",
        facts=tuple(_ensemble_facts(ensemble)),
        assumptions=tuple(_ensemble_assumptions(ensemble)),
        warnings=ensemble.warnings,
    )


def _promise_in_short(certificate: Certificate) -> str:
    sure = confidence_down(certificate.delta)
    if certificate.vacuous:
        return "Nothing can be promised from these samples"
    return f"At most {percent_up(certificate.risk)} errors, with {sure} probability"


def _gain_of_ensemble(ensemble: Ensemble) -> str:
    """What the vote gains over its members, as far as the record tells."""
    best, mean = min(ensemble.member_risks), sum(ensemble.member_risks) / len(ensemble.member_risks)
    alone = (
        f"on the whole hold-out the best member alone errs on {percent(best, 2)}, "
        f"the average one on {percent(mean, 2)}"
    )
    inputs = ensemble.best.inputs
    if ensemble.best.name not in ("split", "holdout"):
        return f"{_sentence(alone)}"
    counted = percent(inputs["errors"] / inputs["n"], 2)
    return f"Counted, the vote errs on {counted} of those samples; {alone}."


def _ensemble_facts(ensemble: Ensemble) -> Iterator[Fact]:
    weighting, best = ensemble.weighting, ensemble.best
    chosen = weighting.method if weighting.chosen is None else f"{weighting.method}: {weighting.chosen}"
    used = f"chosen on {weighting.samples:,} of {ensemble.data.samples:,} hold-out samples"
    yield Fact(
        "Weighting", chosen, "no hold-out sample chose it" if ensemble.chosen_on == "nothing" else used
    )
    yield Fact(
        "Members that vote",
        f"{len(ensemble.active)} of {len(ensemble.names)}",
        f"{ensemble.vote} vote, {ensemble.classes} classes",
    )
    if best.name in ("split", "holdout"):
        errors, n = best.inputs["errors"], best.inputs["n"]
        yield Fact(
            "Errors counted", percent(errors / n, 2), f"{errors:,} of {n:,} certifying samples, ties included"
        )
    else:
        yield Fact(
            "Gibbs risk",
            percent(ensemble.statistics["gibbs"], 2),
            "error of a member drawn by weight, on the hold-out",
        )
    leader = min(range(len(ensemble.names)), key=lambda i: ensemble.member_risks[i])
    yield Fact(
        "Best member alone",
        percent(ensemble.member_risks[leader], 2),
        f"{ensemble.names[leader]}, on the whole hold-out; picked by looking",
    )


def _ensemble_assumptions(ensemble: Ensemble) -> Iterator[str]:
    best, compared = ensemble.best, ensemble.certification.compared
    yield _sentence(ensemble.assumption(best))
    yield f"It speaks of the {best.vote} vote with exactly these weights, and of no other vote."
    if best.name == "split":
        samples = f"its {best.samples:,} samples had no part in the weights"
        yield f"The certificate (split) was named before looking: {samples}."
    elif best.name == "holdout":
        yield "The certificate (holdout) was named before looking: no hold-out sample had a part in the weights."
    else:
        yield (
            f"The certificate ({best.name}) is the smallest of {compared} kinds, each computed at "
            f"δ = {best.delta:.3g}, so that the choice among them is paid for and holds at δ = {ensemble.delta:g}."
        )
    if ensemble.prior is not None:
        yield "The prior over the members was fixed before the hold-out was seen."
    yield "The probability is over the draw of the hold-out samples; it is not about one new sample."


def evaluation_verdict(evaluation: Evaluation) -> Verdict:
    """The verdict of an evaluation: the weighing in front, beside equal weights on the same members."""
    standing = standing_of(evaluation)
    return Verdict(
        kind="Reproduction" if evaluation.references else "Evaluation",
        headline=_accuracy_in_short(standing),
        text=" ".join(_evaluation_text(evaluation, standing)),
        facts=tuple(_evaluation_facts(evaluation, standing)),
        assumptions=tuple(_evaluation_assumptions(evaluation, standing)),
        warnings=evaluation.notes,
    )


def _accuracy_in_short(standing: Standing) -> str:
    reached = f"{percent(standing.row.accuracy_mean)} accuracy"
    found = standing.comparison
    if found is None:
        return f"{reached} with {standing.called}"
    if abs(found.difference) <= found.half_width:
        return f"{reached} with {standing.called}, not told apart from equal ones"
    direction = "above" if found.difference > 0 else "below"
    return f"{reached}, {_points(abs(found.difference))} {direction} equal weights"


def _points(difference: float) -> str:
    return (
        f"{100 * difference:.1f} points" if abs(difference) >= 0.00095 else f"{100 * difference:.2f} points"
    )


def _evaluation_text(evaluation: Evaluation, standing: Standing) -> Iterator[str]:
    row = standing.row
    yield _sentence(
        f"the {standing.vote} vote of {row.size} runs with {standing.called} is right on "
        f"{percent(row.accuracy_mean, 2)} of {evaluation.source.samples:,} test samples, each judged by weights that "
        "it had no part in"
    )
    if standing.comparison is not None and standing.plain is not None:
        found = standing.comparison
        yield (
            f"The same members with equal weights reach {percent(standing.plain.accuracy_mean, 2)}: a difference of "
            f"{100 * found.difference:+.2f} ± {100 * found.half_width:.2f} points (95%)."
        )
    if standing.promised is not None:
        chosen = "" if standing.weights == "uniform" else " for the weights that the first half chose"
        yield f"Certified{chosen}: {standing.promised.certificate.promise}."


def _evaluation_facts(evaluation: Evaluation, standing: Standing) -> Iterator[Fact]:
    yield Fact(_capital(standing.called), percent(standing.row.accuracy_mean), _spread(standing.row))
    for members in sorted(evaluation.distinct):
        curve = evaluation.curve(members, "uniform", standing.vote)
        if curve and standing.weights != "uniform":
            row = max(curve, key=lambda found: found.size)
            usual = ", the usual deep ensemble" if members == "last" else ""
            where = "" if evaluation.single_states else f" on {CALLED[members]}"
            yield Fact(f"Equal weights{where}", percent(row.accuracy_mean), f"{_spread(row)}{usual}")
    single = evaluation.single_best
    yield Fact("Best single member", percent(single.accuracy_mean), "chosen on one half, scored on the other")
    if standing.promised is not None:
        c = standing.promised.certificate
        shown = "nothing" if c.vacuous else f"≤ {percent_up(c.risk)}"
        yield Fact(
            "Certified errors", shown, f"{c.name}, {c.vote} vote, δ = {c.delta:g}, {c.samples:,} samples"
        )


def _spread(row: Row) -> str:
    if row.accuracy_sd is None or len(set(row.accuracies)) == 1:
        return f"{row.size} runs, {row.member_count:g} members"
    return f"± {100 * row.accuracy_sd:.2f} over {len(row.accuracies)} draws of {row.size} runs"


def _evaluation_assumptions(evaluation: Evaluation, standing: Standing) -> Iterator[str]:
    yield (
        "Test-time cross-validation: the samples are halved once, by a seed; one half chooses the weights, "
        "the other is scored; then they swap. All weightings see the same halves and the same draws."
    )
    yield (
        "A difference counts only if its 95% interval, which has the noise of the samples and of the draws, leaves "
        "out 0."
    )
    if standing.promised is not None:
        draw = "" if len(set(standing.row.accuracies)) == 1 else " and the first draw"
        weights = (
            "equal weights" if standing.weights == "uniform" else "the weights that the first half chose"
        )
        yield f"The certificate speaks of {weights}{draw}; the accuracies are means over both halves and all draws."
        yield _sentence(SAMPLING)


def _sentence(text: str) -> str:
    return f"{_capital(text)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
