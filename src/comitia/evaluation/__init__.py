"""The paper's protocol: compare weightings fairly, with scores, claims and tables.

`evaluate` gives an `Evaluation`; `claims.judge` works the paper's claims out from it; `tables` writes it.
"""

from comitia.evaluation.protocol import evaluate
from comitia.evaluation.records import Evaluation

__all__ = ["Evaluation", "evaluate"]
