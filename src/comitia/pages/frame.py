"""The frame of every page: style, contents, policy and script around its parts."""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from comitia.pages.figure import DARK, LIGHT
from comitia.pages.markup import Markup, element
from comitia.pages.page_parts import Drawn, Part


def document(title: str, figures: Sequence[Drawn], parts: Sequence[Part | None]) -> str:
    """Return the whole HTML text; the first part is the verdict, and the contents of the page follow it."""
    first, *others = (part for part in parts if part is not None)
    script = _asset("page.js")
    values = {one.key: one.drawing.values for one in figures}
    entries = max((one.drawing.entries for one in figures), default=0)
    texts = (
        '<!doctype html>\n<html lang="en">',
        _head(title, script, entries),
        "<body>",
        HATCH,
        _banner(),
        element("main", first.content, contents((first, *others)), *(part.content for part in others)),
        element("footer", "Written by comitia. This page fetches nothing."),
        f'<script type="application/json" id="values">{embedded(values)}</script>',
        f"<script>{script}</script>",
        "</body>\n</html>\n",
    )
    return "".join(texts)


def contents(parts: Sequence[Part]) -> Markup:
    """Return the contents of the page as links to its parts."""
    items = (element("li", _link(part.key, part.title), _inner(part)) for part in parts)
    title = element("p", "On this page", class_="contents-title", id="contents-title")
    listed = element("ol", *items)
    return element("nav", title, listed, id="contents", aria_labelledby="contents-title")


def _inner(part: Part) -> Markup | None:
    return element("ol", *(element("li", _link(*one)) for one in part.inner)) if part.inner else None


def _link(key: str, title: str) -> Markup:
    return element("a", title, href=f"#{key}")


def embedded(data: Any) -> str:
    """Return the data as JSON for a script element; nothing in it can end the element.

    >>> embedded("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# the lines of bars that promise nothing, in either colour that such bars have
HATCH = element(
    "svg",
    *(
        element(
            "pattern",
            element("path", d="M0 0V7", style=f"stroke:var(--{role})", stroke_width=4),
            id=f"hatch-{role}",
            width=7,
            height=7,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        )
        for role in ("tandem", "pale")
    ),
    class_="hatches",
    width=0,
    height=0,
    aria_hidden="true",
    focusable="false",
)


def _banner() -> Markup:
    """Return the head of the page; the switch appears where scripts run."""
    switch = element(
        "button",
        element("span", "◐", aria_hidden="true"),
        element("span", "Dark", class_="label"),
        id="theme",
        type="button",
        aria_pressed="false",
        aria_label="Dark theme",
        hidden=True,
    )
    up = element("a", "Contents", href="#contents", class_="up")
    return element("header", element("span", "comitia", class_="brand"), up, switch)


def _head(title: str, script: str, entries: int) -> Markup:
    """Return title, style, and a policy that runs only our own script and fetches nothing."""
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; style-src 'unsafe-inline'; img-src data:"
    )
    return element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        element("title", f"{title} · comitia"),
        Markup(f"<style>{_style(entries)}</style>"),
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _style(entries: int) -> str:
    """Return the style sheet with the colours of both themes in front; paper is always light.

    Its last rules hide what the box of a legend's entry turns off.
    """
    light, dark = _variables(LIGHT), _variables(DARK)
    themes = (
        f":root{{{light};color-scheme:light}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark};color-scheme:dark}}}}"
        f':root[data-theme="light"]{{{light};color-scheme:light}}'
        f':root[data-theme="dark"]{{{dark};color-scheme:dark}}'
        f"@media print{{:root,:root[data-theme]{{{light};color-scheme:light}}}}"
    )
    hidden = (f".chart:has(.k{i}:not(:checked)) .s{i}" for i in range(entries))
    rule = f"{','.join(hidden)}{{display:none}}" if entries else ""
    return f"{themes}\n{_asset('style.css')}{rule}"


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{role}:{colour}" for role, colour in colours.items())


def _asset(name: str) -> str:
    return files("comitia.pages").joinpath(name).read_text(encoding="utf-8")
