"""Bagged ensembles of scikit-learn: the samples that each member was not drawn, and what it says on them.

A member's out-of-bag samples are a hold-out of its own. That is so because the draws look at no label, and it can be
checked: samples that are drawn with weights, or other samples than those of the fit, are refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils import check_array
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from comitia._errors import InputError
from comitia._shards import smallest_unsigned

FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
# Standard deviations by which the squared differences of draws may exceed their mean.
EVEN_DRAWS = 10.0
# Overlaps are counted on so many samples: with more, none is thin.
LOOKED_AT = 2000

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bag:
    """A fitted bagged ensemble: its members, and the features that each sees (None: all).

    `known` are the positions of its classes among all `classes` that there are. `weighted`: classes had weights.
    """

    members: list[Any]
    features: list[Any] | None
    known: Positions
    classes: int
    weighted: bool = False

    @property
    def trees(self) -> bool:
        """Whether members are trees of a forest, which take arrays of float32 without checks."""
        return self.features is None

    def as_input(self, X: Any) -> Any:
        """Return the samples as members take them."""
        if self.trees:
            return check_array(X, dtype=np.float32, accept_sparse="csr", ensure_all_finite="allow-nan")
        return check_array(X, dtype=None, accept_sparse="csr", ensure_all_finite=False)

    def says(self, index: int, X: Any, vote: str) -> NDArray[Any]:
        """Return what a member says on those samples: positions of classes (n,), or probabilities (n, C)."""
        member, options = self.members[index], {}
        if self.features is None:
            options = {"check_input": False}
        else:
            X = X[:, self.features[index]]
        if vote == "majority":
            names = self.known.astype(smallest_unsigned(self.classes))
            found: NDArray[Any] = names[member.predict(X, **options).astype(np.intp)]
            return found
        full = np.zeros((X.shape[0], self.classes), np.float32)
        full[:, self.places(member)] = member.predict_proba(X, **options)
        return full

    def places(self, member: Any) -> Positions:
        """Return the positions of a member's classes; it names them by their positions in the forest."""
        found: Positions = self.known[member.classes_.astype(np.intp)]
        return found


def as_bag(forest: Any, classes: NDArray[Any]) -> Bag:
    """Return the fitted ensemble as a bag."""
    features = None if isinstance(forest, FORESTS) else list(forest.estimators_features_)
    known = np.searchsorted(classes, forest.classes_).astype(np.int64)
    weighted = getattr(forest, "class_weight", None) is not None
    return Bag(list(forest.estimators_), features, known, len(classes), weighted)


def require_bagged(forest: Any) -> None:
    """Raise unless members of that ensemble, fitted or not, have out-of-bag samples."""
    if not isinstance(forest, (*FORESTS, BaggingClassifier)):
        raise InputError(
            "forest: must be a RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier, got "
            f"{type(forest).__name__}"
        )
    if not forest.bootstrap and (isinstance(forest, FORESTS) or forest.max_samples in (None, 1.0)):
        raise InputError(
            "forest: bootstrap=False trains every member on all samples, so that none is out-of-bag; use "
            "bootstrap=True"
        )


def require_fitted(forest: Any) -> None:
    """Raise unless it is a fitted bagged ensemble for one output."""
    require_bagged(forest)
    check_is_fitted(forest)
    if getattr(forest, "n_outputs_", 1) != 1:
        raise InputError(f"forest: must have one output, got {forest.n_outputs_}; fit one per output")


def uneven(forest: Any) -> str | None:
    """Return why out-of-bag samples of that ensemble certify nothing, as far as its settings tell."""
    if getattr(forest, "class_weight", None) not in (None, "balanced_subsample"):
        return "class_weight draws samples by their labels, so that out-of-bag samples are no fair sample"
    return None


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """What each member says on the samples that it was not drawn: `said` (M, n, …), `mask` (M, n) where that is."""

    said: list[NDArray[Any]]
    mask: NDArray[np.bool_]

    @property
    def overlap(self) -> int:
        """How many out-of-bag samples the thinnest pair of members shares, among the first 2,000."""
        inside = self.mask[:, :LOOKED_AT].astype(np.float32)
        return int((inside @ inside.T).min())


def out_of_bag(forest: Any, bag: Bag, X: Any, codes: Positions, vote: str, n_jobs: int | None) -> OutOfBag:
    """Return what all members say on their out-of-bag samples; X, codes are those of the fit (`require_same`)."""
    drawn, X = forest.estimators_samples_, bag.as_input(X)
    mask = np.ones((len(drawn), len(codes)), bool)
    for row, part in zip(mask, drawn, strict=True):
        row[part] = False
    if empty := int((~mask.any(axis=1)).sum()):
        raise InputError(
            f"forest: {empty} members have no out-of-bag sample; draw fewer for each (max_samples)"
        )
    said = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_on_unseen)(bag, k, X, row, vote) for k, row in enumerate(mask)
    )
    return OutOfBag(said, mask)


