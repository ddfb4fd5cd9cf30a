"""Claims: each verdict from numbers made for it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.synthetic import ensemble
from quorate.evaluation import Claim, Evaluation, Finding, Reference, evaluate
from quorate.evaluation.claims import MARGIN, better, claims_markdown, combine, judge, not_worse
from quorate.evaluation.records import HELD, NOT_HELD, UNDECIDED
from quorate.predictions import Predictions

difference = st.floats(-0.05, 0.05)
error = st.floats(0, 0.02)


@given(difference, error)
@settings(max_examples=50, deadline=None)
def test_verdicts_agree_with_their_intervals(d: float, s: float) -> None:
    low, high = d - 2 * s, d + 2 * s
    assert (not_worse(d, s) == HELD) == (low >= -MARGIN)
    assert (better(d, s) == HELD) == (low > 0)
    if not_worse(d, s) == NOT_HELD:
        assert high < 0
    if better(d, s) == NOT_HELD:
        assert high < MARGIN
    if better(d, s) == HELD:
        assert not_worse(d, s) == HELD


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
    assert [finding.verdict for finding in context] == [HELD]


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
        assert [f.standard_error is not None for f in bounds] == [known, known]


def test_members_of_a_bayes_ensemble_have_no_first_claim() -> None:
    found = replace(_evaluation(), references=(Reference("Bayes", "bayes", "accuracy", 0.3, 5),))
    assert [claim.number for claim in judge(found)] == [1, 2, 3]
    assert [claim.number for claim in judge(replace(found, bayesian=True))] == [2, 3]


def test_markdown_tells_verdict_and_numbers() -> None:
    finding = Finding("a | b: not worse", 0.91234, 0.9, 0.01234, 0.001, HELD, decisive=False)
    text = claims_markdown([Claim(2, "It is so.", HELD, (finding,))])
    assert "**Claim 2: held.** It is so." in text
    assert "| a \\| b: not worse | 0.9123 | 0.9000 | +0.0123 | 0.0010 | held (context) |" in text
    without = replace(finding, standard_error=None)
    assert "| +0.0123 | – | held" in claims_markdown([Claim(2, "It is so.", HELD, (without,))])
