"""Estimators for scikit-learn: weighted votes and means with a certificate (extra: sklearn).

`WeightedVoteClassifier` fits classifiers, or takes fitted ones, weighs their votes and certifies the result.
`WeightedVoteRegressor` does so with regressors, whose weighted mean it certifies.
`WeightedForest` does so with the trees of a forest; `from_forest` takes one that is fitted already.
`CertificateWarning` is the category of what they warn of.
"""

from comitia.sklearn.classifier import WeightedVoteClassifier
from comitia.sklearn.forest import WeightedForest, from_forest
from comitia.sklearn.regressor import WeightedVoteRegressor
from comitia.sklearn.reporting import CertificateWarning

__all__ = [
    "CertificateWarning",
    "WeightedForest",
    "WeightedVoteClassifier",
    "WeightedVoteRegressor",
    "from_forest",
]
