"""The page in a real browser: Chromium, driven by Playwright. Screenshots stay under artefacts/."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from comitia.pages import report
from report_records import HOSTILE, an_ensemble, an_evaluation, comparison_folder, folder_of

pytestmark = pytest.mark.browser

ARTEFACTS = Path(__file__).resolve().parents[2] / "artefacts"
WINDOWS = {"wide": 1280, "narrow": 390, "middle": 700}
MANY = tuple(f"run {i // 5 + 1}, step {40 * (i % 5 + 1)}" for i in range(50))


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
        "many": folder_of(root / "many", None, an_evaluation(MANY)),
        "comparison": comparison_folder(root / "comparison", layer=HOSTILE[0]),
    }
    return {name: report(folder, folder / "page.html") for name, folder in folders.items()}


@dataclass
class Visit:
    """An open page, and everything that went wrong or was fetched since it was opened."""

    page: Any
    problems: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)


# How far, in pixels, texts of figures reach beyond the page or the box of their figure.
BEYOND = """
all => all.flatMap(plot => {
  const box = plot.closest('figure').getBoundingClientRect();
  return [...plot.querySelectorAll('text, p, label')].map(text => text.getBoundingClientRect())
    .filter(r => r.width > 0).map(r => Math.max(box.left - r.left, r.right - box.right, r.bottom - box.bottom));
})
"""
# How many texts of the same axis lie on one another.
OVERLAPS = """
all => all.map(area => {
  let found = 0;
  for (const kind of ['.yt', '.xt', '.name']) {
    const boxes = [...area.querySelectorAll(kind)].map(t => t.getBoundingClientRect()).filter(r => r.width > 0);
    const slanted = kind === '.name' && area.querySelector('.name[transform="rotate(-45)"]') !== null;
    for (let i = 1; i < boxes.length && !slanted; i++) {
      const [a, b] = [boxes[i - 1], boxes[i]];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 6 && down > 6) found += 1;
    }
  }
  return found;
})
"""


def visit(browser: Any, path: Path, width: int, scheme: str) -> Visit:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = Visit(context.new_page())
    found.page.on("pageerror", lambda error: found.problems.append(str(error)))
    found.page.on(
        "console", lambda m: found.problems.append(m.text) if m.type in ("error", "warning") else None
    )
    found.page.on("request", lambda request: found.fetched.append(request.url))
    found.page.goto(path.as_uri())
    found.page.wait_for_selector("#theme:not([hidden])")
    return found


@pytest.mark.parametrize(
    "name, window, scheme",
    [
        *(
            (name, window, scheme)
            for name in ("ensemble", "reproduction")
            for window in ("wide", "narrow")
            for scheme in ("light", "dark")
        ),
        ("hostile", "narrow", "light"),
        ("many", "wide", "light"),
        ("many", "middle", "light"),
        ("many", "narrow", "light"),
        ("comparison", "wide", "light"),
        ("comparison", "narrow", "dark"),
    ],
)
def test_the_page_is_drawn(browser: Any, pages: dict[str, Path], name: str, window: str, scheme: str) -> None:
    seen = visit(browser, pages[name], WINDOWS[window], scheme)
    page = seen.page
    sizes = page.eval_on_selector_all(
        ".plot .area", "all => all.map(p => p.getBoundingClientRect()).map(r => [r.width, r.height])"
    )
    marks = page.eval_on_selector_all(
        ".plot", "all => all.map(p => p.querySelectorAll('.line, .mark, .bar, .hatch, image').length)"
    )
    beyond = page.eval_on_selector_all(".chart", BEYOND)
    overlaps = page.eval_on_selector_all(".area", OVERLAPS)
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"{name}-{window}-{scheme}.png"), full_page=True)
    fetched = [url for url in seen.fetched if not url.startswith(("file:", "data:", "blob:"))]
    page.context.close()
    assert len(marks) == {"ensemble": 2, "reproduction": 8, "hostile": 10, "many": 8, "comparison": 2}[name]
    assert all(width > 130 and height > 60 for width, height in sizes)
    assert max(beyond) <= 0
    assert sum(overlaps) == 0
    assert all(count > 0 for count in marks)
    assert wide <= 0
    assert seen.problems == []
    assert fetched == []


def test_hostile_names_are_shown_and_do_nothing(browser: Any, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["hostile"], 1280, "light")
    page = seen.page
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    told = []
    for place in ("#ensemble-members .row", "#evaluation-tandem .row"):
        page.locator(place).first.scroll_into_view_if_needed()
        box = page.locator(f"{place} .area").first.bounding_box()
        page.mouse.move(box["x"] + box["width"] / (2 * len(HOSTILE)), box["y"] + box["height"] / 20)
        told.append(page.inner_text("#tip"))
    hacked = page.evaluate("typeof window.hacked")
    links = page.eval_on_selector_all("img, iframe, .plot b, #tip *, a:not([href^='#'])", "all => all.length")
    shown = page.inner_text("body")
    ticks = page.eval_on_selector_all("#ensemble-members .name", "all => all.map(t => t.textContent)")
    page.context.close()
    assert hacked == "undefined"
    assert links == 0
    assert told[0].startswith("<script>window.hacked=1</script>\naccuracy ")
    assert told[1].startswith("<script>")
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown
    assert any(tick.startswith("<script>") for tick in ticks)
    assert seen.problems == []


def test_the_switch_changes_the_theme_of_page_and_figures(browser: Any, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["ensemble"], 1280, "light")
    page = seen.page

    def look() -> tuple[str, str, str]:
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        plot = page.evaluate("getComputedStyle(document.querySelector('.plot .bar')).fill")
        return body, plot, page.get_attribute("#theme", "aria-pressed")

    light = look()
    page.click("#theme")
    dark = look()
    page.reload()
    kept = look()
    page.click("#theme")
    again = look()
    page.context.close()
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert (light[2], dark[2]) == ("false", "true")
    assert kept == dark
    assert again == light


@pytest.mark.parametrize("name", ["reproduction", "many"])
def test_the_printed_page_is_light_and_its_figures_fit(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    seen = visit(browser, pages[name], 680, "dark")  # A4 less margins, at 96 pixels an inch
    page = seen.page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    background = page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor")
    beyond, overlaps = (
        page.eval_on_selector_all(*asked) for asked in ((".chart", BEYOND), (".area", OVERLAPS))
    )
    controls = page.eval_on_selector_all(
        "#theme, #contents, .legend input", "all => all.filter(e => e.getClientRects().length).length"
    )
    ARTEFACTS.mkdir(exist_ok=True)
    page.pdf(path=str(ARTEFACTS / f"{name}.pdf"), format="A4", print_background=True)
    page.context.close()
    assert background == "rgb(255, 255, 255)"
    assert max(beyond) <= 2
    assert sum(overlaps) == 0
    assert controls == 0
    assert seen.problems == []


def test_without_scripts_figures_numbers_and_legends_are_there(browser: Any, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(pages["reproduction"].as_uri())
    shown = page.inner_text("body")
    first = page.locator("#evaluation-accuracy-average")
    line, box = first.locator(".s0 .line"), page.locator(".chart .k0").first
    areas = page.locator(".plot .area").count()
    visible = [line.is_visible()]
    box.uncheck()
    visible.append(line.is_visible())
    waiting = first.locator(".s4 .line").is_visible(), page.locator("#theme").is_visible()
    context.close()
    assert "87.9% accuracy, 0.5 points above equal weights" in shown
    assert areas >= 8
    assert visible == [True, False]
    assert waiting == (False, False)


def test_the_nearest_point_tells_its_value_and_hidden_ones_do_not(
    browser: Any, pages: dict[str, Path]
) -> None:
    seen = visit(browser, pages["reproduction"], 1280, "light")
    page, place = seen.page, "#evaluation-accuracy-average"
    page.locator(place).scroll_into_view_if_needed()

    def settled() -> None:
        """Wait until the page has laid out and drawn what was done to it."""
        page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def point(series: int) -> str:
        """What is told at the last point of a series."""
        settled()
        where = page.evaluate(
            """([place, k]) => {
              const values = JSON.parse(document.getElementById('values').textContent);
              const one = values[place.slice(1)][0].series.find(s => s.legend === k);
              const r = document.querySelector(place + ' .area').getBoundingClientRect();
              return [r.left + one.x.at(-1) * r.width / 1000, r.top + one.y.at(-1) * r.height / 1000];
            }""",
            [place, series],
        )
        page.mouse.move(where[0] - 2, where[1])
        page.mouse.move(*where)
        settled()
        return page.inner_text("#tip") if page.locator("#tip").is_visible() else ""

    drawn, waiting = point(2), point(4)
    page.locator(f"{place} >> xpath=.. >> .k4").check()
    added = point(4)
    page.mouse.move(1, 1)
    settled()
    left = page.locator("#tip").is_visible()
    page.context.close()
    assert drawn == "tandem, all\n4: 87.94% ± 0.40%"
    assert "first-order" not in waiting
    assert added == "first-order, all\n4: 85.60% ± 0.40%"
    assert not left
    assert seen.problems == []


def test_the_contents_lead_to_figures_and_mark_where_one_is(browser: Any, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["reproduction"], 1400, "light")
    page = seen.page
    page.click("#contents a[href='#evaluation-tandem-figure']")
    page.wait_for_function(
        "document.querySelector('#contents a[aria-current]')?.hash === '#evaluation-tandem-figure'"
    )
    top = page.evaluate("document.getElementById('evaluation-tandem-figure').getBoundingClientRect().top")
    beside = page.evaluate("document.getElementById('contents').getBoundingClientRect().right")
    column = page.evaluate("document.querySelector('main section').getBoundingClientRect().left")
    page.context.close()
    assert 0 <= top < 200
    assert beside <= column
    assert seen.problems == []
