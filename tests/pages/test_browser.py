"""The page in a real browser: Chromium, driven by Playwright. Screenshots stay under artefacts/."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from comitia.pages import report
from report_records import HOSTILE, an_ensemble, an_evaluation, comparison_folder, folder_of

pytestmark = pytest.mark.browser

ARTEFACTS = Path(__file__).resolve().parents[2] / "artefacts"
WINDOWS = {"wide": 1280, "narrow": 390}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of an ensemble and of a reproduction with harmless names, one with hostile names, one of a comparison."""
    root = tmp_path_factory.mktemp("pages")
    folders = {
        "ensemble": folder_of(root / "ensemble", an_ensemble(), None),
        "reproduction": folder_of(root / "reproduction", None, an_evaluation()),
        "hostile": folder_of(
            root / "hostile", an_ensemble(HOSTILE), an_evaluation(HOSTILE, label=HOSTILE[0])
        ),
        "comparison": comparison_folder(root / "comparison", layer=HOSTILE[0]),
    }
    return {name: report(folder, folder / "page.html") for name, folder in folders.items()}


@dataclass
class Visit:
    """An open page, and everything that went wrong or was fetched since it was opened."""

    page: Any
    problems: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)


def visit(browser: Any, path: Path, width: int, scheme: str) -> Visit:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = Visit(context.new_page())
    found.page.on("pageerror", lambda error: found.problems.append(str(error)))
    found.page.on(
        "console", lambda m: found.problems.append(m.text) if m.type in ("error", "warning") else None
    )
    found.page.on("request", lambda request: found.fetched.append(request.url))
    found.page.goto(path.as_uri())
    found.page.wait_for_selector("html[data-drawn=yes]", state="attached")
    return found


@pytest.mark.parametrize(
    "name, window, scheme",
    [
        *(
            (name, window, scheme)
            for name in ("ensemble", "reproduction")
            for window in WINDOWS
            for scheme in ("light", "dark")
        ),
        ("hostile", "narrow", "light"),
        ("comparison", "wide", "light"),
        ("comparison", "narrow", "dark"),
    ],
)
def test_the_page_is_drawn(browser: Any, pages: dict[str, Path], name: str, window: str, scheme: str) -> None:
    seen = visit(browser, pages[name], WINDOWS[window], scheme)
    page = seen.page
    sizes = page.eval_on_selector_all(
        ".plot",
        "all => all.map(p => p.querySelector('svg.main-svg').getBoundingClientRect()).map(r => [r.width, r.height])",
    )
    marks = page.eval_on_selector_all(
        ".plot", "all => all.map(p => p.querySelectorAll('.trace, .hm, .point').length)"
    )
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"{name}-{window}-{scheme}.png"), full_page=True)
    fetched = [url for url in seen.fetched if not url.startswith(("file:", "data:", "blob:"))]
    page.context.close()
    assert len(sizes) == {"ensemble": 2, "reproduction": 8, "hostile": 10, "comparison": 2}[name]
    assert all(width > 200 and height > 100 for width, height in sizes)
    assert all(count > 0 for count in marks)
    assert wide <= 0
    assert seen.problems == []
    assert fetched == []


def test_hostile_names_are_shown_and_do_nothing(browser: Any, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["hostile"], 1280, "light")
    page = seen.page
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.hover("#ensemble-members .point >> nth=0", force=True)
    hacked = page.evaluate("typeof window.hacked")
    links = page.eval_on_selector_all("a, img, iframe, .plot b", "all => all.length")
    shown = page.inner_text("body")
    ticks = page.eval_on_selector_all("#ensemble-members .xtick text", "all => all.map(t => t.textContent)")
    page.context.close()
    assert hacked == "undefined"
    assert links == 0
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown
    assert any(tick.startswith("<script>") for tick in ticks)
    assert seen.problems == []


def test_the_switch_changes_the_theme_of_page_and_figures(browser: Any, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["ensemble"], 1280, "light")
    page = seen.page

    def look() -> tuple[str, str, str]:
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        plot = page.evaluate("document.querySelector('.plot .main-svg').style.background")
        return body, plot, page.get_attribute("#theme", "aria-pressed")

    light = look()
    page.click("#theme")
    dark = look()
    page.reload()
    page.wait_for_selector("html[data-drawn=yes]", state="attached")
    kept = look()
    page.click("#theme")
    again = look()
    page.context.close()
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert (light[2], dark[2]) == ("false", "true")
    assert kept == dark
    assert again == light


def test_the_printed_page_is_light_and_its_figures_fit(browser: Any, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["reproduction"], 1280, "dark")
    page = seen.page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    background = page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor")
    widths = page.eval_on_selector_all(
        ".plot .main-svg", "all => all.map(s => s.getBoundingClientRect().width)"
    )
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    ARTEFACTS.mkdir(exist_ok=True)
    page.pdf(path=str(ARTEFACTS / "reproduction.pdf"), format="A4", print_background=True)
    page.context.close()
    assert background == "rgb(255, 255, 255)"
    assert max(widths) <= 680  # A4 less margins, at 96 pixels an inch
    assert seen.problems == []


def test_without_scripts_the_numbers_are_still_there(browser: Any, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["ensemble"].as_uri())
    shown = page.inner_text("body")
    context.close()
    assert "At most 7.41% errors" in shown
    assert "Bar chart of 3 certificates" in shown
