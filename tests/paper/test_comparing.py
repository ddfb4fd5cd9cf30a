"""Ensembles side by side: numbers against loops over samples, and the same files again."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, t

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._split import split_samples
from comitia._weigh import weigh
from comitia.evaluation.comparison import Comparison
from comitia.paper.comparing import Scored, compare, findings, score_entries
from comitia.paper.comparison_plan import ComparisonPlan, Entry
from comitia.paper.outputs import COMPARISON_FILES, write_comparison
from comitia.recipes import recipe_from_dict

SAMPLES, CLASSES = 240, 3


def recipe(strategy: str, runs: int, epochs: int, **more: object):
    training = {"strategy": strategy, "runs": runs, "epochs": epochs, **more.pop("training", {})}
    table = {"name": "a", "data": {"name": "mnist5k"}, "model": {"name": "small_cnn"}, "training": training}
    return recipe_from_dict({**table, **more})


SAVED = Entry("saved", recipe("checkpoints", 2, 2, training={"save_every": 1}))
WARM = Entry("warm", recipe("csgld", 1, 4, sampler={"cycle": 2}))
COLD = Entry("cold", recipe("csgld", 1, 4, sampler={"cycle": 2, "temperature": 0.1}))
PLAN = ComparisonPlan("c", "", 4, 2, (replace(SAVED, name="simple", last_of="saved"), SAVED, WARM, COLD))


def pack(seed: int, runs: int, states: int, skill: float) -> Predictions:
    """Probabilities that favour the truth; the labels are the same for every seed."""
    labels = np.random.default_rng(0).integers(CLASSES, size=SAMPLES)
    random = np.random.default_rng(seed)
    logits = random.normal(size=(runs * states, SAMPLES, CLASSES))
    logits += skill * np.eye(CLASSES)[labels]
    probs = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    run, step = np.repeat(np.arange(1, runs + 1), states), np.tile(np.arange(1, states + 1), runs)
    return Predictions.from_arrays(probs=probs, labels=labels, run=run, step=step)


@pytest.fixture(scope="module")
def packs() -> dict[str, Predictions]:
    return {"saved": pack(1, 4, 2, 2.0), "warm": pack(2, 2, 2, 1.0), "cold": pack(3, 2, 2, 3.0)}


@pytest.fixture(scope="module")
def lines(packs: dict[str, Predictions]) -> tuple[Scored, ...]:
    found, notes = score_entries(PLAN, packs, seed=5)
    assert notes == ()
    return found


def test_every_ensemble_and_weighting_has_a_line(lines: tuple[Scored, ...]) -> None:
    wanted = [(e.name, w) for e in PLAN.entries for w in ("uniform", "tandem", "likelihood")]
    assert [(one.line.ensemble, one.line.weights) for one in lines] == wanted
    assert [one.line.members[0] for one in lines[::3]] == [2, 4, 2, 2]


@pytest.mark.parametrize(("place", "members"), [(0, [[1, 3], [5, 7]]), (3, [[0, 1, 2, 3], [4, 5, 6, 7]])])
def test_uniform_scores_against_loops(
    packs: dict[str, Predictions], lines: tuple[Scored, ...], place: int, members: list[list[int]]
) -> None:
    block = next(iter(packs["saved"].blocks(10**6)))
    assert block.probs is not None
    assert block.labels is not None
    for repeat, chosen in enumerate(members):
        accuracy, nll, certified = [], [], []
        for part in split_samples(SAMPLES, 0.5, 5 + repeat):
            rows = [np.mean([block.probs[m, i] for m in chosen], axis=0) for i in part]
            right = [int(np.argmax(row)) == block.labels[i] for row, i in zip(rows, part, strict=True)]
            accuracy.append(np.mean(right))
            nll.append(np.mean([-np.log(row[block.labels[i]]) for row, i in zip(rows, part, strict=True)]))
            errors = len(right) - sum(right)
            certified.append(beta.ppf(0.95, errors + 1, len(right) - errors))
        line = lines[place].line
        assert line.accuracy[repeat] == pytest.approx(np.mean(accuracy))
        assert line.nll[repeat] == pytest.approx(np.mean(nll))
        assert line.certificate[repeat] == pytest.approx(np.mean(certified), abs=1e-9)
        assert line.effective[repeat] == pytest.approx(len(chosen))


def test_weights_come_from_the_other_half(packs: dict[str, Predictions], lines: tuple[Scored, ...]) -> None:
    """Likelihood weights of the first repeat, by a product over samples."""
    block = next(iter(packs["saved"].pick([0, 1, 2, 3]).blocks(10**6)))
    assert block.probs is not None
    assert block.labels is not None
    halves = split_samples(SAMPLES, 0.5, 5)
    found = []
    for weighing, scoring in (halves, halves[::-1]):
        sums = [sum(np.log(block.probs[m, i, block.labels[i]]) for i in weighing) for m in range(4)]
        rho = np.exp(np.array(sums) - max(sums))
        rho /= rho.sum()
        totals = np.einsum("m,mic->ic", rho, block.probs[:, scoring])
        found.append(np.mean(totals.argmax(axis=1) == block.labels[scoring]))
    assert lines[5].line.accuracy[0] == pytest.approx(np.mean(found))


def test_the_interval_pairs_samples_and_repeats(lines: tuple[Scored, ...]) -> None:
    one, other = lines[0], lines[6]
    pairs = list(zip(one.right, other.right, strict=True))
    paired = [np.mean([float(a[i]) - float(b[i]) for a, b in pairs]) for i in range(SAMPLES)]
    repeats = [a - b for a, b in zip(one.line.accuracy, other.line.accuracy, strict=True)]
    wanted = (
        4 * (np.var(paired, ddof=1) + 2 / SAMPLES) / SAMPLES
        + t.ppf(0.975, 1) ** 2 * np.var(repeats, ddof=1) / 2
    )
    (found,) = [
        f for f in findings(lines) if f.text.startswith("simple, uniform weights against warm, uniform")
    ]
    assert found.half_width == pytest.approx(np.sqrt(wanted))
    assert found.difference == pytest.approx(np.mean(repeats))


@pytest.mark.parametrize("place", [6, 7])
def test_the_half_that_chose_the_weights_does_not_certify_them(
    packs: dict[str, Predictions], lines: tuple[Scored, ...], place: int
) -> None:
    """Uniform and tandem weights of a chain, first repeat: errors and ties on the other half, by a loop."""
    pack, certified, leaky = packs["warm"].pick([0, 1]), [], []
    halves = split_samples(SAMPLES, 0.5, 5)
    for weighing, scoring in (halves, halves[::-1]):
        rho = weigh(
            pack.take(weighing), method=lines[place].line.weights, certify_fraction=0, vote="majority"
        ).weights
        for half, risks in ((scoring, certified), (weighing, leaky)):
            (block,) = pack.take(half).blocks(10**6)
            assert block.probs is not None
            totals = np.einsum("m,mic->ic", rho, block.probs)
            true = totals[np.arange(len(half)), block.labels]
            others = np.where(np.eye(CLASSES, dtype=bool)[block.labels], -1.0, totals).max(axis=1)
            errors = int((true <= others + 1e-9).sum())
            risks.append(beta.ppf(0.95, errors + 1, len(half) - errors))
    assert lines[place].line.certificate[0] == pytest.approx(np.mean(certified), abs=1e-9)
    if lines[place].line.weights == "tandem":
        assert np.mean(leaky) != pytest.approx(np.mean(certified), abs=1e-9)


def test_findings_ask_what_they_should(lines: tuple[Scored, ...]) -> None:
    found = {finding.text: finding for finding in findings(lines)}
    uniform = "simple, uniform weights"
    assert found[f"{uniform} against warm, uniform weights: not worse"].difference > 0
    assert found[f"{uniform} against cold, uniform weights: not worse"].difference < 0
    assert found["cold, uniform weights against warm, uniform weights: better"].difference > 0
    assert f"cold, tandem weights against {uniform}: better" in found
    assert "warm, likelihood weights against warm, uniform weights: not worse" in found
    assert not [text for text in found if text.startswith("warm, uniform weights against cold")]
    assert len(found) == 2 + 4 + 4 + 3 + 1


def test_a_missing_run_is_noted_and_a_missing_repeat_left_out(packs: dict[str, Predictions]) -> None:
    whole = packs["warm"]
    assert whole.run is not None
    less = {**packs, "warm": whole.pick(np.flatnonzero(whole.run == 1))}
    found, notes = score_entries(PLAN, less, weightings=("uniform",), seed=5)
    assert notes == ("warm, repeat 2: some of its runs are missing",)
    assert [one.line.repeats for one in found] == [(1, 2), (1, 2), (1,), (1, 2)]
    assert found[2].line.spread("accuracy") is None
    (told,) = [f for f in findings(found) if f.text.startswith("simple, uniform weights against warm")]
    assert told.ours == pytest.approx(found[0].line.accuracy[0])  # of the repeat that both have
    assert told.verdict == "not decidable at this scale"


def test_repeats_are_paired_by_number_not_by_place(packs: dict[str, Predictions]) -> None:
    first, second = (
        packs[name].pick(np.flatnonzero(packs[name].run == r)) for name, r in (("warm", 1), ("cold", 2))
    )
    found, _ = score_entries(PLAN, {**packs, "warm": first, "cold": second}, weightings=("uniform",), seed=5)
    assert not [f for f in findings(found) if f.text.startswith("cold, uniform weights against warm")]


def test_other_test_samples_are_refused(packs: dict[str, Predictions]) -> None:
    block = next(iter(packs["cold"].blocks(10**6)))
    other = Predictions.from_arrays(
        probs=block.probs,
        labels=1 - np.minimum(block.labels, 1),
        run=packs["cold"].run,
        step=packs["cold"].step,
    )
    with pytest.raises(InputError, match="ensemble cold: its test samples must be those of the others"):
        compare(PLAN, {**packs, "cold": other})


def test_outputs_are_the_same_byte_for_byte(packs: dict[str, Predictions], tmp_path: Path) -> None:
    for folder in ("a", "b"):
        written = write_comparison(compare(PLAN, packs), tmp_path / folder, {})
        assert {path.name for path in written} == set(COMPARISON_FILES)
    for name in COMPARISON_FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    stored = json.loads((tmp_path / "a" / "comparison.json").read_text())
    assert len(stored["lines"]) == 12
    accuracy = np.mean(stored["lines"][0]["accuracy"])
    assert f"| simple | – | 4 | 2 | uniform | {accuracy:.4f} |" in (tmp_path / "a" / "table.md").read_text()


def test_what_is_written_is_read_again(packs: dict[str, Predictions], tmp_path: Path) -> None:
    found = compare(PLAN, packs, seed=5)
    write_comparison(found, tmp_path, {})
    assert Comparison.from_json((tmp_path / "comparison.json").read_text()) == found
    assert [one.temperature for one in found.ensembles.values()] == [None, None, 1.0, 0.1]
