"""Simulate what happens to a certificate when an assumption is broken: write the record, the figure and the table.

`make assumptions` runs it. Every problem has a known true risk. A certificate fails where that risk is above it.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from comitia._split import default_fraction, split_samples
from comitia.bounds.table import BOUNDS
from comitia.pages.draw_matplotlib import drawn
from comitia.pages.figure import Figure, Panel, Series, Table, percent

DOCS = Path(__file__).parent
RECORD, FIGURE, PAGE = "assumptions.json", "assumptions.svg", "what-can-go-wrong.md"
BEGIN, END = "<!-- rates: from the record -->\n", "<!-- end of rates -->\n"
DELTA, MEMBERS, SAMPLES, ERROR = 0.05, 9, 400, 0.2
SEEDS = (1, 2, 5, 10, 50)
GROUPS, LEAKS, DRIFTS, SPREADS = (2, 5, 10), (0.02, 0.05, 0.1), (1.1, 1.25, 1.5), (0.01, 0.02, 0.05)

Row = dict[str, Any]


def certified(errors: np.ndarray, seed: int, fraction: float | None = None) -> float:
    """Return what `weigh(method="best", seed=seed)` promises for members with those errors (M, n).

    The split and the formula are those of `weigh`, which computes much else besides; a test compares the two.
    """
    samples = errors.shape[1]
    weighing, kept = split_samples(samples, default_fraction(samples) if fraction is None else fraction, seed)
    best = errors[:, weighing].sum(axis=1).argmin()
    return float(BOUNDS["split"].formula(errors=int(errors[best, kept].sum()), n=len(kept), delta=DELTA))


def drawn_errors(random: np.random.Generator, samples: int, rate: float = ERROR) -> np.ndarray:
    """Return errors (M, n): all members err at the same rate, so that whichever is chosen has that true risk."""
    return random.random((MEMBERS, samples)) < rate


def all_hold(random: np.random.Generator, repeats: int) -> Iterator[Row]:
    """Nothing is broken."""
    risks = [certified(drawn_errors(random, SAMPLES), seed=0) for _ in range(repeats)]
    yield row("all assumptions hold", "", np.array(risks) < ERROR)


def seed_hunting(random: np.random.Generator, repeats: int) -> Iterator[Row]:
    """The smallest promise of many seeds is quoted."""
    risks = []
    for _ in range(repeats):
        errors = drawn_errors(random, SAMPLES)
        risks.append([certified(errors, seed, 0.5) for seed in range(max(SEEDS))])
    least = np.minimum.accumulate(np.array(risks), axis=1)
    for seeds in SEEDS[1:]:
        yield row("seed hunting", f"best of {seeds} seeds", least[:, seeds - 1] < ERROR)


def groups(random: np.random.Generator, repeats: int) -> Iterator[Row]:
    """Samples come in groups that err together, and nobody says so."""
    for size in GROUPS:
        risks = [
            certified(np.repeat(drawn_errors(random, SAMPLES // size), size, axis=1), 0)
            for _ in range(repeats)
        ]
        yield row("groups not named", f"{size} samples per group", np.array(risks) < ERROR)


def leaks(random: np.random.Generator, repeats: int) -> Iterator[Row]:
    """Some of the hold-out was trained on: members know its labels."""
    for share in LEAKS:
        known = [random.random(SAMPLES) < share for _ in range(repeats)]
        risks = [certified(drawn_errors(random, SAMPLES) & ~seen, 0) for seen in known]
        yield row("training data in the hold-out", f"{percent(share, 0)} leaked", np.array(risks) < ERROR)


def drift(random: np.random.Generator, repeats: int) -> Iterator[Row]:
    """Where the vote is used, it errs more often than where it was certified."""
    for factor in DRIFTS:
        risks = [certified(drawn_errors(random, SAMPLES), 0) for _ in range(repeats)]
        yield row("drift", f"errors × {factor:g}", np.array(risks) < ERROR * factor)


def out_of_fold(random: np.random.Generator, repeats: int) -> Iterator[Row]:
    """Errors of five models on their folds are certified, and a sixth is used, trained in the same way on all samples.

    `weigh` refuses this; the numbers are those of the formula that it would have to use.
    """
    for spread in SPREADS:
        risks = np.clip(random.normal(ERROR, spread, (repeats, 6)), 0.01, 0.99)
        counts = random.binomial(SAMPLES // 5, risks[:, :5]).sum(axis=1)
        promised = [BOUNDS["holdout"].formula(errors=int(count), n=SAMPLES, delta=DELTA) for count in counts]
        yield row("out-of-fold", f"refits ± {100 * spread:g} points", np.array(promised) < risks[:, 5])


def row(assumption: str, how: str, failed: np.ndarray) -> Row:
    """Return how often the promise failed, of how many problems."""
    return {"assumption": assumption, "how": how, "failed": int(failed.sum()), "problems": len(failed)}


def simulate(repeats: int, seed: int) -> dict[str, Any]:
    """Return the record of all simulations."""
    found = []
    for place, part in enumerate((all_hold, seed_hunting, groups, leaks, drift, out_of_fold)):
        # the one rate that must not be above delta is measured more closely
        times = 4 if part is all_hold else 1
        found += part(np.random.default_rng([seed, place]), times * repeats)
    about = {
        "delta": DELTA,
        "members": MEMBERS,
        "samples": SAMPLES,
        "error": ERROR,
        "repeats": repeats,
        "seed": seed,
    }
    return {**about, "rows": found}


def figure_of(record: dict[str, Any]) -> Figure:
    """Return the rates of failure as bars."""
    rows = record["rows"]
    names = tuple(one["how"] or one["assumption"] for one in rows)
    rates = tuple(one["failed"] / one["problems"] for one in rows)
    series = Series(
        name="certificates that fail",
        role="tandem",
        x=tuple(float(place) for place in range(len(rows))),
        y=rates,
        labels=tuple(percent(rate) for rate in rates),
        strong=tuple(one["assumption"].startswith("all") for one in rows),
    )
    return Figure(
        key="assumptions",
        title="How often a promise at 95% fails",
        caption="Strong: all assumptions hold, and at most 5% may fail.",
        alt="; ".join(f"{name}: {percent(rate)}" for name, rate in zip(names, rates)),
        x_title="share of promises that are false (at most 5% may be)",
        panels=(Panel("across", "", (series,), ticks=names, percent=True),),
        table=Table(("assumption", "false promises"), tuple(zip(names, rates))),
    )


def table_of(record: dict[str, Any]) -> str:
    """Return the rates as a Markdown table."""
    lines = ["| what is broken | how | false promises | of |", "|---|---|--:|--:|"]
    for one in record["rows"]:
        share = percent(one["failed"] / one["problems"])
        lines.append(f"| {one['assumption']} | {one['how'] or '–'} | {share} | {one['problems']:,} |")
    return "\n".join(lines) + "\n"


def page_of(text: str, record: dict[str, Any]) -> str:
    """Return the page with the table of the record."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table_of(record)}\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Simulate, and write the record, the figure and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    record = simulate(asked.repeats, asked.seed)
    assets = DOCS / "assets"
    (assets / RECORD).write_text(json.dumps(record, indent=1) + "\n")
    (assets / FIGURE).write_bytes(drawn(figure_of(record), ("svg",))["svg"])
    page = DOCS / PAGE
    page.write_text(page_of(page.read_text(encoding="utf-8"), record), encoding="utf-8")


if __name__ == "__main__":
    main()
