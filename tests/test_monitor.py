"""The evidence against a promise, from labels as they come in: brute force, nothing counted twice, sorted files."""

import math

import numpy as np
import pytest

from comitia import InputError, Predictions, monitor, weigh
from comitia._monitor import stand
from comitia._watch import Batch, Watch, batch_of
from comitia.statistics.evidence import bets, not_yet_bet, stake
from simulated import simulated

RISK = 0.2
WATCH = Watch("x", RISK, 0.05, "samples")


def batch(losses: np.ndarray, number: int = 0, ids: list[str] | None = None) -> Batch:
    """A batch of single samples with those losses, made through the front door."""
    pack = Predictions.from_arrays(
        votes=np.stack([losses, losses]).astype(int), labels=np.zeros(len(losses), int), classes=2, ids=ids
    )
    ensemble = weigh(Predictions.from_arrays(votes=[[0, 1] * 20] * 2, labels=[0, 1] * 20), method="uniform")
    return batch_of(ensemble, pack, f"file {number}")


def brute_force(losses: np.ndarray) -> float:
    """log10 of the evidence after fewer losses than bets begin anew after."""
    total = not_yet_bet(0)
    for bet in bets(RISK):
        total += stake(0) / len(bets(RISK)) * math.prod(1 + bet * (loss - RISK) for loss in losses)
    return math.log10(total)


def drawn(risk: float, count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(count) < risk


def test_the_evidence_is_that_of_brute_force() -> None:
    files = [drawn(0.25, 100, 1), drawn(0.25, 57, 2)]
    found = stand(WATCH, [batch(one, i) for i, one in enumerate(files)])
    assert found.log10_evidence == pytest.approx(brute_force(np.concatenate(files)), abs=1e-9)
    assert found.steps[0].log10_evidence == pytest.approx(brute_force(files[0]), abs=1e-9)
    assert found.error == pytest.approx(np.concatenate(files).mean())
    assert (found.labels, [step.labels for step in found.steps]) == (157, [100, 57])


def test_the_alarm_goes_on_and_stays_on() -> None:
    bad, good = drawn(0.6, 100), drawn(0.0, 3000)
    found = stand(WATCH, [batch(bad)])
    assert found.alarm
    assert found.alarm_at is not None
    assert 3 < found.alarm_at <= 100
    later = stand(WATCH, [batch(bad), batch(good, 1)])
    assert later.alarm
    assert later.alarm_at == found.alarm_at
    assert later.evidence < 1 / later.watch.alpha
    assert later.p_value == found.p_value < 0.05
    assert "does not hold any more" in later.sentence


def test_a_file_given_twice_counts_once() -> None:
    one, other = drawn(0.2, 50, 1), drawn(0.2, 60, 2)
    twice = stand(WATCH, [batch(one), batch(other), batch(one)])
    once = stand(WATCH, [batch(one), batch(other)])
    assert (twice.labels, twice.log10_evidence) == (once.labels, once.log10_evidence)
    assert twice.steps[-1].seen_before == 50
    assert twice.steps[-1].error is None


def test_a_sample_with_the_same_id_counts_once() -> None:
    one, other = drawn(0.2, 50, 1), drawn(0.2, 60, 2)
    first = batch(one, 0, [f"s{i}" for i in range(50)])
    second = batch(other, 1, [f"s{i}" for i in range(30, 90)])
    found = stand(WATCH, [first, second])
    assert (found.labels, found.steps[1].seen_before) == (90, 20)
    assert found.log10_evidence == pytest.approx(brute_force(np.concatenate([one, other[20:]])), abs=1e-9)


def test_a_group_with_the_same_name_counts_once() -> None:
    packs = [
        simulated(samples=100, seed=seed, groups=np.array([f"p{i // 10 + start}" for i in range(100)]))
        for seed, start in ((1, 0), (2, 6))
    ]
    found = monitor(weigh(simulated(groups=np.arange(400) // 4)), packs, risk=RISK)
    assert found.watch.unit == "groups"
    assert [(step.labels, step.seen_before) for step in found.steps] == [(10, 0), (6, 4)]


def test_a_file_sorted_by_its_errors_raises_no_alarm() -> None:
    """All errors first: in the order of the file the evidence would explode before it comes down."""
    losses = np.sort(drawn(0.15, 400))[::-1]
    assert 10 ** brute_force(losses[:40]) > 1000
    assert not stand(WATCH, [batch(losses)]).alarm


def test_the_path_has_its_ends_and_its_peak() -> None:
    losses = drawn(0.25, 450)
    found = stand(WATCH, [batch(losses)])
    assert found.path[0] == (0, 0.0, 0.0)
    assert found.path[-1] == (450, found.log10_evidence, found.error)
    assert max(power for _, power, _ in found.path) == pytest.approx(-math.log10(found.p_value), abs=1e-9)
    assert [at for at, _, _ in found.path] == sorted({at for at, _, _ in found.path})


def test_in_python_as_in_files() -> None:
    ensemble = weigh(simulated())
    new = [simulated(samples=80, seed=seed) for seed in (3, 4)]
    found = monitor(ensemble, new)
    watch = found.watch
    assert watch.risk == ensemble.best.risk
    assert found.log10_evidence == stand(watch, [batch_of(ensemble, one, "f") for one in new]).log10_evidence
    assert monitor(ensemble, new[0]).labels == 80
    assert found.to_json()["alarm"] is False


def test_large_evidence_can_be_written() -> None:
    found = stand(WATCH, [batch(np.ones(2000, bool))])
    record = found.to_json()
    assert record["evidence"] == 1e300
    assert record["log10_evidence"] > 300
    assert found.shown.startswith("10^")


@pytest.mark.parametrize(
    "options", [{"alpha": 0.0}, {"alpha": 1.0}, {"risk": 0.0}, {"risk": 1.0}, {"seed": -1}]
)
def test_bad_numbers(options: dict) -> None:
    with pytest.raises(InputError, match=f"{next(iter(options))}: must"):
        monitor(weigh(simulated()), simulated(seed=1), **options)


def test_members_missing() -> None:
    named = simulated(names=list("abcdef"))
    with pytest.raises(InputError, match="members missing from the files"):
        monitor(weigh(named), named.pick([0, 1]))


def test_before_the_first_label() -> None:
    found = stand(WATCH, [])
    assert (found.labels, found.error, found.evidence, found.alarm) == (0, None, 1.0, False)
    assert "no labels so far" in found.sentence
