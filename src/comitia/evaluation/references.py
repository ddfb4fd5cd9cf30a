"""Numbers to set beside ours, and where the members that ours are of come from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """A number to set beside ours.

    `kind` is "bayes" (the Bayes ensemble to compare with), "literature" (others' numbers for context) or "paper" (a
    cell of its tables). `quantity` is "accuracy", "auroc" or "bound" (risk). `members`, `weights` and `vote` say which
    curve a cell belongs to; None where they do not apply. `size` counts runs (samples of the posterior for a Bayes
    ensemble). `judged`: whether claims may rest on it, our members having been trained as those it comes from.
    `half_width` is half of the 95% interval of ours less this one where both were compared sample by sample; None for
    a number from elsewhere. `source` says who reported a number of the literature.
    """

    label: str
    kind: str
    quantity: str
    value: float
    size: int | None = None
    members: str | None = None
    weights: str | None = None
    vote: str | None = None
    judged: bool = True
    half_width: float | None = None
    source: str = ""


@dataclass(frozen=True)
class Provenance:
    """Where members come from: `source` is "trained" (here) or "stored".

    `row` names the row of the paper that they stand for, empty if it has none. `scale` says how they were trained,
    `as_paper` whether that is how the paper trained, so that numbers from the literature may judge.
    """

    source: str
    row: str
    scale: str
    as_paper: bool
