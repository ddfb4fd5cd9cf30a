"""The paper's protocol: compare weightings fairly, with scores, claims and tables.

`evaluate` gives an `Evaluation`; `claims.judge` works the paper's claims out from it; `tables` writes it.
"""

from comitia.evaluation.findings import Finding
from comitia.evaluation.protocol import evaluate
from comitia.evaluation.records import (
    Certified,
    Claim,
    Difference,
    Evaluation,
    MemberFacts,
    Reference,
    Row,
    Settings,
    SingleBest,
    Source,
    TandemCounts,
)

__all__ = [
    "Certified",
    "Claim",
    "Difference",
    "Evaluation",
    "Finding",
    "MemberFacts",
    "Reference",
    "Row",
    "Settings",
    "SingleBest",
    "Source",
    "TandemCounts",
    "evaluate",
]
