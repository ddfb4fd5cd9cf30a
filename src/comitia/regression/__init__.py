"""Ensembles for real targets: a weighted mean of predictions, and promises of how far it errs.

`weigh`, `predict`, `verify` and `evaluate` are what `comitia.weigh` and its kin call for `RealPredictions`.
"""

from comitia.regression.certificate import RealCertificate
from comitia.regression.ensemble import RealEnsemble
from comitia.regression.evaluating import RealEvaluation, evaluate
from comitia.regression.limits import Limit
from comitia.regression.predicting import RealPredicted, predict
from comitia.regression.predictions import RealPredictions
from comitia.regression.verifying import verify
from comitia.regression.weighing import weigh
from comitia.regression.weighting import METHODS

__all__ = [
    "METHODS",
    "Limit",
    "RealCertificate",
    "RealEnsemble",
    "RealEvaluation",
    "RealPredicted",
    "RealPredictions",
    "evaluate",
    "predict",
    "verify",
    "weigh",
]
