"""Axes of the page's figures: where a value lies, which values get a tick, how ticks and values are written."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from comitia.pages.figure import Figure, Panel, shortened, told_apart

SPAN = 1000  # a panel is that wide and that high in its own units, whatever its size on the screen
WHOLE_TICKS = 14  # up to this many runs or epochs have a tick each
TICKS_X, TICKS_Y, TICKS_LOW = 6, 4, 2  # at least so many otherwise
LOW = 200  # pixels: panels that are less high have fewer ticks
LETTER = 6.7  # pixels, a generous mean at the size of the ticks
BROAD = "%@mwMW"  # letters half as wide again
NARROW = 270  # pixels across a panel on a phone
WIDE, PHONE = 56, 22  # so many upright names fit
NAMES = 22  # letters of a name on an axis


@dataclass(frozen=True)
class Axis:
    """The values at both ends of an axis, its ticks, and their texts."""

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Return how far along the axis the value lies, from 0 to `SPAN`.

        >>> Axis(0.0, 4.0, (), ()).place(1.0), Axis(1.0, 100.0, (), (), log=True).place(10.0)
        (250.0, 500.0)
        """
        low, high, at = (math.log10(v) if self.log else v for v in (self.low, self.high, value))
        return round(SPAN * (at - low) / (high - low), 1)


def steps(low: float, high: float, count: int, *, least: float = 0.0) -> float:
    """Return the largest round distance of ticks of which at least `count` lie between low and high.

    >>> steps(0.0, 1.0, 5), steps(0.0, 17.0, 4, least=1.0), steps(0.901, 0.934, 3)
    (0.25, 5.0, 0.01)
    """
    power = math.ceil(math.log10(max(high - low, 1e-300)))
    whole = least >= 1
    found = (
        m * 10.0**p for p in range(power, power - 4, -1) for m in (5, 2.5, 2, 1) if not whole or m != 2.5
    )
    return max(next(s for s in found if len(ticks_between(low, high, s)) >= count), least)


