"""Weights for the members of an ensemble: one method a file, one contract, `method(evidence) -> Weighting`.

uniform, best          what people do without a bound
first-order            minimises the first-order bound
tandem                 minimises the tandem bound (`minimise_tandem` is its solver)
cantelli, disagreement minimise the other second-order bounds
greedy                 selection with replacement by the loss of the vote
likelihood             Bayesian: proportional to the hold-out likelihood
auto                   the best of all, by cross-validation inside the evidence
"""

from collections.abc import Callable

from comitia._extensions import resolve
from comitia.weighting.auto import auto
from comitia.weighting.best import best
from comitia.weighting.cantelli import cantelli
from comitia.weighting.disagreement import disagreement
from comitia.weighting.evidence import Evidence, Weighting
from comitia.weighting.first_order import first_order
from comitia.weighting.greedy import greedy
from comitia.weighting.likelihood import likelihood
from comitia.weighting.minimum import Minimum, minimise_tandem
from comitia.weighting.tandem import tandem
from comitia.weighting.uniform import uniform

_METHODS = {
    "uniform": uniform,
    "best": best,
    "first-order": first_order,
    "tandem": tandem,
    "cantelli": cantelli,
    "disagreement": disagreement,
    "greedy": greedy,
    "likelihood": likelihood,
    "auto": auto,
}
METHODS = tuple(_METHODS)
#: A method: one of `METHODS`, a `module:function`, or a callable.
Method = str | Callable[[Evidence], Weighting]


def resolve_method(method: Method, argument: str = "method") -> Callable[[Evidence], Weighting]:
    """Return the callable that a method stands for; `argument` starts the messages."""
    found: Callable[[Evidence], Weighting] = resolve(argument, method, _METHODS)
    return found


def choose(method: Method, evidence: Evidence) -> Weighting:
    """Return the weighting that a method chooses.

    >>> from comitia._predictions import Predictions
    >>> two = Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1])
    >>> choose("best", Evidence(two)).weights
    array([1., 0.])
    """
    return resolve_method(method)(evidence)


__all__ = ["METHODS", "Evidence", "Minimum", "Weighting", "choose", "minimise_tandem"]
