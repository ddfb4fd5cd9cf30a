"""The paper's protocol: compare weightings fairly, with scores, claims and tables.

`evaluate` gives an `Evaluation`; `claims.judge` works the paper's claims out from it; `tables` writes it.
`drop_members` says what leaving members out would cost.
"""

from comitia.evaluation.dropping import Dropping, drop_members
from comitia.evaluation.protocol import evaluate
from comitia.evaluation.records import Evaluation

__all__ = ["Dropping", "Evaluation", "drop_members", "evaluate"]
