"""Claims: each verdict from numbers made for it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from comitia._predictions import Predictions
from comitia.evaluation import Evaluation, evaluate
from comitia.evaluation.claims import claims_markdown, combine, judge
from comitia.evaluation.findings import HELD, NOT_HELD, NOT_JUDGED, UNDECIDED, Finding
from comitia.evaluation.records import Claim
from comitia.evaluation.references import Reference
from evaluation.synthetic import ensemble


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([HELD, HELD], HELD),
        ([HELD, UNDECIDED], UNDECIDED),
        ([HELD, UNDECIDED, NOT_HELD], NOT_HELD),
        ([], UNDECIDED),
    ],
)
def test_a_claim_needs_all_its_findings(verdicts: list[str], whole: str) -> None:
    findings = [Finding("x", 0, 0, 0, 0, verdict) for verdict in verdicts]
    context = Finding("y", 0, 0, 0, 0, NOT_HELD, decisive=False)
    assert combine([*findings, context]) == whole


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([NOT_HELD, HELD], HELD),
        ([NOT_HELD, UNDECIDED], UNDECIDED),
        ([NOT_HELD, NOT_HELD], NOT_HELD),
        ([], UNDECIDED),
    ],
)
def test_some_claims_need_one_finding(verdicts: list[str], whole: str) -> None:
    assert combine([Finding("x", 0, 0, 0, 0, verdict) for verdict in verdicts], some=True) == whole


def _evaluation(**options: object) -> Evaluation:
    return evaluate(ensemble(runs=4, states=3, samples=4000), sizes=[4], repeats=1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "verdict"), [(0.3, HELD), (0.999, NOT_HELD), (None, UNDECIDED)])
def test_the_first_claim_needs_a_bayes_ensemble(value: float | None, verdict: str) -> None:
    found = _evaluation(weightings=("uniform",))
    assert [claim.number for claim in judge(found) if claim.number == 1] == []
    (row,) = found.curve("last", "uniform", "average")
    other = row.accuracy_mean + 0.004 if value is None else value
    (claim, *_) = judge(replace(found, references=(Reference("Bayes", "bayes", "accuracy", other, 5),)))
    assert (claim.number, claim.verdict) == (1, verdict)
    assert claim.findings[0].ours == row.accuracy_mean


def test_weak_states_cost_uniform_weights_and_not_tandem_weights() -> None:
    claims = {claim.number: claim for claim in judge(_evaluation())}
    assert claims[2].verdict == claims[3].verdict == HELD
    texts = [finding.text for finding in claims[2].findings]
    assert sum("bound on the risk" in text for text in texts) == 4
    context = [finding for finding in claims[3].findings if not finding.decisive]
    assert [finding.verdict for finding in context] == [HELD, NOT_HELD, NOT_HELD]


def _stopped(right: float) -> Evaluation:
    """Every ensemble is right on 90% of the samples, that of early stopping on the share given, all ± 0.003."""
    found = _evaluation(weightings=("uniform", "tandem", "early-stopping"))
    rows = tuple(
        replace(row, accuracy_mean=right if row.weights == "early-stopping" else 0.9) for row in found.rows
    )
    sharp = tuple(replace(row, half_width=0.003) for row in found.differences)
    return replace(found, rows=rows, differences=sharp)


@pytest.mark.parametrize(("right", "verdict"), [(0.9, HELD), (0.91, NOT_HELD), (0.9025, UNDECIDED)])
def test_the_third_claim_needs_tandem_weights_not_worse_than_early_stopping(
    right: float, verdict: str
) -> None:
    findings = [f for claim in judge(_stopped(right)) if claim.number == 3 for f in claim.findings]
    (stopped,) = [f for f in findings if f.decisive and "early stopping" in f.text]
    assert stopped.text == (
        "accuracy of the average vote of 4 runs: tandem weights on all states against early stopping by the same "
        "samples: not worse"
    )
    assert (stopped.ours, stopped.other, stopped.verdict) == (0.9, right, verdict)


def test_the_third_claim_speaks_of_early_stopping_only_where_it_was_evaluated() -> None:
    for weightings, told in ((None, True), (("uniform", "tandem"), False)):
        (claim,) = [c for c in judge(_evaluation(weightings=weightings)) if c.number == 3]
        assert claim.statement.endswith("makes early stopping unnecessary.") is told
        assert any("early stopping" in f.text for f in claim.findings) is told


def test_single_states_have_no_third_claim() -> None:
    found = evaluate(ensemble(states=1, samples=200), sizes=[4], repeats=1)
    assert [claim.number for claim in found.claims] == [2]


def test_equal_weights_that_cannot_be_told_apart_decide_nothing() -> None:
    votes = np.where(np.random.default_rng(0).random(900) < 0.1, 1, 0)
    same = Predictions.from_arrays(votes=np.tile(votes, (3, 1)), labels=np.zeros(900, int))
    for sizes in ([1], [3]):
        (claim,) = evaluate(same, sizes=sizes, repeats=2).claims
        tightened = next(f for f in claim.findings if "tandem below uniform" in f.text)
        assert (tightened.difference, tightened.verdict) == (0.0, UNDECIDED)
        assert (claim.number, claim.verdict) == (2, UNDECIDED)


def test_bounds_have_an_error_only_where_draws_differ() -> None:
    for sizes, repeats, known in (([4], 5, False), ([2], 1, False), ([2], 5, True)):
        found = evaluate(ensemble(runs=4, states=3, samples=400), sizes=sizes, repeats=repeats)
        bounds = [f for c in found.claims for f in c.findings if "tandem below uniform" in f.text]
        assert [f.half_width is not None for f in bounds] == [known, known]


def test_a_reproduction_has_all_three_claims_and_says_why_one_is_not_judged() -> None:
    named = replace(_evaluation(), name="x")
    reference = Reference("Bayes", "bayes", "accuracy", 0.3, 5)
    whys = {
        "there is no Bayes ensemble to compare with": named,
        "the Bayes ensemble of the literature was trained otherwise": replace(
            named, references=(replace(reference, judged=False),)
        ),
        "the members are themselves those of a Bayes ensemble": replace(
            named, references=(reference,), unjudged="the members are themselves those of a Bayes ensemble"
        ),
    }
    for why, evaluation in whys.items():
        first, *others = judge(evaluation)
        assert (first.number, first.verdict, first.findings) == (1, NOT_JUDGED, ())
        assert first.reason.startswith(why)
        assert [(claim.number, claim.reason) for claim in others] == [(2, ""), (3, "")]
        assert f"**Claim 1: {NOT_JUDGED}.**" in claims_markdown([first])
        assert why in claims_markdown([first])
    single = replace(evaluate(ensemble(states=1, samples=200), sizes=[4], repeats=1), name="x")
    assert judge(single)[2].reason == "every run has a single state"


def test_a_vacuous_bound_decides_nothing() -> None:
    votes = np.zeros((3, 30), int)
    votes[0, 0] = votes[1, 1] = votes[2, 2] = 1
    found = evaluate(Predictions.from_arrays(votes=votes, labels=np.zeros(30, int)), sizes=[3], repeats=1)
    (claim,) = found.claims
    (vacuous,) = [f for f in claim.findings if f.text.endswith("below 1")]
    assert vacuous.ours > 1
    assert vacuous.verdict == UNDECIDED


def test_a_bound_that_no_number_of_samples_would_bring_below_one_is_not_held() -> None:
    rng = np.random.default_rng(0)
    labels = np.zeros(300, int)
    votes = (rng.random((3, 300)) < 0.8).astype(int)  # they err together on more than half of the samples
    (claim,) = evaluate(Predictions.from_arrays(votes=votes, labels=labels), sizes=[3], repeats=1).claims
    (vacuous,) = [f for f in claim.findings if f.text.endswith("below 1")]
    assert vacuous.verdict == claim.verdict == NOT_HELD


def _under_a_budget(*accuracies: float) -> Evaluation:
    """Ensembles of one run, two, three, ... trained by themselves; every one right as often as it says."""
    sizes = range(1, len(accuracies) + 1)
    rng, labels = np.random.default_rng(1), np.zeros(4000, int)
    votes = [np.where(np.arange(4000) < a * 4000, 0, 1) for a, m in zip(accuracies, sizes) for _ in range(m)]
    ends = np.cumsum(list(sizes)).tolist()
    groups = {m: range(end - m, end) for m, end in zip(sizes, ends)}
    shuffled = np.array(votes)[:, rng.permutation(4000)]
    found = evaluate(Predictions.from_arrays(votes=shuffled, labels=labels), groups=groups)
    return replace(found, references=(Reference("Bayes", "bayes", "accuracy", 0.9, 5),))


@pytest.mark.parametrize(
    ("accuracies", "verdict"),
    [
        ((0.5, 0.95, 0.6), HELD),  # the best use of the budget counts, not the largest size
        ((0.95, 0.5, 0.6), NOT_HELD),  # one run is no ensemble
        ((0.5, 0.9, 0.6), UNDECIDED),
    ],
)
def test_under_a_budget_one_size_is_enough_for_the_first_claim(
    accuracies: tuple[float, ...], verdict: str
) -> None:
    claim = judge(_under_a_budget(*accuracies))[0]
    assert (claim.number, claim.verdict, len(claim.findings)) == (1, verdict, 2)


def test_the_choice_among_sizes_is_paid_for() -> None:
    one, three = (judge(_under_a_budget(*[0.85] * sizes))[0] for sizes in (2, 4))
    plain, widened = one.findings[0].half_width, three.findings[0].half_width
    assert plain is not None
    assert widened == pytest.approx(plain * norm.ppf(norm.cdf(-2) / 3) / -2)


def test_markdown_tells_verdict_and_numbers() -> None:
    finding = Finding("a | b: not worse", 0.91234, 0.9, 0.01234, 0.001, HELD, decisive=False)
    text = claims_markdown([Claim(2, "It is so.", HELD, (finding,))])
    assert "**Claim 2: held.** It is so." in text
    assert "| a \\| b: not worse | 0.9123 | 0.9000 | +0.0123 | 0.0010 | held (context) |" in text
    without = replace(finding, half_width=None)
    assert "| +0.0123 | – | held" in claims_markdown([Claim(2, "It is so.", HELD, (without,))])
