import pytest

from comitia.pages.palette import DARK, LIGHT, role_of, tokens


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
    assert tokens(LIGHT, 0.2)["tandem-band"].startswith("rgba(")
    assert role_of("cantelli") in LIGHT
