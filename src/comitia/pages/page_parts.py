"""What pages are built of: tables, figures, the verdict, and parts with titles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from comitia.pages.draw_svg import Drawing, svg_figure
from comitia.pages.figure import Cell, Figure, Table, number
from comitia.pages.markup import Attribute
from comitia.pages.markup import Markup as Markup
from comitia.pages.markup import element as element

# longer texts get a column that is wide enough to read them
LONG = 30


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
    drawing: Drawing


@dataclass(frozen=True)
class Part:
    """A part of the page that its contents list under that title, with the titles inside it by their keys."""

    key: str
    title: str
    content: Markup
    inner: tuple[tuple[str, str], ...] = ()


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


def section(title: str, *children: str | None, key: str, inner: tuple[tuple[str, str], ...] = ()) -> Part:
    """Return a titled part of the page."""
    return Part(key, title, element("section", element("h2", title), *children, id=key), inner)


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


def hero(verdict: Verdict, title: str, level: int) -> Part:
    """Return the verdict with its headline as a heading of that level, and its lists one level below."""
    kicker = (element("span", verdict.kind), " ", element("span", title, class_="title"))
    key = verdict.kind.lower().replace(" ", "-")
    content = element(
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
        id=key,
    )
    return Part(key, verdict.kind, content)


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
    return [Drawn(key := prefix + figure.key, figure, svg_figure(figure, key)) for figure in figures]


def figures_part(title: str, figures: Sequence[Drawn], *before: Markup, key: str = "figures") -> Part | None:
    """Return the part with those figures; None if there are none."""
    if not figures:
        return None
    inner = tuple((f"{one.key}-figure", one.figure.title) for one in figures)
    return section(title, *before, *map(figure_block, figures), key=key, inner=inner)


def figure_block(one: Drawn) -> Markup:
    """Return the heading of a figure, its drawing, and its data as a table for readers who cannot see it."""
    figure = one.figure
    return element(
        "figure",
        element("figcaption", element("h3", figure.title), element("p", figure.caption)),
        one.drawing.markup,
        folded("The same as a table", table(figure.table, figure.title)),
        class_="panel",
        id=f"{one.key}-figure",
    )
