"""The page: one HTML file without any need of a network, a pure function of the records."""

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from comitia.pages.draw_plotly import plotly_figure
from comitia.pages.ensemble_figures import ensemble_figures
from comitia.pages.evaluation_figures import evaluation_figures
from comitia.pages.figure import Figure
from comitia.pages.learning import learning_figure
from comitia.pages.markup import Markup, element, joined, table
from comitia.pages.material import Material
from comitia.pages.palette import DARK, LIGHT, tokens
from comitia.pages.sections import (
    claims_section,
    ensemble_sections,
    evaluation_sections,
    paper_section,
    run_section,
)
from comitia.pages.verdict import Fact, Verdict, ensemble_verdict, evaluation_verdict

BAND = {"light": 0.16, "dark": 0.22}


def page(material: Material, plotly_js: str) -> str:
    """The whole HTML text for those records; `plotly_js` is the drawing library, put in as it is."""
    figures = _figures(material)
    return document(material.title, figures, _body(material, figures), plotly_js)


def document(title: str, figures: list[tuple[str, Figure]], body: list[Markup], plotly_js: str) -> str:
    """The HTML text with that body; its figures, each with the prefix of its place, are drawn by the page's script."""
    scripts = (plotly_js, _asset("theme.js"))
    data = {
        "figures": {prefix + figure.key: plotly_figure(figure) for prefix, figure in figures},
        "colours": {"light": tokens(LIGHT, BAND["light"]), "dark": tokens(DARK, BAND["dark"])},
    }
    content = joined(
        _banner(),
        element("main", *body),
        _footer(),
        Markup(f'<script type="application/json" id="figures">{embedded(data)}</script>'),
        *(Markup(f"<script>{script}</script>") for script in scripts),
    )
    return f'<!doctype html>\n<html lang="en">{_head(title, scripts)}<body>{content}</body></html>\n'


def _figures(material: Material) -> list[tuple[str, Figure]]:
    """Every figure with the prefix that keeps the two records' places in the page apart."""
    found = (
        [] if material.ensemble is None else [("ensemble-", f) for f in ensemble_figures(material.ensemble)]
    )
    if material.evaluation is not None:
        found += [("evaluation-", f) for f in evaluation_figures(material.evaluation)]
    if (learned := learning_figure(material.learning)) is not None:
        found.append(("training-", learned))
    return found


def _head(title: str, scripts: tuple[str, ...]) -> Markup:
    """Title, style, and a policy that lets nothing run but our own scripts and nothing be fetched."""
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
    """The style sheet with both themes' colours in front; paper is always light."""
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


def embedded(data: Any) -> str:
    """The data as JSON that may stand inside a script element: nothing in it can end the element.

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


def _footer() -> Markup:
    return element(
        "footer", element("p", "Made by comitia from its own records. This file needs no network.")
    )


def _body(material: Material, figures: list[tuple[str, Figure]]) -> list[Markup]:
    """Verdicts, then claims and figures, then details."""
    ensemble, evaluation = material.ensemble, material.evaluation
    parts: list[Markup | None] = []
    if ensemble is not None:
        parts.append(hero(ensemble_verdict(ensemble), material.title, "h1"))
    if evaluation is not None:
        parts.append(hero(evaluation_verdict(evaluation), material.title, "h1" if ensemble is None else "h2"))
        parts.append(claims_section(evaluation))
    parts += [figure_block(figure, prefix + figure.key) for prefix, figure in figures]
    if ensemble is not None:
        parts += ensemble_sections(ensemble)
    if evaluation is not None:
        parts += [paper_section(evaluation), *evaluation_sections(evaluation)]
    parts.append(run_section(material.run))
    return [part for part in parts if part is not None]


def hero(verdict: Verdict, title: str, level: str) -> Markup:
    """The verdict: what can be said in one line, in one paragraph, in a few numbers, and the small print."""
    return element(
        "section",
        element(
            "p", element("span", verdict.kind), " ", element("span", title, class_="title"), class_="kicker"
        ),
        element(level, verdict.headline),
        element("p", verdict.text, class_="lead"),
        element("dl", *(_fact(fact) for fact in verdict.facts), class_="facts"),
        _warnings(verdict.warnings),
        element(
            "div",
            element("h3", "What this rests on"),
            element("ul", *(element("li", line) for line in verdict.assumptions)),
            class_="assumptions",
        ),
        class_="hero",
    )


def _fact(fact: Fact) -> Markup:
    return element(
        "div",
        element("dt", fact.label),
        element("dd", fact.value, class_="value"),
        element("dd", fact.note, class_="note"),
    )


def _warnings(warnings: tuple[str, ...]) -> Markup | None:
    if not warnings:
        return None
    lines = element("ul", *(element("li", line) for line in warnings))
    return element("div", element("h3", "To be noted"), lines, class_="warnings", role="note")


def figure_block(figure: Figure, key: str) -> Markup:
    """A figure's heading, its place, and its data as a table for those who cannot see it."""
    height = plotly_figure(figure)["height"]
    return element(
        "figure",
        element("figcaption", element("h2", figure.title), element("p", figure.caption)),
        element("div", id=key, class_="plot", role="img", aria_label=figure.alt, style=f"height:{height}px"),
        element(
            "noscript", element("p", f"{figure.alt} The drawing needs JavaScript; the table below does not.")
        ),
        element(
            "details",
            element("summary", element("span", "The same as a table", class_="name")),
            table(figure.table, figure.title),
        ),
        class_="panel",
    )
