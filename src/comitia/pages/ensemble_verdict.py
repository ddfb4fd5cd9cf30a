"""What the page of a weighed ensemble says first: its promise, or its estimate where nothing is promised."""

from collections.abc import Iterator

from comitia._certificate import Certificate, confidence_down, percent_up
from comitia._ensemble import Ensemble
from comitia._gain import points_down
from comitia._words import counted
from comitia.pages.ensemble_figures import measured_on
from comitia.pages.figure import percent
from comitia.pages.page_parts import Fact, Verdict
from comitia.pages.verdict import sentence

# certificates that are designated before looking; they count the errors of the vote itself
DESIGNATED = {
    "split": "the samples it counts had no part in choosing the weights",
    "holdout": "no hold-out sample had a part in choosing the weights",
    "groups": "the groups it counts had no part in choosing the weights",
}


def ensemble_verdict(ensemble: Ensemble) -> Verdict:
    """Return the verdict on a weighed ensemble."""
    best = ensemble.best
    return Verdict(
        kind="Weighed ensemble",
        headline=_estimate_in_short(ensemble) if best is None else _promise_in_short(best),
        text=f"{_estimate(ensemble) if best is None else _promise(best)} {_members_alone(ensemble)}{_gain(ensemble)}",
        facts=tuple(_facts(ensemble)),
        assumptions=tuple(_nothing_promised() if best is None else _assumptions(ensemble, best)),
        warnings=ensemble.warnings,
    )


def _promise_in_short(certificate: Certificate) -> str:
    sure = confidence_down(certificate.delta)
    if certificate.vacuous:
        return "Nothing can be promised from these samples"
    return f"At most {percent_up(certificate.risk)} errors, with {sure} probability"


def _estimate_in_short(ensemble: Ensemble) -> str:
    return f"Estimate: about {percent(ensemble.estimate or 0.0, 2)} errors; nothing is promised"


def _estimate(ensemble: Ensemble) -> str:
    return (
        f"The {ensemble.vote} vote errs on {percent(ensemble.estimate or 0.0, 2)} of the out-of-fold samples, each "
        "fold judged by weights that the other folds chose."
    )


def _promise(best: Certificate) -> str:
    """The promise, and the errors that were counted for it where it counts any."""
    if (found := counted_errors(best)) is None:
        return sentence(best.promise)
    errors, n = found
    kind = "the samples of those groups" if best.unit == "groups" else "those samples"
    return f"{sentence(best.promise)} The vote errs on {percent(errors / n, 2)} of {kind}."


def counted_errors(certificate: Certificate) -> tuple[int, int] | None:
    """Return the errors of the vote and the samples on which they were counted; None where it counts none."""
    if certificate.name not in DESIGNATED:
        return None
    inputs = certificate.inputs
    if certificate.name == "groups":
        return sum(inputs["errors"]), sum(inputs["sizes"])
    return inputs["errors"], inputs["n"]


def _members_alone(ensemble: Ensemble) -> str:
    """What the members do alone, to see what the vote gains."""
    best, mean = min(ensemble.member_risks), sum(ensemble.member_risks) / len(ensemble.member_risks)
    silence = " No answer counts as half an error there." if ensemble.data.abstained else ""
    return (
        f"On {measured_on(ensemble)} the best member alone errs on {percent(best, 2)}, "
        f"the average member on {percent(mean, 2)}.{silence}"
    )


def _gain(ensemble: Ensemble) -> str:
    """Whether the vote is certified better than equal weights, where that was counted."""
    return "" if ensemble.gain is None else f" {sentence(ensemble.gain.sentence())}"


