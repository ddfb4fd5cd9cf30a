"""Statistics: values of weights, members picked, and the reference ensembles."""

import doctest
import json
import subprocess
import sys

import numpy as np
import pytest

import comitia.statistics.moments
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.npz import read_npz
from comitia.statistics import measure
from panels import loss_of, lost, panel, some_groups
from shared_data import shared

RNG = np.random.default_rng(8)
LABELS = RNG.integers(0, 3, 200)
VOTES = np.where(RNG.random((5, 200)) < 0.7, LABELS, RNG.integers(0, 3, (5, 200)))
MASK = RNG.random((5, 200)) < 0.5
RHO = np.array([0.1, 0.3, 0.2, 0.15, 0.25])


def predictions(masked):
    return Predictions.from_arrays(votes=VOTES, labels=LABELS, mask=MASK if masked else None)


def test_examples():
    assert doctest.testmod(comitia.statistics.moments).failed == 0


def test_values_are_expectations_over_the_weights():
    found, errors = measure(predictions(False)), VOTES != LABELS
    weight = RHO @ errors
    differ = np.mean([[[a != b for a in column] for b in column] for column in VOTES.T.tolist()], axis=0)
    assert found.gibbs(RHO) == pytest.approx(weight.mean(), rel=1e-13)
    assert found.tandem(RHO) == pytest.approx((weight**2).mean(), rel=1e-13)
    assert found.moment(RHO) == pytest.approx((3 * weight - 2 * weight**2).mean(), rel=1e-13)
    assert found.disagreement_of(RHO) == pytest.approx(RHO @ differ @ RHO, rel=1e-13)
    assert (found.first_samples, found.pair_samples, found.shared) == (200, 200, True)


def test_moment_of_own_hold_outs_uses_the_common_samples_of_each_pair():
    found, errors = measure(predictions(True)), (VOTES != LABELS).astype(float)
    expected = 0.0
    for i in range(5):
        for j in range(5):
            a, b = (errors[k][MASK[i] & MASK[j]] for k in (i, j))
            expected += RHO[i] * RHO[j] * np.mean(1.5 * (a + b) - 2 * a * b)
    assert found.moment(RHO) == pytest.approx(expected, rel=1e-13)
    assert found.first_samples == MASK.sum(axis=1).min()
    assert found.pair_samples == min((MASK[i] & MASK[j]).sum() for i in range(5) for j in range(5))


@pytest.mark.parametrize("masked", [False, True])
def test_picked_statistics_are_those_of_the_picked_members(masked):
    members = np.array([3, 0, 4])
    picked = measure(predictions(masked)).pick(members)
    direct = measure(predictions(masked).pick(members))
    for name in (
        "first",
        "second",
        "disagreement",
        "pair_first",
        "first_samples",
        "pair_samples",
        "overlaps",
    ):
        assert np.array_equal(getattr(picked, name), getattr(direct, name)), name


def test_a_pair_without_common_samples_is_named():
    mask = np.array([[True, False, True], [False, True, False], [True, True, True]])
    lonely = Predictions.from_arrays(votes=VOTES[:3, :3], labels=LABELS[:3], mask=mask, names=["a", "b", "c"])
    with pytest.raises(InputError, match="'a' and 'b' have no hold-out sample in common"):
        measure(lonely)
    with pytest.raises(InputError, match="'b' has no hold-out sample here"):
        measure(lonely.take([0, 2]))
    assert measure(lonely.pick([0, 2])).pair_samples == 2


def test_unknown_losses_are_refused():
    with pytest.raises(InputError, match="did you mean 'hard'"):
        measure(predictions(False), "hardd")


PACKS = ["cifar10-resnet20-checkpoints-validation", "cifar10-resnet20-bagging-outofbag"]


@pytest.mark.parametrize("name", PACKS)
def test_reference_values_of_uniform_weights(name):
    reference = json.loads(shared("predictions/reference-values.json").read_text())[name]
    found = measure(read_npz(shared(f"predictions/{name}.npz")))
    uniform = np.full(len(found.first), 1 / len(found.first))
    assert (found.first_samples, found.pair_samples) == (reference["n_min"], reference["pair_n_min"])
    assert found.gibbs(uniform) == pytest.approx(reference["uniform"]["gibbs"], abs=6e-6)
    assert found.tandem(uniform) == pytest.approx(reference["uniform"]["tandem_risk"], abs=6e-6)
    assert found.disagreement_of(uniform) == pytest.approx(reference["uniform"]["disagreement"], abs=6e-6)


