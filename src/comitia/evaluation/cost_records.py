"""The records of error against cost."""

import math
from dataclasses import dataclass

from comitia.evaluation.source import outside


@dataclass(frozen=True)
class CostPoint:
    """An ensemble of the first `members` picked: their cost, the error, and how much larger it is than all members'.

    `half_width` is half of that difference's 95% interval, which has the noise of the samples.
    """

    members: int
    cost: float
    error: float
    more: float
    half_width: float

    def fault(self) -> str | None:
        """Return what is wrong with a point, or None."""
        return outside(
            members=(self.members, 1, math.inf), cost=(self.cost, 0, math.inf), error=(self.error, 0, 1)
        )


@dataclass(frozen=True)
class CostCurve:
    """Error against cost: fewer and fewer members, picked and weighed on one half and scored on the other.

    `unit` is what the cost is: "members", or a column of the costs that were given. The last point is all members.
    """

    unit: str
    weights: str
    vote: str
    points: tuple[CostPoint, ...]

    @property
    def fewest(self) -> CostPoint:
        """The fewest members that err no more often than all."""
        return next(point for point in self.points if point.more <= 0)

    @property
    def unproven(self) -> CostPoint:
        """The fewest members of which the 95% interval does not show that they err more often than all."""
        return next(point for point in self.points if point.more <= point.half_width)

    def fault(self) -> str | None:
        """Return what is wrong with a curve, or None."""
        sizes = [point.members for point in self.points]
        if not sizes or sizes != sorted(set(sizes)) or self.points[-1].more != 0:
            return (
                "points must be of more and more members, the last one of all, which errs no more than itself"
            )
        return None
