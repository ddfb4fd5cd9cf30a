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
# How many trees are asked for the classes of the samples they were fitted on.
ASKED = 5
# Standard deviations by which the squared differences of draws may exceed their mean.
EVEN_DRAWS = 10.0

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bag:
    """A fitted bagged ensemble: its members, and the features that each sees (None: all).

    `known` are the positions of its classes among all `classes` that there are.
    """

    members: list[Any]
    features: list[Any] | None
    known: Positions
    classes: int

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
    """Return the fitted ensemble as a bag; anything that has no out-of-bag samples is an error."""
    require_bagged(forest)
    check_is_fitted(forest)
    if getattr(forest, "n_outputs_", 1) != 1:
        raise InputError(f"forest: must have one output, got {forest.n_outputs_}; fit one per output")
    features = None if isinstance(forest, FORESTS) else list(forest.estimators_features_)
    known = np.searchsorted(classes, forest.classes_).astype(np.int64)
    return Bag(list(forest.estimators_), features, known, len(classes))


def require_bagged(forest: Any) -> None:
    """Raise unless members of that ensemble, fitted or not, have out-of-bag samples."""
    if not isinstance(forest, (*FORESTS, BaggingClassifier)):
        raise InputError(
            "forest: must be a RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier, got "
            f"{type(forest).__name__}"
        )
    if not forest.bootstrap and (isinstance(forest, FORESTS) or forest.max_samples == 1.0):
        raise InputError(
            "forest: bootstrap=False trains every member on all samples, so that none is out-of-bag; use "
            "bootstrap=True"
        )


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
    def paired(self) -> bool:
        """Whether every two members have common out-of-bag samples; taken for granted of many samples."""
        if self.mask.shape[1] > 2000:
            return True
        inside = self.mask.astype(np.float32)
        return bool((inside @ inside.T).min() > 0)


def out_of_bag(forest: Any, bag: Bag, X: Any, codes: Positions, vote: str, n_jobs: int | None) -> OutOfBag:
    """Return what all members say on their out-of-bag samples, after a check that X, codes are those of the fit."""
    drawn, X = forest.estimators_samples_, bag.as_input(X)
    if X.shape[0] != len(codes) or max(int(part.max()) for part in drawn) >= len(codes):
        raise InputError(
            f"X: must be the samples that the forest was fitted on, got {X.shape[0]} others; give those"
        )
    _require_same(bag, drawn, codes)
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


def _require_same(bag: Bag, drawn: list[Any], codes: Positions) -> None:
    """Raise where trees were fitted on other labels than these: on samples in another order, or with weights."""
    for member, part in list(zip(bag.members, drawn, strict=True))[:ASKED]:
        if not hasattr(member, "tree_") or getattr(member, "class_weight", None) is not None:
            continue
        shares = np.zeros(bag.classes)
        shares[bag.places(member)] = member.tree_.value[0, 0]
        if np.abs(shares - np.bincount(codes[part], minlength=bag.classes) / len(part)).max() > 1e-9:
            raise InputError(
                "y: is not what the forest was fitted on; give the same samples in the same order (forests that "
                "were fitted with sample_weight are not supported)"
            )


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
