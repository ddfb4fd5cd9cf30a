"""What a figure shows, as typed records that say nothing of how it is drawn."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Cell = str | int | float | None
Kind = Literal["lines", "bars", "dots", "across", "heat"]
# control characters, lone surrogates, and marks that turn the direction of what follows them
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


@dataclass(frozen=True)
class Table:
    """Column titles and rows of plain values, the figure's data for those who cannot or will not look."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Series:
    """One named run of points. `role` decides its colour, `dashed` its line, so that colour is never alone.

    Attributes
    ----------
    x, y : as many each; `y` of None leaves a gap.
    spread : half the height of the band about `y`, or None.
    labels : what a point is called when it is pointed at, or None.
    marked : which points are weaker than the others (vacuous bounds), drawn hatched and pale.
    strong : which points stand out; among dots the filled ones.
    shown : whether it is drawn from the start; on the page the legend brings the others, on paper they are left out.
    """

    name: str
    role: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    spread: tuple[float, ...] | None = None
    labels: tuple[str, ...] | None = None
    marked: tuple[bool, ...] | None = None
    strong: tuple[bool, ...] | None = None
    dashed: bool = False
    shown: bool = True


@dataclass(frozen=True)
class Reference:
    """A level drawn right across the panel."""

    name: str
    role: str
    value: float


@dataclass(frozen=True)
class Panel:
    """One pair of axes: `across` are horizontal bars at x = 0, 1, … named by `ticks`, `heat` shows `matrix`.

    `levels` are the values at the two ends of the heat map's colours; what lies beyond has the end's colour.
    """

    kind: Kind
    y_title: str
    series: tuple[Series, ...] = ()
    references: tuple[Reference, ...] = ()
    ticks: tuple[str, ...] | None = None
    matrix: tuple[tuple[float, ...], ...] | None = None
    levels: tuple[float, float] | None = None
    percent: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure: panels stacked over one x axis, in words (`alt`) and as numbers (`table`) too.

    `key` names the file and the place in the page: lower-case letters and hyphens.
    """

    key: str
    title: str
    caption: str
    alt: str
    x_title: str
    panels: tuple[Panel, ...]
    table: Table


def percent(value: float, decimals: int = 1) -> str:
    """A share in per cent, rounded to the nearest.

    >>> percent(0.8734), percent(0.0666, 2)
    ('87.3%', '6.66%')
    """
    return f"{100 * value:.{decimals}f}%"


def number(value: Cell) -> str:
    """A cell as text: counts in full, other numbers to six significant digits, nothing as a dash.

    >>> number(12500), number(0.0741123456), number(None), number("split")
    ('12,500', '0.0741123', '–', 'split')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else value


def shortened(text: str, limit: int = 22) -> str:
    """The text, its middle left out where it is longer than the limit.

    >>> shortened("run 3, step 40"), shortened("abcdefghijklmnopqrstuvwxyz", 9)
    ('run 3, step 40', 'abcd…wxyz')
    """
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[: limit - 1 - half]}…{text[-half:]}"


def told_apart(texts: Sequence[str], limit: int = 22) -> list[str]:
    """The texts, shortened; those that would then be the same begin with their number.

    >>> told_apart(["a-long-name-seed1-final-state", "a-long-name-seed2-final-state", "b"], 12)
    ['1: a-lo…tate', '2: a-lo…tate', 'b']
    """
    short = [shortened(text, limit) for text in texts]
    return [
        f"{i}: {shortened(texts[i - 1], limit - 3)}" if short.count(s) > 1 else s
        for i, s in enumerate(short, 1)
    ]


def legible(text: str) -> str:
    """The text on one line, what cannot be printed replaced by �.

    >>> legible("run\\n3 \\x00"), legible("Ж <b>")
    ('run 3 �', 'Ж <b>')
    """
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))
