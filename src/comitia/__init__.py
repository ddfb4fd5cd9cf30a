"""comitia weighs the votes of an ensemble and certifies the result.

From predictions on hold-out samples
    `read_predictions`, `Predictions`   what the members said
    `weigh`                             choose their weights by one of `METHODS` and certify the vote: an `Ensemble`
    `certify`, `Certificate`            certify weights you already have
    `predict`, `verify`                 use an ensemble; compute every statement of it again from the data
    `compare`                           is it better than another, a member, or the uniform vote?
    `monitor`, `drift`                  does the promise still hold? with labels; without, a warning
    `count`, `Counted`, `read_counts`   exact counts in place of predictions: those of shards add up
    `plan`                              how many hold-out samples a promise takes
    `read_ensemble`                     an ensemble from its file

Where members predict real numbers: `weigh`, `predict`, `verify`, `evaluate` and `report` take them too
    `RealPredictions`, `RealEnsemble`   what the members said, and what `weigh` makes of it: a weighted mean
    `read_real_predictions`, `read_real_ensemble`    the same from files

From networks, and for the paper
    `build`                             checkpoints of any origin → weights, certificates, one folder to deploy
    `train`, `collect`                  train the networks of a recipe; predictions of networks on data
    `evaluate`, `reproduce`             compare weightings by the paper's protocol; a row of its tables
    `report`                            one self-contained HTML page

Bad input raises `InputError`, whose text is one line: which argument, what was required, what was given, what to do.
Beside it: `comitia.sklearn` for scikit-learn, `comitia.deep` for torch, `comitia.bounds`, `comitia.statistics` and
`comitia.weighting` for the parts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia._build import build as build
    from comitia._certificate import Certificate as Certificate
    from comitia._certify import certify as certify
    from comitia._compare import compare as compare
    from comitia._count import count as count
    from comitia._drift import drift as drift
    from comitia._ensemble import Ensemble as Ensemble
    from comitia._errors import InputError as InputError
    from comitia._monitor import monitor as monitor
    from comitia._plan import plan as plan
    from comitia._predict import predict as predict
    from comitia._predictions import Predictions as Predictions
    from comitia._verify import verify as verify
    from comitia._weigh import weigh as weigh
    from comitia.engines.training import train as train
    from comitia.evaluation import evaluate as evaluate
    from comitia.files import read_counts as read_counts
    from comitia.files import read_ensemble as read_ensemble
    from comitia.files import read_predictions as read_predictions
    from comitia.files import read_real_ensemble as read_real_ensemble
    from comitia.files import read_real_predictions as read_real_predictions
    from comitia.members.collection import collect as collect
    from comitia.pages import report as report
    from comitia.paper.reproducing import reproduce as reproduce
    from comitia.regression.ensemble import RealEnsemble as RealEnsemble
    from comitia.regression.predictions import RealPredictions as RealPredictions
    from comitia.statistics.counted import Counted as Counted
    from comitia.weighting import METHODS as METHODS

__version__ = "0.2.0"

_HOMES = {
    "read_predictions": "comitia.files",
    "Predictions": "comitia._predictions",
    "weigh": "comitia._weigh",
    "METHODS": "comitia.weighting",
    "Ensemble": "comitia._ensemble",
    "certify": "comitia._certify",
    "Certificate": "comitia._certificate",
    "predict": "comitia._predict",
    "verify": "comitia._verify",
    "compare": "comitia._compare",
    "monitor": "comitia._monitor",
    "drift": "comitia._drift",
    "count": "comitia._count",
    "Counted": "comitia.statistics.counted",
    "read_counts": "comitia.files",
    "plan": "comitia._plan",
    "build": "comitia._build",
    "read_ensemble": "comitia.files",
    "RealPredictions": "comitia.regression.predictions",
    "RealEnsemble": "comitia.regression.ensemble",
    "read_real_predictions": "comitia.files",
    "read_real_ensemble": "comitia.files",
    "evaluate": "comitia.evaluation",
    "reproduce": "comitia.paper.reproducing",
    "train": "comitia.engines.training",
    "collect": "comitia.members.collection",
    "report": "comitia.pages",
    "InputError": "comitia._errors",
}
__all__ = list(_HOMES)


def __dir__() -> list[str]:
    """Return the public names, so that completion finds what is imported only when it is asked for."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """Return the public name, imported when first asked for, so that start-up stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'comitia' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
