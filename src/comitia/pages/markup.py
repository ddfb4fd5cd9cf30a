"""Escaped elements: everything that is not markup already is escaped, so that no text from a file becomes markup."""

from html import escape

from comitia.pages.figure import legible

Attribute = str | int | bool | None


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


def void(tag: str, **attributes: Attribute) -> Markup:
    """Return an element that has no content and no end.

    >>> void("input", type="checkbox", checked=True)
    '<input type="checkbox" checked>'
    """
    return Markup(f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>")


def joined(*parts: Markup | None) -> Markup:
    """Return the parts one after the other."""
    return Markup("".join(part for part in parts if part is not None))


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else escape(legible(child) if child.strip() else child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    hyphened = name.rstrip("_").replace("_", "-")
    return f" {hyphened}" if value is True else f' {hyphened}="{escape(legible(str(value)))}"'
