"""comitia weighs the votes of an ensemble and certifies the result.

`Predictions` holds what the members said on hold-out samples, `weigh` chooses their weights and certifies
the vote, `certify` certifies weights you already have, `verify` computes every certificate again from the
data, `evaluate` compares weightings by the paper's protocol.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia._certificate import Certificate as Certificate
    from comitia._certify import certify as certify
    from comitia._ensemble import Ensemble as Ensemble
    from comitia._errors import InputError as InputError
    from comitia._predict import predict as predict
    from comitia._predictions import Predictions as Predictions
    from comitia._verify import verify as verify
    from comitia._weigh import weigh as weigh
    from comitia.evaluation import evaluate as evaluate
    from comitia.files import read_ensemble as read_ensemble
    from comitia.files import read_predictions as read_predictions
    from comitia.weighting import METHODS as METHODS

__version__ = "0.2.0"

_HOMES = {
    "Predictions": "comitia._predictions",
    "read_predictions": "comitia.files",
    "weigh": "comitia._weigh",
    "METHODS": "comitia.weighting",
    "certify": "comitia._certify",
    "Certificate": "comitia._certificate",
    "Ensemble": "comitia._ensemble",
    "read_ensemble": "comitia.files",
    "predict": "comitia._predict",
    "verify": "comitia._verify",
    "evaluate": "comitia.evaluation",
    "InputError": "comitia._errors",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """The public name, imported when first asked for, so that start-up stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'comitia' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
