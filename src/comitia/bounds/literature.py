"""Further bounds of the literature for a comparison: `comitia weigh --bound comitia.bounds.literature:SPLIT_KL`.

They are not among the certificates that are given anyway, and so cost the promise nothing: where samples are kept for
certifying, `split` is designated whatever other rows there are. Where all samples choose the weights, each bound that
is asked for here is one more to choose from, and paid for.
"""

from typing import Any

from comitia.bounds.row import Bound, Facts, prior_covers
from comitia.bounds.shifted_tandem import split_kl, unexpected_bernstein


def _inputs(facts: Facts) -> dict[str, Any]:
    return {"gibbs": facts.gibbs, "tandem": facts.tandem, "kl": facts.kl, "n": facts.n_pair}


def _row(name: str, meaning: str, source: str, formula: Any) -> Bound:
    place = f"comitia.bounds.literature:{name}"
    return Bound(
        place,
        meaning,
        place,
        f"comitia.bounds.shifted_tandem.{formula.__name__}",
        source,
        formula,
        _inputs,
        votes=("majority",),
        joint=True,
        independent=True,
        answers=True,
        condition=prior_covers,
    )


SPLIT_KL = _row("SPLIT_KL", "Chebyshev-Cantelli with three kl inequalities", "Wu and Seldin (2022)", split_kl)
UNEXPECTED_BERNSTEIN = _row(
    "UNEXPECTED_BERNSTEIN",
    "Chebyshev-Cantelli with the unexpected Bernstein inequality",
    "Wu and Seldin (2022)",
    unexpected_bernstein,
)
