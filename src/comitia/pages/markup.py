"""HTML built from elements: whatever is not markup already is escaped, so nothing from a file can become it."""

from html import escape

from comitia.pages.figure import Cell, Table, legible, number

# texts above this many letters get a column wide enough to read them in
LONG = 30
Attribute = str | int | bool | None


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: Attribute) -> Markup:
    """The element; children that are not `Markup` are escaped, attributes always are.

    `class_` stands for `class`, other underscores for hyphens; an attribute of None is left out.

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    return Markup(f"<{tag}{written}>{joined(*children)}</{tag}>")


def joined(*children: str | None) -> Markup:
    """The children one after another, escaped where they are not markup; None is nothing."""
    return Markup("".join(_safe(child) for child in children if child is not None))


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else escape(legible(child) if child.strip() else child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    hyphened = name.rstrip("_").replace("_", "-")
    return f" {hyphened}" if value is True else f' {hyphened}="{escape(legible(str(value)))}"'


def table(
    content: Table, caption: str, *, wide: bool = True, numeric: tuple[bool, ...] | None = None
) -> Markup:
    """The table in a box of its own that scrolls, so that the page never does sideways.

    `numeric` says which columns are set as numbers, where the cells are texts already.

    >>> table(Table(("a",), ((1,),)), "c", wide=False)[-54:]
    '<tbody><tr><td class="num">1</td></tr></tbody></table>'
    """
    head = element("tr", *(element("th", column, scope="col") for column in content.columns))
    set_as = numeric or (False,) * len(content.columns)
    rows = [element("tr", *(_cell(cell, n) for cell, n in zip(row, set_as))) for row in content.rows]
    built = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", *rows),
    )
    return (
        element("div", built, class_="scroll", tabindex=0, role="region", aria_label=caption)
        if wide
        else built
    )


def _cell(cell: Cell, numeric: bool) -> Markup:
    """A cell; numbers are set flush right, markup is kept."""
    if isinstance(cell, Markup):
        return element("td", cell)
    counted = isinstance(cell, int | float) and not isinstance(cell, bool)
    text = number(cell)
    return element("td", text, class_="num" if numeric or counted else "long" if len(text) > LONG else None)