def _on_unseen(bag: Bag, index: int, X: Any, unseen: NDArray[np.bool_], vote: str) -> NDArray[Any]:
    """Return what a member says on its out-of-bag samples, zero elsewhere."""
    said = bag.says(index, X[np.flatnonzero(unseen)], vote)
    full = np.zeros((len(unseen), *said.shape[1:]), said.dtype)
    full[unseen] = said
    return full


def require_same(forest: Any, bag: Bag, X: Any, codes: Positions, n_jobs: int | None) -> None:
    """Raise where some tree was not grown on these samples: on others, in another order, or on other labels.

    Every tree says how many samples ended in each of its leaves, and of which classes. Samples in another order, those
    of one class among themselves too, end elsewhere; to take their out-of-bag samples for unseen would be far too good.
    Members that are no trees keep nothing of their samples and are not checked.
    """
    X, drawn = bag.as_input(X), forest.estimators_samples_
    _require_length(X, drawn, codes)
    right = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_grown_on)(bag, k, X, codes, part)
        for k, part in enumerate(drawn)
        if hasattr(bag.members[k], "tree_")
    )
    if not all(right):
        raise InputError(
            "y: is not what the forest was fitted on; give the same samples in the same order (forests that "
            "were fitted with sample_weight are not supported)"
            if not any(right)
            else f"X: {right.count(False)} of {len(right)} trees were fitted on other samples, as with warm_start; fit "
            "the forest at once, on these"
        )


def _require_length(X: Any, drawn: list[Any], codes: Positions) -> None:
    if X.shape[0] != len(codes) or max(int(part.max()) for part in drawn) >= len(codes):
        raise InputError(
            f"X: must be the samples that the forest was fitted on, got {X.shape[0]} others; give those"
        )


def _grown_on(bag: Bag, index: int, X: Any, codes: Positions, part: Positions) -> bool:
    """Return whether the leaves of a tree hold those samples: as many, and of the same classes."""
    member, tree = bag.members[index], bag.members[index].tree_
    seen, often = np.unique(part, return_counts=True)
    inside = X[seen] if bag.features is None else X[seen][:, bag.features[index]]
    leaves = member.apply(inside)
    # a sample drawn twice counts once where it has twice the weight, and twice where it stands there twice
    once, each = np.bincount(leaves, minlength=tree.node_count), np.bincount(leaves, often, tree.node_count)
    ends = tree.children_left == -1
    if not any(np.array_equal(count[ends], tree.n_node_samples[ends]) for count in (once, each)):
        return False
    held = np.zeros((tree.node_count, bag.classes))
    np.add.at(held, (leaves, codes[seen]), often)
    stated = np.zeros_like(held)
    stated[:, bag.places(member)] = tree.value[:, 0]
    if getattr(member, "monotonic_cst", None) is not None:
        return True  # values of leaves are not those of their samples then
    if getattr(member, "class_weight", None) is not None or bag.weighted:
        return bool(((held > 0) == (stated > 0))[ends].all())
    whole = np.maximum(held.sum(axis=1, keepdims=True), 1.0)
    return bool((np.abs(stated - held / whole)[ends] <= 1e-9).all())


def drawn_evenly(mask: NDArray[np.bool_]) -> bool:
    """Return whether samples were left out equally often, as far as chance allows.

    Of uniform draws, how often a sample is left out over all members is binomial: the sum of squared differences from
    the mean, over the variance, is about chi-squared. Draws by weights are far above it.

    >>> rng = np.random.default_rng(0)
    >>> drawn_evenly(rng.random((50, 400)) < 0.37), drawn_evenly(rng.random((50, 400)) < rng.random(400))
    (True, False)
    """
    members, samples = mask.shape
    share = float(mask.mean())
    if not 0 < share < 1:
        return True
    left = mask.sum(axis=0)
    squares = float(((left - members * share) ** 2).sum()) / (members * share * (1 - share))
    return bool(squares <= samples + EVEN_DRAWS * np.sqrt(2 * samples))


def said_by(bag: Bag, members: Positions, X: Any, vote: str, n_jobs: int | None) -> list[NDArray[Any]]:
    """Return what those members say on the samples."""
    ready = bag.as_input(X)
    found: list[NDArray[Any]] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(bag.says)(k, ready, vote) for k in members.tolist()
    )
    return found


def names_of(bag: Bag) -> Iterator[str]:
    """Yield a name per member."""
    kind = "tree" if bag.trees else "member"
    return (f"{kind} {k}" for k in range(len(bag.members)))
