import pytest

from comitia.pages.figure import DARK, LIGHT, legible, number, role_of, shortened, told_apart


@pytest.mark.parametrize(
    "cell, text",
    [
        (True, "yes"),
        (False, "no"),
        (None, "–"),
        (0, "0"),
        (1234567, "1,234,567"),
        (1e-11, "1e-11"),
        (0.5, "0.5"),
    ],
)
def test_a_cell_as_text(cell: object, text: str) -> None:
    assert number(cell) == text  # type: ignore[arg-type]


def test_a_long_name_is_cut_to_the_limit() -> None:
    assert len(shortened("x" * 500, 22)) == 22
    assert shortened("x" * 22, 22) == "x" * 22


def test_what_cannot_be_printed_is_replaced() -> None:
    assert legible("a\u202eb\ud800c\x00") == "a\ufffdb\ufffdc\ufffd"
    legible("\ud800").encode("utf-8")
    assert legible("ключ 模型 😀") == "ключ 模型 😀"


def test_names_that_differ_in_their_middle_stay_apart() -> None:
    names = [f"experiment-{'x' * 20}-seed{i}-{'y' * 20}" for i in range(12)] + ["short"]
    found = told_apart(names, 22)
    assert len(set(found)) == 13
    assert found[-1] == "short"
    assert all(len(name) <= 23 for name in found)


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = []
    for i in (1, 3, 5):
        value = int(colour[i : i + 2], 16) / 255
        parts.append(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_stand_out_from_their_ground(theme: dict[str, str]) -> None:
    for ground in ("ground", "page", "caution"):
        assert contrast(theme["ink"], theme[ground]) >= 7
    for role in ("tandem", "uniform", "first-order", "best", "bayes", "other", "muted"):
        assert contrast(theme[role], theme["ground"]) >= 4, role


def test_both_themes_have_every_role() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert role_of("cantelli") in LIGHT
