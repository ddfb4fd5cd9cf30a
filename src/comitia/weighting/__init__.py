"""Weights for the members of an ensemble: one method per file, one contract, `method(evidence) -> Weighting`.

`METHODS` are the names of the built-in ones. A method from outside the package is a callable of the same contract, or
`module:function` where only text can be written.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from comitia._errors import InputError
from comitia._extensions import name_of, resolve
from comitia._simplex import as_weights
from comitia.statistics.counted import Counted
from comitia.weighting.auto import auto
from comitia.weighting.best import best
from comitia.weighting.blend import blend
from comitia.weighting.cantelli import cantelli
from comitia.weighting.disagreement import disagreement
from comitia.weighting.early_stopping import early_stopping
from comitia.weighting.evidence import Evidence, Weighting
from comitia.weighting.first_order import first_order
from comitia.weighting.greedy import greedy
from comitia.weighting.likelihood import likelihood
from comitia.weighting.limit import Limit
from comitia.weighting.minimum import Minimum, minimise_tandem
from comitia.weighting.selection import weigh_within
from comitia.weighting.tandem import tandem
from comitia.weighting.uniform import uniform

Method = str | Callable[[Evidence], Any]


@dataclass(frozen=True)
class Row:
    """A built-in method.

    `about` is one line on it. `blind`: it looks at no sample, so that all of them may certify. `exact`: no solver is
    involved, so that its weights are found again to the last digit. `unlabelled`: it looks at unlabelled samples.
    `counts`: it looks at statistics only, so that counts are enough. `sparse`: it leaves members out by itself, so that
    its own weights may be within a limit; `whole`: it cannot weigh anew what a limit leaves of them.
    """

    name: str
    weigh: Callable[[Evidence], Weighting]
    about: str
    blind: bool = False
    exact: bool = False
    unlabelled: bool = False
    counts: bool = False
    sparse: bool = False
    whole: bool = False


_from_counts = partial(Row, counts=True)
_ROWS = (
    _from_counts(
        "uniform", uniform, "every member the same weight; chosen without data", blind=True, exact=True
    ),
    _from_counts(
        "best", best, "all weight on the member with the lowest hold-out error", exact=True, sparse=True
    ),
    _from_counts(
        "early-stopping",
        early_stopping,
        "of each run the state with the lowest hold-out error",
        exact=True,
        sparse=True,
        whole=True,
    ),
    _from_counts("first-order", first_order, "minimises the first-order bound; favours the best members"),
    _from_counts(
        "tandem", tandem, "minimises the tandem bound of the paper; members that err together count less"
    ),
    _from_counts("cantelli", cantelli, "minimises the Chebyshev-Cantelli bound"),
    _from_counts(
        "disagreement", disagreement, "minimises the disagreement bound; two classes", unlabelled=True
    ),
    Row("greedy", greedy, "selection with replacement by the loss of the vote", exact=True, sparse=True),
    Row("likelihood", likelihood, "Bayesian: proportional to the hold-out likelihood"),
    Row("blend", blend, "a mixture of uniform and tandem weights, the better ones counting more"),
    Row("auto", auto, "the best of all, by cross-validation inside the weighing part"),
)
TABLE = {row.name: row for row in _ROWS}
METHODS = tuple(TABLE)


def choose(method: Method, evidence: Evidence, limit: Limit | None = None) -> Weighting:
    """Return the weighting by that method: a name, a callable, or `module:function`; of members that a limit admits.

    >>> from comitia import Predictions
    >>> two = Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1])
    >>> choose("best", Evidence(two)).weights
    array([1., 0.])
    >>> choose(lambda evidence: [0.25, 0.75], Evidence(two)).weights
    array([0.25, 0.75])
    """
    if limit is not None:
        row = TABLE.get(method) if isinstance(method, str) else None
        sparse = row is None or row.sparse
        whole = method if row is not None and row.whole else None
        return weigh_within(limit, evidence, partial(choose, method), sparse=sparse, whole=whole)
    if isinstance(method, str) and method in TABLE:
        _require_enough(TABLE[method], evidence)
        return TABLE[method].weigh(evidence)
    function, name = find(method), name_of(method)
    try:
        found = function(evidence)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"method: '{name}' failed: {type(error).__name__}: {error}") from error
    return _outside(found, name, evidence)


def _require_enough(row: Row, evidence: Evidence) -> None:
    """Raise where a method looks at samples and only counts are known."""
    if isinstance(evidence.predictions, Counted) and not row.counts:
        enough = ", ".join(name for name, other in TABLE.items() if other.counts)
        raise InputError(
            f"method: '{row.name}' needs what members said on each sample, which counts do not hold; use one of "
            f"{enough}"
        )


def find(method: Method, argument: str = "method") -> Callable[[Evidence], Any]:
    """Return the function behind a method; an unknown name is an error that starts with the argument."""
    known = {name: row.weigh for name, row in TABLE.items()}
    function: Callable[[Evidence], Any] = resolve(argument, method, known)
    return function


def _outside(found: Any, name: str, evidence: Evidence) -> Weighting:
    """Return what a method from outside gave, checked; all samples of the evidence count as having chosen."""
    members = evidence.predictions.members
    try:
        if isinstance(found, Weighting):
            return replace(
                found,
                method=name,
                weights=as_weights(found.weights, members),
                samples=evidence.predictions.samples,
            )
        return Weighting(name, as_weights(found, members), evidence.predictions.samples)
    except InputError as error:
        raise InputError(f"method: '{name}' must return a Weighting or the weights; {error}") from None


__all__ = ["METHODS", "Evidence", "Minimum", "Weighting", "choose", "minimise_tandem"]
