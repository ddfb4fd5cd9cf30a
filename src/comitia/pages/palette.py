"""Colours by role, on paper, light and dark: the Okabe-Ito set, told apart by the colour-blind.

The dark ones are the same hues made lighter, at least 4.5 : 1 against the dark ground; the light ones have
at least 3 : 1 against the light ground, which is what graphical objects need.
"""

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
    """The role that colours a weighting method.

    >>> role_of("tandem"), role_of("greedy")
    ('tandem', 'other')
    """
    return method if method in METHOD_ROLES else "other"


def faded(colour: str, alpha: float) -> str:
    """The colour as `rgba(…)`, for bands.

    >>> faded("#0072b2", 0.15)
    'rgba(0,114,178,0.15)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def tokens(colours: dict[str, str], band: float) -> dict[str, str]:
    """Every role and, as `role-band`, its band: what a drawn figure's colour tokens stand for in one theme."""
    return colours | {f"{role}-band": faded(colour, band) for role, colour in colours.items()}