PEAK = """
import sys, numpy as np
import comitia._kernels  # numba itself is not what is measured
from comitia.files import read_predictions
from comitia.statistics import measure

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

small, large = (read_predictions([path]) for path in sys.argv[1:])
for loss in ("hard", "soft"):
    measure(small, loss)
before = peak()
for loss in ("hard", "soft"):
    measure(large, loss)
next(large.blocks())
large.fingerprint()
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory of Linux")
def test_a_large_file_is_measured_in_bounded_memory(tmp_path):
    for name, samples in (("small", 10), ("large", 200_000)):
        probs, labels = np.broadcast_to(np.float32(0.05), (10, samples, 20)), np.zeros(samples, int)
        np.savez(tmp_path / f"{name}.npz", probs=probs, labels=labels)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "small.npz"), str(tmp_path / "large.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # The file has 160 MB; a block of float64 probabilities has 13 MB, the gathered losses 16 MB.
    assert int(done.stdout) < 100_000, f"{done.stdout} KB"


@pytest.mark.parametrize("loss", ["hard", "soft"])
@pytest.mark.parametrize("grouped", [False, True])
def test_moments_with_abstentions_and_groups_agree_with_loops(loss, grouped, monkeypatch):
    """No answer costs one half in every moment; groups are averaged within first, and counted."""
    monkeypatch.setattr("comitia.statistics.soft.GATHERED", 500)
    given, vote = panel(votes=loss == "hard"), "majority" if loss == "hard" else "average"
    names = some_groups() if grouped else np.arange(120)
    pack = Predictions.from_arrays(**given, groups=names if grouped else None)
    shards = Predictions.concatenate([pack.take(np.arange(70)), pack.take(np.arange(70, 120))])
    e = [[loss_of(given, i, k, vote) for k in range(120)] for i in range(5)]
    inside = [[k for k in range(120) if names[k] == name] for name in dict.fromkeys(names.tolist())]
    for found in (measure(pack, loss), measure(shards, loss)):
        assert (found.first_samples, found.pair_samples, found.loss) == (len(inside), len(inside), loss)
        for i in range(5):
            mean = np.mean([np.mean([e[i][k] for k in group]) for group in inside])
            assert found.first[i] == pytest.approx(mean, rel=1e-12)
            for j in range(5):
                both = np.mean([np.mean([e[i][k] * e[j][k] for k in group]) for group in inside])
                assert found.second[i, j] == pytest.approx(both, rel=1e-12)


@pytest.mark.parametrize("grouped", [False, True])
def test_no_answer_is_an_answer_of_its_own_in_disagreements(grouped):
    given = panel()
    names = some_groups() if grouped else np.arange(120)
    found = measure(Predictions.from_arrays(**given, groups=names if grouped else None))
    said = np.where(given["abstained"], -1, given["votes"])
    for i in range(5):
        for j in range(5):
            rates = [np.mean(said[i, names == g] != said[j, names == g]) for g in set(names.tolist())]
            assert found.disagreement[i, j] == pytest.approx(np.mean(rates), abs=1e-12)


def test_moments_with_abstentions_on_own_hold_outs_agree_with_loops():
    given, mask = panel(), np.random.default_rng(1).random((5, 120)) < 0.6
    found = measure(Predictions.from_arrays(**given, mask=mask))
    e = np.array([[loss_of(given, i, k, "majority") for k in range(120)] for i in range(5)])
    for i in range(5):
        assert found.first[i] == pytest.approx(e[i][mask[i]].mean(), rel=1e-12)
        for j in range(5):
            both = mask[i] & mask[j]
            assert found.second[i, j] == pytest.approx((e[i] * e[j])[both].mean(), rel=1e-12)
            assert found.pair_first[i, j] == pytest.approx(e[i][both].mean(), rel=1e-12)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_a_vote_that_errs_or_that_nobody_gives_has_a_loss_of_a_half(vote):
    """What makes bounds from moments valid where members decline."""
    given = panel(votes=vote == "majority")
    e = np.array([[loss_of(given, i, k, vote) for k in range(120)] for i in range(5)])
    for rho in np.random.default_rng(0).dirichlet(np.ones(5), 5):
        errs = np.array(lost(given, rho, vote))
        assert errs[:4].all()
        assert (rho @ e)[errs].min() >= 0.5 - 1e-9


@pytest.mark.parametrize("loss", ["hard", "soft"])
def test_groups_and_own_hold_outs_do_not_go_together(loss):
    pack = Predictions.from_arrays(
        **panel(votes=False), groups=some_groups(), mask=np.arange(600).reshape(5, 120) > 0
    )
    with pytest.raises(
        InputError, match=r"groups: members with hold-outs of their own \(mask\) are not cert"
    ):
        measure(pack, loss)
