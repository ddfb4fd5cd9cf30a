"""Weights for the members of an ensemble: one method a file, one contract, `method(evidence) -> Weighting`.

uniform, best          what people do without a bound
first-order            minimises the first-order bound
tandem                 minimises the tandem bound (`minimise_tandem` is its solver)
cantelli, disagreement minimise the other second-order bounds
greedy                 selection with replacement by the loss of the vote
likelihood             Bayesian: proportional to the hold-out likelihood
auto                   the best of all, by cross-validation inside the evidence
"""

from comitia._errors import require_choice
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


def choose(method: str, evidence: Evidence) -> Weighting:
    """The weighting of that name.

    >>> from comitia._predictions import Predictions
    >>> two = Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1])
    >>> choose("best", Evidence(two)).weights
    array([1., 0.])
    """
    return _METHODS[require_choice("method", method, METHODS)](evidence)


__all__ = ["METHODS", "Evidence", "Minimum", "Weighting", "choose", "minimise_tandem"]
