"""What further promises rest on: what the deployed vote does on the samples that had no part in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from comitia._samples import Groups
from comitia.promises.answered import Answered
from comitia.promises.asked import Asked


@dataclass(frozen=True, eq=False)
class Ground:
    """All that a promise may know.

    Attributes
    ----------
    asked, vote, delta : the question
    class_names : the classes in order
    seed, key : of the order in which values are drawn (`comitia.promises.order`)
    certifying : the vote on the samples that had no part in it
    groups, strata : of those samples
    weighing : the vote on the samples that chose it, where they choose thresholds on its share
    """

    asked: Asked
    vote: str
    delta: float
    class_names: tuple[str, ...]
    seed: int
    key: str
    certifying: Answered
    groups: Groups | None
    strata: Mapping[str, Groups]
    weighing: Answered | None = None

    @property
    def unit(self) -> str:
        """What is independent."""
        return "samples" if self.groups is None else "groups"
