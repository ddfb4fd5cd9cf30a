"""The record of a verification: each statement beside what the data say."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One statement: what the file says, what the data say, and whether it holds up."""

    name: str
    stated: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Verification:
    """All statements, and what no computation can check; the ensemble holds up if every statement does."""

    rows: tuple[Row, ...]
    trusted: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every statement holds up."""
        return all(row.holds for row in self.rows)
