"""The paper's three claims judged by all reproduced rows together: one paragraph each, from their records."""

from collections.abc import Iterable, Mapping, Sequence

from comitia.evaluation import Evaluation
from comitia.evaluation.claims import STATEMENTS
from comitia.evaluation.findings import HELD, MARGIN, NOT_HELD, UNDECIDED, Finding
from comitia.evaluation.records import Claim

Named = Mapping[str, Evaluation]
_NONE = "No result has the numbers that it needs."


def verdicts(evaluations: Named) -> dict[int, str]:
    """Return a paragraph on each claim, in Markdown; the evaluations by the name under which they are told."""
    return {1: _first(evaluations), 2: _second(evaluations), 3: _third(evaluations)}


def _first(evaluations: Named) -> str:
    """Plain deep ensembles against the Bayes ensemble of the literature."""
    judged = _judged(evaluations, 1)
    if not judged:
        return f"{_head(1)} {_NONE}"
    best = {name: _telling(claim, evaluations[name]) for name, claim in judged.items()}
    level = [found for found in best.values() if found.difference >= 0]
    narrow = min(f.half_width or 0.0 for f in best.values())
    told = "; ".join(
        f"{name} {found.difference:+.4f} ± {found.half_width or 0:.4f}" for name, found in best.items()
    )
    reach = (
        f" Every interval is wider than the margin of {MARGIN}. So an ensemble that only equals the reference cannot "
        "be shown to be not worse: on so many samples a single number from the literature decides little."
        if narrow > MARGIN
        else ""
    )
    return (
        f"{_head(1)} {_count(judged)} Uniform weights less the Bayes ensemble, under a budget of epochs "
        f"at the best size: {told}. In {len(level)} of {len(best)} the deep ensemble is level or ahead.{reach}"
    )


def _telling(claim: Claim, evaluation: Evaluation) -> Finding:
    """The best size under a budget of epochs, which the claim is about; else the reference that is hardest to reach."""
    choose = max if evaluation.settings.grouped else min
    return choose(claim.findings, key=lambda found: found.difference)


def _second(evaluations: Named) -> str:
    """Tandem against uniform weights: accuracy and bound."""
    judged = _judged(evaluations, 2)
    if not judged:
        return f"{_head(2)} {_NONE}"
    accuracies = _findings(judged, "accuracy of the")
    tighter = _findings(judged, "tandem below uniform weights")
    sound = _findings(judged, "below 1")
    return (
        f"{_head(2)} {_count(judged)} Tandem less uniform weights in accuracy: {_range(accuracies)}, "
        f"{_verdict_counts(accuracies)}. The bound is smaller in {_held(tighter)} of {len(tighter)} comparisons"
        f"{_by_up_to(tighter)}, and below 1 in {_held(sound)} of {len(sound)}."
    )


def _by_up_to(tighter: Sequence[Finding]) -> str:
    gains = [-found.difference for found in tighter if found.verdict == HELD]
    return f", by up to {max(gains):.3f}" if gains else ""


def _third(evaluations: Named) -> str:
    """All states with tandem weights against last ones, against uniform weights, against early stopping."""
    judged = _judged(evaluations, 3)
    if not judged:
        return f"{_head(3)} {_NONE}"
    last = _findings(judged, "against tandem weights on last states")
    uniform = _findings(judged, "tandem weights on all states against uniform weights on all states")
    stopped = _findings(judged, "early stopping")
    early = (
        f" Against early stopping by the same samples, in the {len(stopped)} comparisons that there are: "
        f"{_range(stopped)}, {_verdict_counts(stopped)}."
        if stopped
        else ""
    )
    return (
        f"{_head(3)} {_count(judged)} All states with tandem weights, in accuracy, against the last states with tandem "
        f"weights: {_range(last)}, {_verdict_counts(last)}. Against all states with uniform weights: "
        f"{_range(uniform)}, {_verdict_counts(uniform)}.{early}"
    )


def _judged(evaluations: Named, number: int) -> dict[str, Claim]:
    """The claims of that number that have findings."""
    return {
        name: claim
        for name, evaluation in evaluations.items()
        for claim in evaluation.claims
        if claim.number == number and claim.findings
    }


def _findings(judged: Mapping[str, Claim], text: str) -> list[Finding]:
    return [f for claim in judged.values() for f in claim.findings if text in f.text and f.decisive]


def _head(number: int) -> str:
    return f"**Claim {number}.** *{STATEMENTS[number]}*"


def _count(judged: Mapping[str, Claim]) -> str:
    """How the results were judged, and which of them did not hold or could not be decided."""
    others = [name for name, claim in judged.items() if claim.verdict != HELD]
    named = f" ({'; '.join(others)})" if others else ""
    return f"Judged on {len(judged)} results: {_verdict_counts(judged.values())}{named}."


def _verdict_counts(judged: Iterable[Claim | Finding]) -> str:
    verdicts = [one.verdict for one in judged]
    words = {HELD: "held", NOT_HELD: "not held", UNDECIDED: "not decidable"}
    return ", ".join(f"{word} in {verdicts.count(verdict)}" for verdict, word in words.items())


def _held(findings: Sequence[Finding]) -> int:
    return sum(found.verdict == HELD for found in findings)


def _range(findings: Sequence[Finding]) -> str:
    differences = [found.difference for found in findings]
    return f"{min(differences):+.4f} to {max(differences):+.4f}" if differences else "none"
