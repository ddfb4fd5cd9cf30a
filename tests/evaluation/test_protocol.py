"""The protocol against a plain loop over the deployed parts, and on the real packs."""

import json

import numpy as np
import pytest
from scipy.stats import beta, t

from comitia import METHODS, certify, evaluate, weigh
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._split import split_samples
from comitia._votes import average, majority
from comitia.evaluation import Evaluation
from comitia.files import read_predictions
from evaluation.synthetic import ensemble
from shared_data import shared


def test_rows_are_those_of_a_plain_loop() -> None:
    pack = ensemble(runs=4, states=2, samples=401)
    found = evaluate(pack, sizes=[4], repeats=1, seed=5, delta=0.1, weightings=("uniform", "tandem"))
    halves = split_samples(pack.samples, 0.5, 5)
    for members in ("last", "all"):
        picked = np.array([1, 3, 5, 7]) if members == "last" else np.arange(8)
        for method in ("uniform", "tandem"):
            for vote in ("average", "majority"):
                accuracy, bound = _by_hand(pack.pick(picked), halves, method, vote)
                (row,) = found.curve(members, method, vote)
                assert row.accuracy_mean == pytest.approx(accuracy, abs=1e-9)
                assert row.bound_mean == pytest.approx(bound, rel=1e-7)


def _by_hand(
    pack: Predictions, halves: tuple[np.ndarray, np.ndarray], method: str, vote: str
) -> tuple[float, float]:
    """Mean over the folds of accuracy and tandem-kl bound, by weighing one half and voting on the other."""
    accuracies, bounds = [], []
    for one, other in (halves, halves[::-1]):
        chosen = weigh(pack.take(one), method=method, delta=0.1, certify_fraction=0, vote="majority")
        probs = np.concatenate([block.probs for block in pack.take(other).blocks()], axis=1)
        votes = pack.take(other).votes()
        classes = average(probs, chosen.weights) if vote == "average" else majority(votes, chosen.weights, 3)
        accuracies.append(np.mean(classes == pack.take(other).labels))
        deployed = certify(pack.take(one), chosen.weights, vote=vote, delta=0.1)
        bounds.append({c.name: c.risk for c in deployed.certificates}["tandem-kl"])
    return float(np.mean(accuracies)), float(np.mean(bounds))


def test_spread_and_comparison_by_hand() -> None:
    pack = ensemble(runs=6, states=2, samples=300)
    found = evaluate(pack, sizes=[2], repeats=4, weightings=("uniform", "tandem"))
    (one,), (other,) = (found.curve("all", w, "average") for w in ("tandem", "uniform"))
    assert one.accuracy_mean == pytest.approx(np.mean(one.accuracies))
    assert one.accuracy_sd == pytest.approx(np.std(one.accuracies, ddof=1))
    (row,) = [c for c in found.differences if (c.vote, c.left[0], c.right[0]) == ("average", "all", "all")]
    differences = np.subtract(one.accuracies, other.accuracies)
    assert row.difference == pytest.approx(differences.mean())
    # the draws' part alone, so the samples' part must be what is left, and not negative
    assert row.half_width > t.ppf(0.975, 3) * np.std(differences, ddof=1) / 2


