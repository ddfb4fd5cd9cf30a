"""Panels for tests of the core: arrays of members that may decline, on samples in groups; and plain loops over them."""

from typing import Any

import numpy as np

TIE = 1e-9


def panel(
    members: int = 5,
    samples: int = 120,
    classes: int = 3,
    *,
    seed: int = 0,
    silent: float = 0.3,
    votes: bool = True,
) -> dict[str, Any]:
    """Votes or probabilities, labels and abstentions; nobody answers on the first four samples, if any decline."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, samples)
    logits = rng.normal(size=(members, samples, classes)) + 0.7 * rng.normal(size=(samples, classes))
    logits[:, np.arange(samples), labels] += np.linspace(1.0, 2.5, members)[:, None]
    probs = np.exp(logits)
    probs /= probs.sum(axis=2, keepdims=True)
    found = {"votes": probs.argmax(axis=2)} if votes else {"probs": probs}
    abstained = rng.random((members, samples)) < silent
    abstained[:, :4] |= silent > 0
    return {**found, "labels": labels, "abstained": abstained if silent else None, "classes": classes}


def some_groups(samples: int = 120, count: int = 40, seed: int = 9) -> np.ndarray:
    """Groups of different sizes, all of which occur, in no order."""
    rng = np.random.default_rng(seed)
    return rng.permutation(np.concatenate([np.arange(count), rng.integers(0, count, samples - count)]))


def answers_of(given: dict[str, Any], member: int, sample: int) -> list[float] | None:
    """What a member adds to each class per unit of weight in the average vote; None where it does not answer."""
    if given.get("abstained") is not None and given["abstained"][member, sample]:
        return None
    if "votes" in given:
        return [float(given["votes"][member, sample] == c) for c in range(given["classes"])]
    return [float(p) for p in given["probs"][member, sample]]


def loss_of(given: dict[str, Any], member: int, sample: int, vote: str) -> float:
    """l = (1 + wrong − right)/2 of a vote, (1 + largest other − own)/2 of probabilities; one half for no answer."""
    found = answers_of(given, member, sample)
    if found is None:
        return 0.5
    if vote == "majority":
        found = [float(c == found.index(max(found))) for c in range(len(found))]
    label = int(given["labels"][sample])
    return (1 + max(p for c, p in enumerate(found) if c != label) - found[label]) / 2


def totals_of(given: dict[str, Any], weights: Any, sample: int, vote: str) -> list[float]:
    """The weight that each class gets from those who answer."""
    totals = [0.0] * given["classes"]
    for member, weight in enumerate(weights):
        found = answers_of(given, member, sample)
        if found is not None and vote == "majority":
            totals[found.index(max(found))] += float(weight)
        elif found is not None:
            totals = [total + float(weight) * p for total, p in zip(totals, found)]
    return totals


def lost(given: dict[str, Any], weights: Any, vote: str) -> list[bool]:
    """Whether the true class does not lead: the vote errs, ties, or nobody answers."""
    found = []
    for sample, label in enumerate(given["labels"].tolist()):
        totals = totals_of(given, weights, sample, vote)
        found.append(totals[label] <= max(t for c, t in enumerate(totals) if c != label) + TIE)
    return found
