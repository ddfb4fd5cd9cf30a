"""The claims judged by several results together: counts and ranges against a loop over their findings."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from comitia.evaluation import Evaluation
from comitia.evaluation.findings import Finding
from comitia.evaluation.records import Claim
from comitia.paper.verdicts import verdicts
from paper.small_rows import small_row


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    folder = tmp_path_factory.mktemp("two")
    name = "imdb-cnn_lstm-simple"
    return {
        "good": small_row(folder / "a", samples=1500),
        "small": small_row(folder / "b", name, states=1, samples=25_000, make=1, trained="paper"),
    }


def looped(evaluations: dict[str, Evaluation], number: int, *parts: str) -> list[Finding]:
    found = []
    for evaluation in evaluations.values():
        for claim in evaluation.claims:
            for finding in claim.findings:
                if (
                    claim.number == number
                    and finding.decisive
                    and all(part in finding.text for part in parts)
                ):
                    found.append(finding)
    return found


def counted(verdicts: list[str]) -> str:
    held, failed, open_ = (verdicts.count(v) for v in ("held", "not held", "not decidable at this scale"))
    return f"held in {held}, not held in {failed}, not decidable in {open_}"


def ranged(findings: list[Finding]) -> str:
    ordered = sorted(finding.difference for finding in findings)
    return f"{ordered[0]:+.4f} to {ordered[-1]:+.4f}"


def judged(evaluations: dict[str, Evaluation], number: int) -> dict[str, str]:
    return {
        name: claim.verdict
        for name, found in evaluations.items()
        for claim in found.claims
        if claim.number == number and claim.findings
    }


@pytest.mark.parametrize("number", [1, 2, 3])
def test_results_are_counted_and_those_that_do_not_hold_named(
    two: dict[str, Evaluation], number: int
) -> None:
    text, known = verdicts(two)[number], judged(two, number)
    assert known
    assert f"Judged on {len(known)} results: {counted(list(known.values()))}" in text
    others = [name for name, verdict in known.items() if verdict != "held"]
    named = re.search(r"not decidable in \d+(?: \(([^)]*)\))?\.", text)
    assert named is not None
    assert (named.group(1) or "") == "; ".join(others)


def test_the_second_claim_tells_accuracies_and_bounds(two: dict[str, Evaluation]) -> None:
    text = verdicts(two)[2]
    accuracies = looped(two, 2, "accuracy")
    assert len(accuracies) == 3  # last and all states of the first, last ones of the second
    assert f"{ranged(accuracies)}, {counted([f.verdict for f in accuracies])}." in text
    tighter, sound = looped(two, 2, "tandem below uniform"), looped(two, 2, ": below 1")
    held = [f for f in tighter if f.verdict == "held"]
    gain = max(f.other - f.ours for f in held)
    assert f"The bound is smaller in {len(held)} of {len(tighter)} comparisons, by up to {gain:.3f}," in text
    assert f"below 1 in {sum(f.verdict == 'held' for f in sound)} of {len(sound)}." in text


def test_the_third_claim_tells_its_three_comparisons(two: dict[str, Evaluation]) -> None:
    text = verdicts(two)[3]
    for part in (
        "tandem weights on last states",
        "all states against uniform weights on all",
        "early stopping",
    ):
        found = looped(two, 3, f"against {part}" if part.startswith("tandem") else part)
        assert len(found) == 1
        assert f": {ranged(found)}, {counted([f.verdict for f in found])}." in text


def with_first(evaluation: Evaluation, *findings: Finding, grouped: bool = False) -> Evaluation:
    claim = Claim(1, "s", findings[0].verdict, findings)
    settings = replace(evaluation.settings, grouped=grouped)
    return replace(evaluation, settings=settings, claims=(claim, *evaluation.claims[1:]))


def compared(difference: float, reach: float) -> Finding:
    return Finding("t", 0.5 + difference, 0.5, difference, reach, "held")


def test_the_first_claim_tells_the_best_size_of_a_budget_and_else_the_hardest_reference(
    two: dict[str, Evaluation],
) -> None:
    both = (compared(-0.02, 0.001), compared(0.03, 0.002))
    text = verdicts({"a": with_first(two["good"], *both), "b": with_first(two["good"], *both, grouped=True)})[
        1
    ]
    assert "at the best size: a -0.0200 ± 0.0010; b +0.0300 ± 0.0020. In 1 of 2 the deep" in text
    assert "wider than the margin" not in text


def test_the_first_claim_says_when_no_interval_could_show_equality(two: dict[str, Evaluation]) -> None:
    text = verdicts({"a": with_first(two["good"], compared(0.01, 0.0051))})[1]
    assert "Every interval is wider than the margin of 0.005." in text


def test_without_findings_nothing_is_judged(two: dict[str, Evaluation]) -> None:
    bare = {name: replace(found, claims=()) for name, found in two.items()}
    for evaluations in ({}, bare):
        for number, text in verdicts(evaluations).items():
            assert text.startswith(f"**Claim {number}.** *")
            assert text.endswith("No result has the numbers that it needs.")


def test_a_claim_without_bounds_or_without_gains_tells_none(two: dict[str, Evaluation]) -> None:
    second = next(claim for claim in two["good"].claims if claim.number == 2)
    accuracies = tuple(f for f in second.findings if "accuracy" in f.text)
    found = replace(two["good"], claims=(replace(second, findings=accuracies),))
    assert "The bound is smaller in 0 of 0 comparisons, and below 1 in 0 of 0." in verdicts({"a": found})[2]


def test_early_stopping_is_left_out_where_it_was_not_compared(tmp_path: Path) -> None:
    found = small_row(tmp_path, weightings=["uniform", "tandem"])
    assert "Against early stopping" not in verdicts({"a": found})[3]