def test_the_interval_of_one_draw_is_that_of_the_samples() -> None:
    """Two fixed members: the paired interval is known from the counts of discordant samples."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 500)
    votes = np.stack([np.where(rng.random(500) < p, 1 - labels, labels) for p in (0.4, 0.1)])
    pack = Predictions.from_arrays(votes=votes, labels=labels, run=[1, 1], step=[1, 2])
    found = evaluate(pack, sizes=[1], repeats=1, weightings=("uniform",), votes=("majority",))
    (row,) = found.differences
    # the majority of two with a tie for the lowest class: right unless outvoted
    together = majority(votes, [0.5, 0.5], 2)
    differences = (together == labels).astype(float) - (votes[1] == labels)
    assert row.left == ("all", "uniform")
    assert row.right == ("last", "uniform")
    # and one discordant sample more each way
    assert row.half_width == pytest.approx(2 * np.sqrt((differences.var(ddof=1) + 2 / 500) / 500), rel=1e-6)


def test_ensembles_that_never_differ_have_an_interval_all_the_same() -> None:
    votes = np.tile([0, 1, 1, 0], (3, 25))
    found = evaluate(Predictions.from_arrays(votes=votes, labels=votes[0]), sizes=[3], repeats=2)
    assert {row.difference for row in found.differences} == {0.0}
    assert {row.half_width for row in found.differences} == {round(2 * np.sqrt(2) / 100, 10)}


def test_same_seed_same_bytes_and_another_seed_others() -> None:
    pack = ensemble()
    texts = [json.dumps(evaluate(pack, sizes=[2, 4], repeats=2, seed=s).to_json()) for s in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_single_best_is_chosen_on_the_other_half() -> None:
    pack = ensemble(runs=5, states=2, samples=401)
    found = evaluate(pack, sizes=[5], repeats=1, weightings=("uniform",))
    right, scores = pack.votes() == pack.labels, []
    for one, other in ((h := split_samples(401, 0.5, 0)), h[::-1]):
        best = max([1, 3, 5, 7, 9], key=lambda m: right[m, one].mean())
        scores.append(right[best, other].mean())
    assert found.single_best.accuracy_mean == pytest.approx(np.mean(scores))
    assert all(row.single_best == pytest.approx(np.mean(scores)) for row in found.rows)


def test_the_single_best_may_be_an_earlier_state_where_all_are_evaluated() -> None:
    pack = ensemble(runs=3, states=2, samples=401)
    backwards = Predictions.from_arrays(
        votes=pack.votes(), labels=pack.labels, run=pack.run, step=[2, 1] * 3, names=list("abcdef")
    )
    early = evaluate(backwards, sizes=[3], repeats=1, weightings=("uniform",))
    late = evaluate(backwards, sizes=[3], repeats=1, weightings=("uniform",), members=("last",))
    assert set(early.single_best.names) <= set("bdf")
    assert set(late.single_best.names) <= set("ace")
    for found in (early, late):
        assert {row.single_best for row in found.rows} == {found.single_best.accuracy_mean}


def test_one_draw_has_no_deviation() -> None:
    pack = ensemble(runs=4, samples=100)
    assert {row.accuracy_sd for row in evaluate(pack, sizes=[2], repeats=1).rows} == {None}
    grouped = evaluate(pack, repeats=5, groups={1: [1], 3: [2, 3, 4]})
    assert (grouped.settings.repeats, grouped.settings.grouped) == (1, True)
    assert {row.accuracy_sd for row in grouped.rows} == {None}


def test_a_draw_of_some_runs_is_said_to_be_certified() -> None:
    notes = evaluate(ensemble(runs=4, samples=100), sizes=[2], repeats=2).notes
    assert any("are those of the first draw of 2 runs" in note for note in notes)


def test_runs_without_steps_are_refused_unless_each_has_one_state() -> None:
    votes = np.zeros((4, 8), int)
    with pytest.raises(InputError, match="step: required with run, to know which state of a run is the last"):
        evaluate(Predictions.from_arrays(votes=votes, labels=votes[0], run=[1, 1, 2, 2]))
    found = evaluate(Predictions.from_arrays(votes=votes, labels=votes[0], run=[1, 2, 3, 4]))
    assert found.source.runs == 4


def test_two_members_of_one_run_and_step_are_refused() -> None:
    votes = np.zeros((3, 8), int)
    pack = Predictions.from_arrays(votes=votes, labels=votes[0], run=[1, 2, 2], step=[1, 4, 4])
    with pytest.raises(InputError, match="two members are run 2, step 4; give each a step of its own"):
        evaluate(pack)


def test_without_run_and_step_all_is_last() -> None:
    pack = ensemble(states=1)
    plain = Predictions.from_arrays(
        probs=np.concatenate([b.probs for b in pack.blocks()], axis=1), labels=pack.labels
    )
    found = evaluate(plain, sizes=[3], repeats=2, weightings=("tandem",), members=("last", "all"))
    (last,), (every,) = found.curve("last", "tandem", "average"), found.curve("all", "tandem", "average")
    assert last.accuracies == every.accuracies
    assert any("every run has a single state" in note for note in found.notes)


def test_a_vote_named_twice_is_evaluated_once() -> None:
    found = evaluate(ensemble(samples=50), sizes=[2], repeats=1, votes=["majority", "majority"])
    assert len(found.curve("all", "tandem", "majority")) == 1


def test_votes_alone_have_no_average_and_say_so() -> None:
    pack = ensemble()
    found = evaluate(Predictions.from_arrays(votes=pack.votes(), labels=pack.labels), sizes=[4], repeats=1)
    assert found.settings.votes == ("majority",)
    assert found.single_best.nll_mean is None
    assert any("no average vote" in note for note in found.notes)


def test_every_method_can_be_asked_for() -> None:
    pack = ensemble(runs=3, states=2, samples=200, classes=2)
    found = evaluate(pack, sizes=[3], repeats=1, weightings=METHODS)
    assert [row.weights for row in found.rows if row.members == "all" and row.vote == "average"] == list(
        METHODS
    )


def test_facts_tandem_matrix_and_certificates_are_of_the_largest_ensemble() -> None:
    pack = ensemble(runs=3, states=2, samples=200)
    found = evaluate(pack, sizes=[2, 3], repeats=1)
    assert [fact.last for fact in found.members] == [False, True] * 3
    assert sum(fact.weights["tandem"] for fact in found.members) == pytest.approx(1)
    half = pack.take(split_samples(200, 0.5, 0)[0])
    wrong = half.votes() != half.labels
    assert found.tandem is not None
    assert np.allclose(found.tandem.matrix(), [[np.mean(a & b) for a in wrong] for b in wrong])
    names = {(c.weights, c.certificate.name) for c in found.certificates if c.designated}
    assert names == {
        *(("uniform", "holdout"), ("first-order", "split")),
        *(("tandem", "split"), ("early-stopping", "split")),
    }
    assert any(c.certificate.name == "occam" for c in found.certificates if c.weights.startswith("tandem,"))


@pytest.mark.parametrize("vote", ["average", "majority"])
def test_the_half_that_chose_the_weights_does_not_certify_them(vote: str) -> None:
    """Errors and ties of the deployed weights on the other half, by a loop, and Clopper-Pearson by the beta law."""
    pack = ensemble(runs=4, states=2, samples=301)
    found = evaluate(pack, sizes=[4], repeats=1, seed=3, delta=0.1)
    weighing, certifying = split_samples(301, 0.5, 3)
    rho = weigh(pack.take(weighing), method="tandem", delta=0.1, certify_fraction=0, vote="majority").weights
    counted = {}
    for name, half in (("right", certifying), ("leaky", weighing)):
        (block,) = pack.take(half).blocks(10**6)
        assert block.probs is not None
        totals = np.einsum("m,mic->ic", rho, block.probs if vote == "average" else np.eye(3)[block.votes])
        true = totals[np.arange(len(half)), block.labels]
        others = np.where(np.eye(3, dtype=bool)[block.labels], -1.0, totals).max(axis=1)
        counted[name] = int((true <= others + 1e-9).sum())
    (split,) = [
        c.certificate
        for c in found.certificates
        if (c.members, c.weights, c.certificate.name, c.certificate.vote) == ("all", "tandem", "split", vote)
    ]
    assert counted["right"] != counted["leaky"]
    assert split.inputs["errors"] == counted["right"]
    n = len(certifying)
    assert split.risk == pytest.approx(beta.ppf(0.9, counted["right"] + 1, n - counted["right"]), abs=1e-9)


def test_members_stand_by_run_and_step_whatever_their_order_in_the_file() -> None:
    pack = ensemble(runs=3, states=2, samples=80)
    order = [5, 0, 3, 1, 4, 2]
    mixed = evaluate(pack.pick(order), sizes=[3], repeats=1)
    assert [(fact.run, fact.step) for fact in mixed.members] == [(r, s) for r in (1, 2, 3) for s in (1, 2)]
    assert mixed.members == evaluate(pack, sizes=[3], repeats=1).members
    assert mixed.tandem == evaluate(pack, sizes=[3], repeats=1).tandem


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "seed: must be a whole number from 0, got -1"),
        ({"groups": {2: [1, 2]}, "sizes": [3]}, "sizes: must be one of those trained, 2, got 3"),
        ({"sizes": [6]}, "sizes: must be from 1 to 5, the number of runs, got 6"),
        ({"sizes": []}, "sizes: at least one number of runs is required"),
        ({"repeats": 0}, "repeats: must be at least 1, got 0"),
        ({"delta": 1.5}, "delta: must lie strictly between 0 and 1"),
        ({"weightings": ["tandm"]}, "weightings: 'tandm' is not one of .*did you mean 'tandem'"),
        ({"weightings": []}, "weightings: at least one of uniform"),
        ({"votes": []}, "votes: at least one of average, majority is required"),
        ({"votes": ["avg", "majority"]}, "votes: 'avg' is not one of average, majority"),
        ({"members": ["first"]}, "members: 'first' is not one of last, all"),
        (
            {"members": ["last"], "weightings": ["uniform", "early-stopping"]},
            "weightings: 'early-stopping' chooses among all states, got members last; add all, or leave it out",
        ),
    ],
)
def test_bad_options_are_one_line(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(ensemble(samples=50), **change)  # type: ignore[arg-type]


def test_predictions_that_cannot_be_evaluated_are_refused() -> None:
    votes = np.zeros((2, 8), int)
    with pytest.raises(InputError, match="labels: an evaluation needs the true classes"):
        evaluate(Predictions.from_arrays(votes=votes))
    mask = np.ones((2, 8), bool)
    mask[0, 0] = False
    with pytest.raises(InputError, match="mask: an evaluation needs every sample for every member"):
        evaluate(Predictions.from_arrays(votes=votes, labels=votes[0], mask=mask))
    with pytest.raises(InputError, match="samples: at least 4"):
        evaluate(Predictions.from_arrays(votes=votes[:, :3], labels=votes[0, :3]))
    with pytest.raises(InputError, match="votes: 'average' needs probabilities"):
        evaluate(Predictions.from_arrays(votes=votes, labels=votes[0]), votes=["average"])


def _pack(name: str) -> Evaluation:
    return evaluate(read_predictions([shared(f"predictions/{name}.npz")]), sizes=[10], repeats=1)


def test_cifar_uniform_loses_with_all_states_and_tandem_does_not() -> None:
    found = _pack("cifar10-resnet20-checkpoints")
    row = {key: found.curve(*key)[0] for key in {r.key for r in found.rows}}
    uniform = [row[m, "uniform", "average"].accuracy_mean for m in ("last", "all")]
    tandem = [row[m, "tandem", "average"].accuracy_mean for m in ("last", "all")]
    assert uniform[1] < uniform[0] - 0.008
    assert tandem[1] > tandem[0] - 0.002
    assert row["all", "first-order", "average"].effective_mean < 4
    assert row["all", "tandem", "average"].effective_mean > 10
    assert row["all", "tandem", "majority"].bound_mean < 0.55 * row["all", "uniform", "majority"].bound_mean
    assert {claim.number: claim.verdict for claim in found.claims} == {2: "held", 3: "held"}


def test_imdb_tandem_gains_from_all_states_and_first_order_collapses() -> None:
    found = _pack("imdb-cnn_lstm-checkpoints")
    row = {key: found.curve(*key)[0] for key in {r.key for r in found.rows}}
    assert row["all", "uniform", "average"].accuracy_mean < row["last", "uniform", "average"].accuracy_mean
    assert row["all", "tandem", "average"].accuracy_mean == pytest.approx(
        0.873, abs=0.002
    )  # the paper's number
    assert row["all", "tandem", "average"].accuracy_mean > row["last", "tandem", "average"].accuracy_mean
    assert row["all", "first-order", "average"].effective_mean < 2
    assert row["all", "tandem", "average"].effective_mean > 20
