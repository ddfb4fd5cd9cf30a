"""Promises beyond one error rate: per class or column, of a vote that declines, of expected costs.

`Asked` is the question, `promise_all` answers it from a `Ground`, `Promise` is the record of one, and
`comitia.promises.table.KINDS` the one table of kinds.
"""

from comitia.promises.asked import Asked, ask
from comitia.promises.decision import Decision
from comitia.promises.ground import Ground
from comitia.promises.promising import promise_all
from comitia.promises.record import Promise, Unpromised

__all__ = ["Asked", "Decision", "Ground", "Promise", "Unpromised", "ask", "promise_all"]
