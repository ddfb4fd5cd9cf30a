"""quorate weighs the votes of an ensemble and certifies the result.

`Predictions` holds what the members said on hold-out samples, `weigh` chooses their weights and certifies
the vote, `certify` certifies weights you already have, `verify` computes every certificate again from the
data, `evaluate` compares weightings by the paper's protocol.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quorate.certification import certify as certify
    from quorate.ensemble import Ensemble as Ensemble
    from quorate.errors import InputError as InputError
    from quorate.evaluation import evaluate as evaluate
    from quorate.predictions import Predictions as Predictions
    from quorate.verification import verify as verify
    from quorate.weighing import weigh as weigh

__version__ = "0.1.0"

_HOMES = {
    "Predictions": "quorate.predictions",
    "weigh": "quorate.weighing",
    "certify": "quorate.certification",
    "verify": "quorate.verification",
    "evaluate": "quorate.evaluation",
    "Ensemble": "quorate.ensemble",
    "InputError": "quorate.errors",
}
__all__ = ["Ensemble", "InputError", "Predictions", "certify", "evaluate", "verify", "weigh"]


def __getattr__(name: str) -> Any:
    """The public name, imported when first asked for, so that start-up stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'quorate' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
