"""What pages are built of: escaped elements, tables, figures, the verdict, and the frame with scripts and style.

Everything that is not markup already is escaped, so that no text from a file can become markup.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from comitia.pages.draw_plotly import plotly_figure
from comitia.pages.figure import DARK, LIGHT, Cell, Figure, Table, legible, number, tokens

# longer texts get a column that is wide enough to read them
LONG = 30
BAND = {"light": 0.16, "dark": 0.22}
Attribute = str | int | bool | None


@dataclass(frozen=True)
class Fact:
    """One number of the verdict, with what it is and where it comes from."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Verdict:
    """The first screen of a page: headline, one paragraph, a few numbers, and the small print."""

    kind: str
    headline: str
    text: str
    facts: tuple[Fact, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Drawn:
    """A figure and its drawing, under the key of its place in the page."""

    key: str
    figure: Figure
    drawing: dict[str, Any]


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: Attribute) -> Markup:
    """Return the element; children that are not `Markup` are escaped, attributes always are.

    `class_` stands for `class`, other underscores for hyphens; children and attributes of None are left out.

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    inner = "".join([_safe(child) for child in children if child is not None])
    return Markup(f"<{tag}{written}>{inner}</{tag}>")


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else escape(legible(child) if child.strip() else child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    hyphened = name.rstrip("_").replace("_", "-")
    return f" {hyphened}" if value is True else f' {hyphened}="{escape(legible(str(value)))}"'


def table(content: Table, caption: str, *, numeric: Sequence[bool] = ()) -> Markup:
    """Return the table in its own scrolling box, so that the page never scrolls sideways.

    `numeric` says which columns are set as numbers even if their cells are texts.

    >>> table(Table(("a",), ((1,),)), "c")[-60:]
    '<tbody><tr><td class="num">1</td></tr></tbody></table></div>'
    """
    head = element("tr", *(element("th", column, scope="col") for column in content.columns))
    set_as = numeric or (False,) * len(content.columns)
    rows = [element("tr", *(_cell(cell, n) for cell, n in zip(row, set_as))) for row in content.rows]
    parts = (element("caption", caption), element("thead", head), element("tbody", *rows))
    built = element("table", *parts)
    return element("div", built, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _cell(cell: Cell, numeric: bool) -> Markup:
    """Return a cell; numbers are aligned right, markup is kept."""
    if isinstance(cell, Markup):
        return element("td", cell)
    counted = isinstance(cell, int | float) and not isinstance(cell, bool)
    text = number(cell)
    return element("td", text, class_="num" if numeric or counted else "long" if len(text) > LONG else None)


def section(title: str, *children: str | None, key: str | None = None) -> Markup:
    """Return a titled part of the page."""
    return element("section", element("h2", title), *children, id=key)


def note(text: str) -> Markup:
    """Return a paragraph in small print."""
    return element("p", text, class_="note")


def folded(title: str, *content: Markup) -> Markup:
    """Return a part that shows its title only until it is opened."""
    return element("details", element("summary", element("span", title, class_="name")), *content)


def key_values(
    title: str, rows: Iterable[tuple[Cell, ...]], columns: tuple[str, str] = ("what", "value")
) -> Markup:
    """Return a table of two columns."""
    return table(Table(columns, tuple(rows)), title)


def hero(verdict: Verdict, title: str, level: int) -> Markup:
    """Return the verdict with its headline as a heading of that level, and its lists one level below."""
    kicker = (element("span", verdict.kind), " ", element("span", title, class_="title"))
    return element(
        "section",
        element("p", *kicker, class_="kicker"),
        element(f"h{level}", verdict.headline, class_="headline"),
        element("p", verdict.text, class_="lead"),
        element("dl", *(_fact(fact) for fact in verdict.facts), class_="facts"),
        _listed("Notes", verdict.warnings, level, class_="warnings", role="note")
        if verdict.warnings
        else None,
        _listed("Assumptions", verdict.assumptions, level, class_="assumptions"),
        class_="hero",
    )


def _fact(fact: Fact) -> Markup:
    return element(
        "div",
        element("dt", fact.label),
        element("dd", fact.value, class_="value"),
        element("dd", fact.note, class_="note"),
    )


def _listed(title: str, lines: tuple[str, ...], level: int, **attributes: Attribute) -> Markup:
    items = element("ul", *(element("li", line) for line in lines))
    return element("div", element(f"h{level + 1}", title), items, **attributes)


def drawn(prefix: str, figures: Iterable[Figure]) -> list[Drawn]:
    """Return the figures drawn for the page; the prefix keeps the places of two records apart."""
    return [Drawn(prefix + figure.key, figure, plotly_figure(figure)) for figure in figures]


def figure_block(one: Drawn) -> Markup:
    """Return the heading of a figure, its place, and its data as a table for readers who cannot see it."""
    figure, height = one.figure, one.drawing["height"]
    return element(
        "figure",
        element("figcaption", element("h2", figure.title), element("p", figure.caption)),
        element(
            "div", id=one.key, class_="plot", role="img", aria_label=figure.alt, style=f"height:{height}px"
        ),
        element(
            "noscript", element("p", f"{figure.alt} The drawing needs JavaScript; the table below does not.")
        ),
        folded("The same as a table", table(figure.table, figure.title)),
        class_="panel",
    )


def document(title: str, figures: Iterable[Drawn], body: Iterable[Markup | None], plotly_js: str) -> str:
    """Return the whole HTML text; `plotly_js` is the drawing library, which the page's own script calls."""
    scripts = (plotly_js, _asset("theme.js"))
    data = {
        "figures": {one.key: one.drawing for one in figures},
        "colours": {"light": tokens(LIGHT, BAND["light"]), "dark": tokens(DARK, BAND["dark"])},
    }
    parts = (
        '<!doctype html>\n<html lang="en">',
        _head(title, scripts),
        "<body>",
        _banner(),
        element("main", *body),
        element("footer", element("p", "Made by comitia. This file needs no network.")),
        f'<script type="application/json" id="figures">{embedded(data)}</script>',
        *(part for script in scripts for part in ("<script>", script, "</script>")),
        "</body></html>\n",
    )
    return "".join(parts)  # joined once: the drawing library is most of the page


def embedded(data: Any) -> str:
    """Return the data as JSON for a script element; nothing in it can end the element.

    >>> embedded("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _banner() -> Markup:
    switch = element(
        "button",
        element("span", "◐", aria_hidden="true"),
        element("span", "Dark", class_="label"),
        id="theme",
        type="button",
        aria_pressed="false",
        aria_label="Dark theme",
    )
    return element("header", element("span", "comitia", class_="brand"), switch)


def _head(title: str, scripts: tuple[str, ...]) -> Markup:
    """Return title, style, and a policy that runs only our own scripts and fetches nothing."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    policy = f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:"
    return element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        element("title", f"{title} · comitia"),
        Markup(f"<style>{_style()}</style>"),
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _style() -> str:
    """Return the style sheet with the colours of both themes in front; paper is always light."""
    light, dark = _variables(LIGHT), _variables(DARK)
    themes = (
        f":root{{{light};color-scheme:light}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark};color-scheme:dark}}}}"
        f':root[data-theme="light"]{{{light};color-scheme:light}}'
        f':root[data-theme="dark"]{{{dark};color-scheme:dark}}'
        f"@media print{{:root,:root[data-theme]{{{light};color-scheme:light}}}}"
    )
    return f"{themes}\n{_asset('style.css')}"


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{role}:{colour}" for role, colour in colours.items())


def _asset(name: str) -> str:
    return files("comitia.pages").joinpath(name).read_text(encoding="utf-8")