def ticks_between(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the multiples of the step from low to high.

    >>> ticks_between(0.9, 0.95, 0.02)
    (0.9, 0.92, 0.94)
    """
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(i * step, 12) for i in range(first, last + 1))


def tick_texts(ticks: Sequence[float], step: float, percent: bool) -> tuple[str, ...]:
    """Return the ticks as text, all with the decimals that their distance needs.

    >>> tick_texts((0.9, 0.925), 0.025, True), tick_texts((1000.0, 2000.0), 1000, False)
    (('90.0%', '92.5%'), ('1,000', '2,000'))
    """
    scale, sign = (100, "%") if percent else (1, "")
    if not percent and (step < 1e-5 or max(map(abs, ticks), default=0.0) >= 1e7):
        return tuple(f"{tick:.6g}" for tick in ticks)
    decimals = next((d for d in range(8) if _whole(step * scale * 10**d)), 8)
    return tuple(f"{scale * tick + 0.0:,.{decimals}f}{sign}" for tick in ticks)


def _whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6 * max(1.0, abs(value))


def value_text(value: float, percent: bool) -> str:
    """Return a value as it is shown when it is pointed at.

    >>> value_text(0.93214, True), value_text(0.31234567, False), value_text(12.0, False)
    ('93.21%', '0.3123', '12')
    """
    return f"{100 * value:.2f}%" if percent else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def y_axis(panel: Panel, height: int) -> Axis:
    """Return the vertical axis of lines, bars or dots; it has room for hidden series too, as the legend adds them."""
    low, high = _range(panel)
    count = TICKS_Y if height >= LOW else TICKS_LOW
    step = steps(low, high, count)
    ticks = ticks_between(low, high, step)
    return Axis(low, high, ticks, tick_texts(ticks, step, panel.percent))


def _range(panel: Panel) -> tuple[float, float]:
    values = list(_heights(panel)) or [0.0, 1.0]
    low, high = min(values), max(values)
    if panel.kind == "bars":
        low, high = min(0.0, low), max(0.0, high) or 1.0
        return low, high + 0.05 * (high - low)
    if high - low <= 1e-9 * max(1.0, abs(high)):
        spare = 0.01 if panel.percent else 0.05 * abs(high) or 1.0
        return low - spare, high + spare
    spare = 0.06 * (high - low)
    share = panel.percent and low >= 0 and high <= 1  # no axis of shares goes below 0 or above 1
    return (max(low - spare, 0.0), min(high + spare, 1.0)) if share else (low - spare, high + spare)


def _heights(panel: Panel) -> Iterable[float]:
    for series in panel.series:
        for y, spread in zip(series.y, series.spread or (0.0,) * len(series.y)):
            if y is not None:
                yield from (y - spread, y + spread)
    yield from (reference.value for reference in panel.references)


def x_axis(figure: Figure) -> Axis:
    """Return the horizontal axis that all panels of lines, bars or dots share."""
    xs = sorted({x for panel in figure.panels for series in panel.series for x in series.x}) or [0.0, 1.0]
    low, high = xs[0], xs[-1]
    if any(panel.kind != "lines" for panel in figure.panels):
        return Axis(low - 0.5, high + 0.5, *_named(figure, xs))
    if figure.log and low > 0:
        return _log_axis(low, high)
    whole = all(_whole(x) for x in xs)
    step = 1.0 if whole and high - low <= WHOLE_TICKS else steps(low, high, TICKS_X, least=float(whole))
    ticks = ticks_between(low, high, step)
    spare = 0.025 * (high - low) or 0.5
    return Axis(low - spare, high + spare, ticks, tick_texts(ticks, step, False))


def _named(figure: Figure, xs: Sequence[float]) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return the places of the members and their names, or their numbers where they have none."""
    labels = (s.labels for panel in figure.panels for s in panel.series if s.labels is not None)
    names = figure.panels[-1].ticks or next(labels, None)
    if names is None:
        return tuple(xs), tuple(f"{x:g}" for x in xs)
    return tuple(float(i) for i in range(len(names))), tuple(told_apart(names, NAMES))


def _log_axis(low: float, high: float) -> Axis:
    """Return an axis by powers of ten, with 2 and 5 between them if they are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    between = (1,) if len(powers) > 4 else (1, 2, 5)
    found = (m * 10.0**p for p in powers for m in between)
    ticks = tuple(t for t in found if low * (1 - 1e-9) <= t <= high * (1 + 1e-9))
    spare = (high / low) ** 0.025 if high > low else 2.0
    return Axis(
        low / spare, high * spare, ticks, tuple(f"{t:,.0f}" if t >= 1 else f"{t:g}" for t in ticks), log=True
    )


def width(text: str) -> float:
    """Return about how wide the text is, in pixels.

    >>> width("ab"), width("模")
    (13.4, 13.4)
    """
    return LETTER * sum(
        2 if east_asian_width(letter) in "WF" else 1.5 if letter in BROAD else 1 for letter in text
    )


def widest(texts: Iterable[str]) -> float:
    """Return the width of the widest text, 0 if there is none."""
    return max(map(width, texts), default=0.0)


def upright(texts: Sequence[str]) -> bool:
    """Return whether the texts are too wide to stand side by side on a phone."""
    return len(texts) * (widest(texts) + 10) > NARROW and any(not text[:1].isdigit() for text in texts)


def kept(texts: Sequence[str]) -> list[str | None]:
    """Return by text: shown at any width (""), on wide screens only ("wide"), or not at all (None).

    >>> kept(["a"] * 4), kept(["a"] * 30)[:4], kept(["a"] * 200)[:5]
    (['', '', '', ''], ['', 'wide', '', 'wide'], ['', None, None, None, 'wide'])
    """
    if upright(texts) or len(texts) > WIDE:
        every, phone = math.ceil(len(texts) / WIDE), math.ceil(len(texts) / PHONE)
    else:
        every, phone = 1, math.ceil(len(texts) * (widest(texts) + 10) / NARROW)
    phone = every * math.ceil(phone / every)
    return [None if i % every else "wide" if i % phone else "" for i in range(len(texts))]


def member_names(names: Sequence[str]) -> list[str]:
    """Return the names of members as they stand on an axis."""
    return told_apart([shortened(name, 60) for name in names], NAMES)
