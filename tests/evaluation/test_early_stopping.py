"""Early stopping and the authors' own numbers in the protocol, against plain loops."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import Predictions, evaluate
from comitia._errors import InputError
from comitia._split import split_samples
from comitia.evaluation.claims import judge
from comitia.evaluation.draws import draw_all, runs_of
from evaluation.synthetic import ensemble


def test_early_stopping_by_a_plain_loop() -> None:
    """One state per run, chosen on one half and averaged on the other, and what it differs by."""
    pack = ensemble(runs=4, states=3, samples=401)
    found = evaluate(pack, sizes=[4], repeats=1, seed=5)
    (block,) = pack.blocks(10**6)
    assert block.probs is not None
    labels, right = pack.labels, pack.votes() == pack.labels
    accuracies, agreed = [], np.empty(401)
    for one, other in ((h := split_samples(401, 0.5, 5)), h[::-1]):
        chosen = [max(range(3 * r, 3 * r + 3), key=lambda m: (right[m, one].sum(), -m)) for r in range(4)]
        agreed[other] = block.probs[chosen].mean(axis=0)[other].argmax(axis=1) == labels[other]
        accuracies.append(agreed[other].mean())
    (row,) = found.curve("all", "early-stopping", "average")
    assert row.accuracy_mean == pytest.approx(np.mean(accuracies), abs=1e-9)
    assert row.effective_mean == pytest.approx(4)
    pairs = {(d.left, d.right): d.difference for d in found.differences if d.vote == "average"}
    (tandem,), (last,) = found.curve("all", "tandem", "average"), found.curve("last", "uniform", "average")
    stopped = ("all", "early-stopping")
    assert pairs[("all", "tandem"), stopped] == pytest.approx(tandem.accuracy_mean - row.accuracy_mean)
    assert pairs[stopped, ("last", "uniform")] == pytest.approx(row.accuracy_mean - last.accuracy_mean)


def test_early_stopping_is_evaluated_by_default_where_there_are_states_to_choose() -> None:
    usual = ("uniform", "first-order", "tandem")
    found = evaluate(ensemble(samples=60), sizes=[2], repeats=1)
    assert found.settings.weightings == (*usual, "early-stopping")
    assert {row.members for row in found.rows if row.weights == "early-stopping"} == {"all"}
    assert {c.members for c in found.certificates if c.weights == "early-stopping"} == {"all"}
    single, last = ensemble(states=1, samples=60), ensemble(samples=60)
    assert evaluate(single, sizes=[2], repeats=1).settings.weightings == usual
    assert evaluate(last, sizes=[2], repeats=1, members=["last"]).settings.weightings == usual
    with pytest.raises(
        InputError, match="weightings: 'early-stopping' .* every run has a single one; leave it"
    ):
        evaluate(single, weightings=["early-stopping"])


def test_a_draw_of_runs_with_one_state_each_has_nothing_to_stop() -> None:
    """Run 3 has a single state: drawn alone, it is what early stopping takes."""
    pack = ensemble(runs=3, states=2, samples=80).pick([0, 1, 2, 3, 5])
    found = evaluate(pack, sizes=[1], repeats=6, seed=1)
    (stopped,) = found.curve("all", "early-stopping", "majority")
    alone = [d.last == (4,) for d in draw_all(runs_of(pack), [1], 6, 1)[1]]
    assert 0 < sum(alone) < 6
    halves = split_samples(80, 0.5, 1)
    right = float(np.mean([np.mean(pack.votes()[4, h] == pack.labels[h]) for h in halves]))
    assert [a for a, own in zip(stopped.accuracies, alone) if own] == pytest.approx([right] * sum(alone))


def test_scores_of_each_draw_and_of_the_authors() -> None:
    pack = ensemble(runs=5, states=2, samples=200, classes=2)
    found = evaluate(pack, sizes=[2], repeats=4)
    (row,) = found.curve("all", "uniform", "average")
    assert row.nlls is not None
    assert row.aurocs is not None
    assert len(row.nlls) == len(row.aurocs) == 4
    assert row.nll_mean == pytest.approx(np.mean(row.nlls))
    assert row.auroc_mean == pytest.approx(np.mean(row.aurocs))
    assert row.accuracy_sd_population == pytest.approx(np.std(row.accuracies))
    assert row.accuracy_sd_population < row.accuracy_sd
    (voted,) = found.curve("all", "uniform", "majority")
    assert (voted.nlls, voted.aurocs) == (None, None)
    assert voted.diversity_mean == row.diversity_mean


@pytest.mark.parametrize("members", ["last", "all"])
def test_the_best_member_with_hindsight_and_diversity_by_a_plain_loop(members: str) -> None:
    pack = ensemble(runs=3, states=2, samples=101)
    found = evaluate(pack, sizes=[3], repeats=1, members=[members])
    pool = [1, 3, 5] if members == "last" else range(6)
    votes, best, shares = pack.votes(), [], []
    for half in split_samples(101, 0.5, 0):
        best.append(max(np.mean(votes[m, half] == pack.labels[half]) for m in pool))
        shares.append(np.mean([len({votes[m, i] for m in pool}) / 3 for i in half]))
    assert found.single_best.accuracy_max == pytest.approx(np.mean(best))
    (row,) = found.curve(members, "uniform", "majority")
    assert row.diversity_mean == pytest.approx(np.mean(shares))


@pytest.mark.parametrize("what", ["sample", "pass"])
def test_draws_of_a_run_have_no_last_state_and_no_early_stopping(what: str) -> None:
    pack = ensemble(runs=2, states=4, samples=60)
    names = [f"run {run}, {what} {step}" for run, step in zip(pack.run, pack.step)]
    probs = np.concatenate([block.probs for block in pack.blocks()], axis=1)
    drawn = Predictions.from_arrays(
        probs=probs, labels=pack.labels, run=pack.run, step=pack.step, names=names
    )
    found = evaluate(drawn, sizes=[2], repeats=1)
    assert "early-stopping" not in found.settings.weightings
    named = judge(replace(found, name="x"))
    assert (named[2].verdict, named[2].findings) == ("not judged", ())
    assert named[2].reason.startswith("the members of a run are draws")
    states = evaluate(pack, sizes=[2], repeats=1)
    assert not states.drawn
    assert "early-stopping" in states.settings.weightings
