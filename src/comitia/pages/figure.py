"""Figures as typed records that do not say how they are drawn, the text of their numbers, and colours by role.

The colours are the Okabe-Ito set, which colour-blind readers can tell apart. The dark ones are the same hues made
lighter, with a contrast of at least 4.5 : 1 against the dark ground. The light ones have at least 3 : 1 against the
light ground, which is what graphical objects need.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from comitia._words import harmless

Cell = str | int | float | None
Kind = Literal["lines", "bars", "dots", "across", "heat"]


@dataclass(frozen=True)
class Table:
    """Column titles and rows of plain values: the data of a figure for readers who cannot see it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Series:
    """A named series of points. `role` decides its colour and `dashed` its line, so that colour never stands alone.

    Attributes
    ----------
    x, y : of the same length; a `y` of None leaves a gap.
    spread : half the height of the band around `y`, or None.
    labels : the name that a point shows when it is pointed at, or None.
    marked : which points are weaker than the others (vacuous bounds), drawn hatched and pale.
    strong : which points stand out (dots are filled).
    shown : whether it is drawn from the start; the page adds the others from the legend, paper omits them.
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
    """A horizontal line across the panel."""

    name: str
    role: str
    value: float


@dataclass(frozen=True)
class Panel:
    """One pair of axes. `across` means horizontal bars at x = 0, 1, … named by `ticks`; `heat` shows `matrix`.

    `levels` are the values at the two ends of the heat map's colours; values beyond them get the colour of the end.
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
    """Panels stacked over one x axis, with the same content in words (`alt`) and as numbers (`table`).

    `key` names the file and the place in the page: lower-case letters and hyphens. `log`: the x axis of lines is
    logarithmic.
    """

    key: str
    title: str
    caption: str
    alt: str
    x_title: str
    panels: tuple[Panel, ...]
    table: Table
    log: bool = False


def percent(value: float, decimals: int = 1) -> str:
    """Return a share in per cent, rounded to the nearest.

    >>> percent(0.8734), percent(0.0666, 2)
    ('87.3%', '6.66%')
    """
    return f"{100 * value:.{decimals}f}%"


def number(value: Cell) -> str:
    """Return a cell as text: counts in full, other numbers to six significant digits, None as a dash.

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
    """Return the text, with its middle left out if it is longer than the limit.

    >>> shortened("run 3, step 40"), shortened("abcdefghijklmnopqrstuvwxyz", 9)
    ('run 3, step 40', 'abcd…wxyz')
    """
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[: limit - 1 - half]}…{text[-half:]}"


def told_apart(texts: Sequence[str], limit: int = 22) -> list[str]:
    """Return the texts, shortened; those that would look the same then begin with their number.

    >>> told_apart(["a-long-name-seed1-final-state", "a-long-name-seed2-final-state", "b"], 12)
    ['1: a-lo…tate', '2: a-lo…tate', 'b']
    """
    short = [shortened(text, limit) for text in texts]
    return [
        f"{i}: {shortened(texts[i - 1], limit - 3)}" if short.count(s) > 1 else s
        for i, s in enumerate(short, 1)
    ]


def legible(text: str) -> str:
    """Return the text on one line, with characters that cannot be printed replaced by �.

    >>> legible("run\\n3 \\x00"), legible("Ж <b>")
    ('run 3 �', 'Ж <b>')
    """
    return harmless(" ".join(text.split()))


LIGHT = {
    "ink": "#1c1d20",
    "muted": "#5c6068",
    "grid": "#e3e0d9",
    "ground": "#ffffff",
    "page": "#faf9f6",
    "caution": "#f7eed9",
    "tandem": "#0072b2",
    "uniform": "#c85200",
    "first-order": "#008a64",
    "best": "#6b6f78",
    "bayes": "#a8437f",
    "paper": "#7a6a00",
    "other": "#4b4fa8",
    "pale": "#b9c6d2",
}
DARK = {
    "ink": "#e9e7e2",
    "muted": "#a3a7b0",
    "grid": "#33363d",
    "ground": "#1b1d22",
    "page": "#131519",
    "caution": "#332b1a",
    "tandem": "#56b4e9",
    "uniform": "#f08a4b",
    "first-order": "#35c79a",
    "best": "#a9adb6",
    "bayes": "#e29bc6",
    "paper": "#dcc94a",
    "other": "#a9aef5",
    "pale": "#4a5663",
}
METHOD_ROLES = ("tandem", "uniform", "first-order", "best")


def role_of(method: str) -> str:
    """Return the role that colours a weighting method.

    >>> role_of("tandem"), role_of("greedy")
    ('tandem', 'other')
    """
    return method if method in METHOD_ROLES else "other"
