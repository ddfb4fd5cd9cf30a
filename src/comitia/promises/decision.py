"""How the totals of a vote become an answer, where that is not simply the largest one."""

from dataclasses import dataclass

from comitia._errors import InputError
from comitia._votes import require_threshold


@dataclass(frozen=True)
class Decision:
    """A part of the deployed vote: two numbers, both None where the vote answers the largest total on every sample.

    Attributes
    ----------
    threshold : of two classes, the second is answered where its share is above this
    least_share : the vote declines where less of the weight than this is behind its answer
    """

    threshold: float | None = None
    least_share: float | None = None

    def fault(self) -> str | None:
        """Return what is wrong with a decision, or None."""
        try:
            require_threshold(self.threshold, 2)
        except InputError as error:
            return str(error)
        if self.least_share is not None and not 0 <= self.least_share <= 1:
            return f"least_share: must be from 0 to 1, got {self.least_share:g}"
        return None
