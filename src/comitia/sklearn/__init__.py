"""Estimators for scikit-learn: weighted votes with a certificate (extra: sklearn).

`WeightedVoteClassifier` fits classifiers, or takes fitted ones, weighs their votes and certifies the result.
"""

from comitia.sklearn.classifier import WeightedVoteClassifier

__all__ = ["WeightedVoteClassifier"]