def _facts(ensemble: Ensemble) -> Iterator[Fact]:
    weighting = ensemble.weighting
    chosen = weighting.method if weighting.chosen is None else f"{weighting.method}: {weighting.chosen}"
    yield Fact("Weighting", chosen, _chosen_on(ensemble))
    yield Fact(
        "Members that vote",
        f"{len(ensemble.active)} of {len(ensemble.names)}",
        f"{ensemble.vote} vote, {ensemble.classes} classes{_limit(ensemble)}",
    )
    yield _errors_or_gibbs(ensemble)
    if ensemble.gain is not None:
        found = ensemble.gain
        verdict = "certified" if found.certified else "not certified"
        yield Fact(
            "Gain over equal weights",
            f"{100 * found.gain:+.2f} points",
            f"{verdict}: at least {points_down(found.gain_at_least)}; exact McNemar test p = {found.p_value:.2g}",
        )
    leader = min(range(len(ensemble.names)), key=lambda i: ensemble.member_risks[i])
    yield Fact(
        "Best member alone",
        percent(ensemble.member_risks[leader], 2),
        f"{ensemble.names[leader]}, on {measured_on(ensemble)}; chosen with hindsight",
    )


def _limit(ensemble: Ensemble) -> str:
    """The limit on the members that vote, and what they cost."""
    limit = ensemble.limit
    if limit is None:
        return ""
    cost = "" if limit.budget is None else f", of which they cost {limit.cost(ensemble.weights > 0):.4g}"
    return f"; limited to {limit.in_words()}{cost}"


def _chosen_on(ensemble: Ensemble) -> str:
    """Which of the samples, or of the groups that they come in, chose the weights."""
    chosen, data = ensemble.weighting.samples, ensemble.data
    if ensemble.chosen_on == "nothing" or not chosen:
        return "chosen without the hold-out"
    kind = "hold-out" if data.folds is None else "out-of-fold"
    if data.groups is None:
        return f"chosen on {chosen:,} of {counted(data.samples, f'{kind} sample')}"
    if ensemble.chosen_on == "apart":
        return "chosen on other groups than those that certify"
    return f"chosen on {chosen:,} of {counted(data.groups, f'{kind} group')}"


def _errors_or_gibbs(ensemble: Ensemble) -> Fact:
    found = None if ensemble.best is None else counted_errors(ensemble.best)
    if found is None:
        told = f"error of a member drawn by weight, on {measured_on(ensemble)}"
        return Fact("Gibbs risk", percent(ensemble.statistics["gibbs"], 2), told)
    errors, n = found
    certificate = ensemble.promised
    groups = f" in {counted(certificate.samples, 'group')}" if certificate.unit == "groups" else ""
    told = f"{errors:,} of {counted(n, 'certifying sample')}{groups}, including ties"
    return Fact("Errors counted", percent(errors / n, 2), told)


def _nothing_promised() -> Iterator[str]:
    yield (
        "Every sample of an out-of-fold table trained the models of the other folds, and models that are refitted on "
        "all of it are other classifiers: such samples can choose weights, but they certify nothing."
    )
    yield "A promise needs samples that no fold has seen: “comitia weigh TABLE --fold COLUMN --certify FILE”."
    yield "This page repeats what its file says. “comitia verify” checks the file against the data."


def _assumptions(ensemble: Ensemble, best: Certificate) -> Iterator[str]:
    compared = ensemble.certification.compared
    yield sentence(ensemble.assumption(best))
    yield f"The certificate is for the {best.vote} vote with exactly these weights, and for no other vote."
    if best.name in DESIGNATED:
        yield f"The certificate ({best.name}) was designated before looking: {DESIGNATED[best.name]}."
    else:
        yield (
            f"The certificate ({best.name}) is the smallest of {compared} kinds, each computed at "
            f"δ/{compared} = {ensemble.delta / compared:.3g}. This pays for the choice among them, so that it holds "
            f"at δ = {ensemble.delta:g}."
        )
    if ensemble.prior is not None:
        yield "The prior over the members was fixed before the hold-out was seen."
    yield f"The probability is over the draw of the hold-out {best.unit}. It is not about a single new sample."
    yield "This page repeats what its file says. “comitia verify” checks the file against the data."
