"""comitia weighs the votes of an ensemble and certifies the result.

From predictions on hold-out samples
    `read_predictions`, `Predictions`   what the members said
    `weigh`                             choose their weights by one of `METHODS` and certify the vote: an `Ensemble`
    `certify`, `Certificate`            certify weights you already have
    `predict`, `verify`                 use an ensemble; compute every statement of it again from the data
    `plan`                              how many hold-out samples a promise takes
    `read_ensemble`                     an ensemble from its file

From networks, and for the paper
    `train`, `collect`                  train the networks of a recipe; their predictions on data
    `evaluate`, `reproduce`             compare weightings by the paper's protocol; a row of its tables
    `report`                            one self-contained HTML page

Bad input raises `InputError`, whose text is one line: which argument, what was required, what was got, what to do.
Beside it: `comitia.sklearn` for scikit-learn, `comitia.deep` for torch, `comitia.bounds`, `comitia.statistics` and
`comitia.weighting` for the parts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia._certificate import Certificate as Certificate
    from comitia._certify import certify as certify
    from comitia._ensemble import Ensemble as Ensemble
    from comitia._errors import InputError as InputError
    from comitia._plan import plan as plan
    from comitia._predict import predict as predict
    from comitia._predictions import Predictions as Predictions
    from comitia._verify import verify as verify
    from comitia._weigh import weigh as weigh
    from comitia.evaluation import evaluate as evaluate
    from comitia.files import read_ensemble as read_ensemble
    from comitia.files import read_predictions as read_predictions
    from comitia.weighting import METHODS as METHODS

__version__ = "0.1.0"

_HOMES = {
    "METHODS": "comitia.weighting",
    "Certificate": "comitia._certificate",
    "Ensemble": "comitia._ensemble",
    "InputError": "comitia._errors",
    "Predictions": "comitia._predictions",
    "certify": "comitia._certify",
    "evaluate": "comitia.evaluation",
    "plan": "comitia._plan",
    "predict": "comitia._predict",
    "read_ensemble": "comitia.files",
    "read_predictions": "comitia.files",
    "verify": "comitia._verify",
    "weigh": "comitia._weigh",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Return the public name, imported when first asked for, so that start-up stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'comitia' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
