"""Predictions beside the paper: its numbers, its claims, and which of them may be judged."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.evaluation import Evaluation
from comitia.evaluation.claims import claims_markdown, judge
from comitia.paper.judging import evaluate_row, require_sizes
from comitia.recipes import read_recipe
from comitia.recipes.strategies import size_groups
from evaluation.synthetic import ensemble


def _evaluated(samples: int = 25_000, **options: object) -> Evaluation:
    recipe = read_recipe("imdb-cnn_lstm-simple")
    pack = ensemble(classes=2, samples=samples)
    return evaluate_row(recipe, pack, sizes=[2, 5], repeats=2, **options)  # type: ignore[arg-type]


def test_the_papers_numbers_and_all_three_claims_are_there() -> None:
    found = _evaluated()
    assert found.name == "imdb-cnn_lstm-simple"
    assert [claim.number for claim in found.claims] == [1, 2, 3]
    assert [(r.kind, r.value, r.judged) for r in found.references[:3]] == [
        ("bayes", 0.8703, True),
        ("literature", 0.86, False),
        ("paper", 0.871, False),
    ]


def test_a_training_that_was_scaled_down_is_not_judged_by_the_literature() -> None:
    pack = ensemble(classes=10, samples=200)
    recipe = read_recipe("cifar10-resnet20-simple", ["data.partial=true"])
    recipe = replace(recipe, training=replace(recipe.training, epochs=10))
    found = evaluate_row(recipe, pack, sizes=[2], repeats=2)
    assert [len(claim.findings) > 0 for claim in found.claims] == [False, True, True]
    assert found.references[0].kind == "bayes"
    assert found.provenance is not None
    assert not found.provenance.as_paper
    assert "part of the training images" in found.notes[0]
    assert "10 of 200 epochs" in found.notes[0]
    assert "not judged by numbers from the literature" in found.notes[0]
    assert evaluate_row(recipe, pack, bayes=pack, sizes=[2], repeats=2).claims[0].findings


def test_a_bayes_ensemble_trained_here_is_judged_too() -> None:
    pack = ensemble(classes=2, samples=25_000)
    found = _evaluated(bayes=pack)
    here = found.references[0]
    mean = np.mean(next(b.probs for b in pack.blocks(10**6)), axis=0)
    assert here.value == pytest.approx(np.mean(mean.argmax(-1) == pack.labels))
    assert "trained here" in here.label
    assert len(found.claims[0].findings) == 2


def test_a_bayes_ensemble_trained_here_is_compared_sample_by_sample() -> None:
    """The same members on both sides: no difference, and only the floor of one discordant sample each way."""
    pack = ensemble(classes=2, samples=2000)
    last = pack.pick(pack.last())
    found = evaluate_row(read_recipe("imdb-cnn_lstm-simple"), pack, bayes=last, sizes=[5], repeats=2)
    here = found.claims[0].findings[0]
    assert (here.difference, here.verdict) == (0.0, "held")
    assert here.half_width == pytest.approx(2 * np.sqrt(2) / 2000)
    drawn = evaluate_row(read_recipe("imdb-cnn_lstm-simple"), pack, bayes=last, sizes=[2], repeats=3)
    ours = drawn.curve("last", "uniform", "average")[0].accuracies
    spread = t.ppf(0.975, 2) * np.std(ours, ddof=1) / np.sqrt(3)
    assert drawn.claims[0].findings[0].half_width > spread


def test_a_bayes_ensemble_on_other_samples_is_refused() -> None:
    other = ensemble(classes=2, samples=200, seed=1)
    with pytest.raises(InputError, match="bayes: its samples must be those of the ensemble"):
        _evaluated(samples=200, bayes=other)


def test_an_epoch_budget_evaluates_each_size_by_its_own_runs() -> None:
    recipe = read_recipe("imdb-cnn_lstm-epoch-budget", ["training.sizes=[2, 3]"])
    assert {size: list(runs) for size, runs in (size_groups(recipe) or {}).items()} == {
        2: [1, 2],
        3: [3, 4, 5],
    }
    pack = ensemble(runs=5, states=1, samples=200, classes=2)
    found = evaluate_row(recipe, pack)
    assert found.settings.grouped
    with pytest.raises(InputError, match="the epoch budget trains ensembles of 2, 3 runs, got 4"):
        evaluate_row(recipe, pack, sizes=[2, 4])
    probs = next(iter(pack.blocks(10**6))).probs
    assert probs is not None
    for size, members in ((2, [0, 1]), (3, [2, 3, 4])):
        (row,) = [r for r in found.curve("last", "uniform", "average") if r.size == size]
        right = probs[members].mean(axis=0).argmax(-1) == pack.labels
        assert row.accuracy_mean == pytest.approx(right.mean())
    assert next(r.value for r in found.references if r.kind == "paper") == 0.873


def test_a_size_of_an_epoch_budget_whose_runs_failed_is_left_out_and_noted() -> None:
    recipe = read_recipe("imdb-cnn_lstm-epoch-budget", ["training.sizes=[2, 3]"])
    pack = ensemble(runs=5, states=1, samples=200, classes=2)
    found = evaluate_row(recipe, pack.pick([0, 1, 2, 4]))
    assert found.settings.sizes == (2,)
    assert "size 3 is left out: 1 of its runs are missing" in found.notes
    with pytest.raises(InputError, match="every size of the epoch budget lacks some of its runs"):
        evaluate_row(recipe, pack.pick([0, 2, 4]))


def test_another_number_of_test_samples_is_not_judged_by_the_literature() -> None:
    assert _evaluated(samples=200).claims[0].findings == ()
    assert len(_evaluated().claims[0].findings) == 1


def test_predictions_of_other_data_are_refused_and_other_samples_noted() -> None:
    recipe = read_recipe("imdb-cnn_lstm-checkpoints")
    with pytest.raises(InputError, match="has 2 classes, got 3; give predictions of these data"):
        evaluate_row(recipe, ensemble(classes=3, samples=50))
    assert _evaluated(samples=200).notes[0] == "200 samples; the official test set of imdb has 25,000"


def test_a_bayes_ensembles_own_members_are_not_judged_against_one() -> None:
    pack = ensemble(runs=1, states=4, classes=2, samples=200)
    found = evaluate_row(read_recipe("imdb-cnn_lstm-csghmc-ap"), pack)
    assert {reference.kind for reference in found.references} == {"bayes", "literature"}
    assert found.claims[0].findings == ()
    assert found.claims[0].reason == "the members are themselves those of a Bayes ensemble"


@pytest.mark.parametrize("name", ["imdb-cnn_lstm-sse", "imdb-cnn_lstm-bagging", "imdb-cnn_lstm-checkpoints"])
def test_the_first_claim_is_judged_by_plain_deep_ensembles_alone(name: str) -> None:
    found = evaluate_row(read_recipe(name), ensemble(classes=2, samples=200), sizes=[2], repeats=2)
    first = found.claims[0]
    assert first.findings == ()
    assert first.reason.startswith("it is about plain deep ensembles, and the members come from the strategy")


def test_an_interval_wider_than_the_margin_is_told() -> None:
    found = _evaluated()
    assert found.claims[0].verdict == "held"
    assert found.claims[0].reason == ""
    few = _evaluated(samples=200)
    level = few.curve("last", "uniform", "average")[-1].accuracy_mean
    equal = tuple(replace(r, value=level, judged=r.kind == "bayes") for r in few.references)
    first = judge(replace(few, references=equal))[0]
    assert first.findings[0].half_width > 0.005
    assert "could not be shown to be not worse" in first.reason
    assert "Note: the interval of ±" in claims_markdown((first,))


def test_single_states_have_nothing_beside_the_papers_numbers_for_all_states() -> None:
    pack = ensemble(states=1, classes=10, samples=200)
    found = evaluate_row(read_recipe("cifar10-resnet20-simple"), pack, sizes=[2], repeats=2)
    assert "all" not in {reference.members for reference in found.references}
    assert any("have no counterpart" in note for note in found.notes)
    several = evaluate_row(
        read_recipe("cifar10-resnet20-simple"), ensemble(classes=10, samples=200), sizes=[2]
    )
    assert "all" in {reference.members for reference in several.references}


def test_the_papers_number_of_runs_is_among_the_default_sizes() -> None:
    pack = ensemble(runs=30, states=1, classes=10, samples=60)
    found = evaluate_row(read_recipe("cifar10-resnet20-simple"), pack, repeats=1, weightings=["uniform"])
    assert found.settings.sizes == (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 24, 25, 30)


def test_a_bayes_ensemble_of_votes_is_said_to_vote() -> None:
    pack = ensemble(classes=2, samples=200)
    votes = Predictions.from_arrays(votes=pack.votes(), labels=pack.labels)
    found = _evaluated(samples=200, bayes=votes)
    assert found.references[0].vote == "majority"
    ours = found.curve("last", "uniform", "majority")[-1]
    assert found.claims[0].findings[0].ours == ours.accuracy_mean  # the same vote on both sides


@pytest.mark.parametrize("sizes", [[8], [0], []])
def test_sizes_are_checked_against_the_recipe(sizes: list[int]) -> None:
    with pytest.raises(InputError, match="sizes: "):
        require_sizes(read_recipe("demo", members=4), sizes)
    require_sizes(read_recipe("demo", members=4), [4])


def test_votes_without_probabilities_can_be_reproduced() -> None:
    pack = ensemble(classes=2, samples=200)
    votes = Predictions.from_arrays(votes=pack.votes(), labels=pack.labels, run=pack.run, step=pack.step)
    found = evaluate_row(read_recipe("imdb-cnn_lstm-checkpoints"), votes, sizes=[5], repeats=1)
    assert [claim.number for claim in found.claims] == [1, 2, 3]
