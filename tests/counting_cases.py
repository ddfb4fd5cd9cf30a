"""The same samples as one whole and as shards: masks, abstentions, classes that not every shard has, members moved."""

from functools import cache

import numpy as np

from comitia import Predictions

#: What `weigh` does with counts, where nothing is asked for.
AS_COUNTED = {"method": "tandem", "vote": "majority"}
MEMBERS, WEIGHED, SAMPLES, SHARDS = 6, 960, 1300, 8
NAMES = np.array(["anna", "ben", "cleo", "dan", "eve", "finn"])
ANIMALS = np.array(["dog", "cat", "eel"])
KINDS = (
    *("votes", "two classes", "probabilities", "masked", "abstaining", "masked and abstaining"),
    *("text classes", "numbers with gaps", "runs"),
)
_EDGES = [0, 50, 200, 330, 400, 555, 700, 840, WEIGHED]
_ORDERS = [None, *(np.random.default_rng(k).permutation(MEMBERS).tolist() for k in range(1, SHARDS))]
PARTS = [(slice(*ends), order) for *ends, order in zip(_EDGES, _EDGES[1:], _ORDERS)]


@cache
def drawn(kind: str) -> dict[str, np.ndarray]:
    """All samples of a kind as arrays, the last of them apart from those that are weighed."""
    rng = np.random.default_rng(KINDS.index(kind))
    classes = 2 if kind == "two classes" else 3
    labels = rng.integers(0, classes, SAMPLES)
    if kind in (
        "text classes",
        "numbers with gaps",
    ):  # sorted, so that most shards have some of the classes only
        labels = np.concatenate([np.sort(labels[:WEIGHED]), labels[WEIGHED:]])
    skill = np.linspace(0.6, 0.9, MEMBERS)[:, None] - 0.3 * (rng.random(SAMPLES) < 0.2)
    guess = np.minimum(labels + 1, classes - 1) if kind in ("text classes", "numbers with gaps") else None
    other = rng.integers(0, classes, (MEMBERS, SAMPLES)) if guess is None else guess
    votes = np.where(rng.random((MEMBERS, SAMPLES)) < skill, labels, other)
    found = {"votes": votes, "labels": labels}
    if kind == "probabilities":
        probs = rng.dirichlet(np.ones(3), (MEMBERS, SAMPLES)) + 2 * np.eye(3)[votes]
        found = {"probs": probs / 3, "labels": labels}
    if kind == "text classes":
        found = {"votes": ANIMALS[votes], "labels": ANIMALS[labels]}
    if kind == "numbers with gaps":
        found = {"votes": np.array([0, 2, 5])[votes], "labels": np.array([0, 2, 5])[labels]}
    if "masked" in kind:
        found["mask"] = rng.random((MEMBERS, SAMPLES)) < 0.7
    if "abstaining" in kind:
        found["abstained"] = rng.random((MEMBERS, SAMPLES)) < 0.15
    return found


def arrays(kind: str, where: slice, order: list[int] | None = None) -> dict[str, np.ndarray]:
    """Some samples of a kind, members in that order, as arrays of a pack."""
    members = np.arange(MEMBERS) if order is None else np.array(order)
    values = {
        key: array[where] if key == "labels" else array[members][:, where]
        for key, array in drawn(kind).items()
    }
    states = {"run": members // 2, "step": members % 2} if kind == "runs" else {}
    return {**values, "names": NAMES[members], **states}


def part(kind: str, where: slice, order: list[int] | None = None) -> Predictions:
    """Some samples of a kind, members in that order."""
    return Predictions.from_arrays(**arrays(kind, where, order))


def whole(kind: str) -> Predictions:
    """All samples that are weighed."""
    return part(kind, slice(0, WEIGHED))


def apart(kind: str) -> Predictions:
    """Samples that certify."""
    return part(kind, slice(WEIGHED, SAMPLES))


def shards(kind: str) -> list[Predictions]:
    """The samples that are weighed in parts of unequal size, from the second on with members in another order."""
    return [part(kind, where, order) for where, order in PARTS]
