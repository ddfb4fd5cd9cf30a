"""comitia weighs the votes of an ensemble and certifies the result.

`Predictions` holds what the members said on hold-out samples, `weigh` chooses their weights and certifies
the vote, `certify` certifies weights you already have, `verify` computes every certificate again from the
data, `evaluate` compares weightings by the paper's protocol.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia._certify import certify as certify
    from comitia._ensemble import Ensemble as Ensemble
    from comitia._errors import InputError as InputError
    from comitia._predictions import Predictions as Predictions
    from comitia._verify import verify as verify
    from comitia._weigh import weigh as weigh
    from comitia.evaluation import evaluate as evaluate
    from comitia.paper.reproducing import reproduce as reproduce

__version__ = "0.1.0"

_HOMES = {
    "Predictions": "comitia._predictions",
    "weigh": "comitia._weigh",
    "certify": "comitia._certify",
    "verify": "comitia._verify",
    "evaluate": "comitia.evaluation",
    "reproduce": "comitia.paper",
    "Ensemble": "comitia._ensemble",
    "InputError": "comitia._errors",
}
__all__ = ["Ensemble", "InputError", "Predictions", "certify", "evaluate", "reproduce", "verify", "weigh"]


def __getattr__(name: str) -> Any:
    """The public name, imported when first asked for, so that start-up stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'comitia' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
