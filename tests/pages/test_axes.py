"""Axes: ticks are round and inside, places are in order, texts tell neighbouring ticks apart."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia.pages.axes import kept, steps, tick_texts, ticks_between, value_text, width, x_axis, y_axis
from comitia.pages.figure import Figure, Panel, Reference, Series, Table

FINITE = st.floats(-1e6, 1e6).map(lambda v: round(v, 6))


def panel(*y: float | None, percent: bool = False, kind: str = "lines", **more: object) -> Panel:
    x = tuple(float(i) for i in range(len(y)))
    return Panel(kind, "y", (Series("s", "tandem", x, y),), percent=percent, **more)  # type: ignore[arg-type]


def across(*x: float, log: bool = False) -> Figure:
    series = Series("s", "tandem", x, (0.0,) * len(x))
    return Figure("f", "F", "", "", "x", (Panel("lines", "y", (series,)),), Table((), ()), log=log)


@settings(max_examples=200, deadline=None)
@given(FINITE, FINITE, st.integers(2, 6))
def test_ticks_are_round_inside_and_enough(one: float, other: float, count: int) -> None:
    low, high = sorted((one, other))
    if high - low < 1e-4:
        return
    step = steps(low, high, count)
    ticks = ticks_between(low, high, step)
    assert count <= len(ticks) <= 3 * count + 2
    assert all(low - 1e-6 * step <= tick <= high + 1e-6 * step for tick in ticks)
    digits = f"{step:.6e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "2.5", "5")


@settings(max_examples=200, deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=8), st.booleans(), st.sampled_from(("lines", "dots", "bars")))
def test_every_value_lies_on_the_axis_and_larger_ones_higher(
    values: list[float], percent: bool, kind: str
) -> None:
    axis = y_axis(panel(*values, percent=percent, kind=kind), 330)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1000 for place in places)
    assert len(set(axis.texts)) == len(axis.texts) == len(axis.ticks)


def test_bars_start_at_zero_and_lines_do_not() -> None:
    assert y_axis(panel(0.8, 0.9, kind="bars"), 150).low == 0.0
    assert y_axis(panel(0.8, 0.9), 330).low > 0.7


def test_shares_stay_between_0_and_1_and_bounds_above_1_are_shown() -> None:
    axis = y_axis(panel(0.01, 1.0, percent=True), 330)
    assert (axis.low, axis.high) == (0.0, 1.0)
    assert y_axis(panel(0.5, 1.3, percent=True), 330).high > 1.3


def test_a_constant_is_not_blown_up() -> None:
    axis = y_axis(panel(0.93, 0.93, percent=True), 330)
    assert (axis.low, axis.high) == pytest.approx((0.92, 0.94))
    assert len(axis.ticks) >= 2


def test_levels_and_bands_have_room() -> None:
    series = Series("s", "tandem", (1.0,), (0.5,), spread=(0.2,))
    axis = y_axis(Panel("lines", "y", (series,), (Reference("r", "best", 0.9),)), 330)
    assert axis.low < 0.3
    assert axis.high > 0.9


def test_few_whole_numbers_have_a_tick_each_and_fractions_round_ones() -> None:
    assert x_axis(across(1.0, 2.0, 5.0)).texts == ("1", "2", "3", "4", "5")
    assert x_axis(across(0.0, 0.5, 1.0)).texts == ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")
    many = x_axis(across(1.0, 200.0))
    assert 6 <= len(many.ticks) <= 20
    assert all(tick == int(tick) for tick in many.ticks)


def test_a_single_place_is_in_the_middle() -> None:
    assert x_axis(across(4.0)).place(4.0) == 500.0
    assert x_axis(across(100.0, log=True)).place(100.0) == 500.0


def test_equal_factors_are_equal_distances_on_a_logarithmic_axis() -> None:
    axis = x_axis(across(10.0, 100.0, 1000.0, log=True))
    first, second, third = (axis.place(x) for x in (10.0, 100.0, 1000.0))
    assert second - first == pytest.approx(third - second)


@pytest.mark.parametrize(
    ("value", "percent", "text"),
    [(0.12345, True, "12.35%"), (1e-7, False, "1e-07"), (123456.7, False, "123,457"), (0.0, False, "0")],
)
def test_values_as_text(value: float, percent: bool, text: str) -> None:
    assert value_text(value, percent) == text


def test_tick_texts_have_the_decimals_that_tell_them_apart() -> None:
    assert tick_texts((0.9, 0.905), 0.005, True) == ("90.0%", "90.5%")
    assert tick_texts((0.0, 2.5), 2.5, False) == ("0.0", "2.5")
    assert tick_texts((1e-7, 2e-7), 1e-7, False) == ("1e-07", "2e-07")


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 500), st.integers(1, 22))
def test_names_that_are_shown_fit(count: int, length: int) -> None:
    shown = kept(["n" * length] * count)
    assert shown[0] == ""
    everywhere = [i for i, where in enumerate(shown) if where == ""]
    wide = [i for i, where in enumerate(shown) if where is not None]
    assert len(wide) <= 56
    assert len(everywhere) <= 41
    assert len({b - a for a, b in pairwise(everywhere)}) <= 1


def test_wide_letters_are_wide() -> None:
    assert width("模型") == width("four")
