"""The site: it builds strictly, every link inside it leads somewhere, and it fetches nothing from elsewhere."""

import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import comitia

pytest.importorskip("mkdocs", reason="the site needs the extra docs: pip install '.[docs]'")
ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(comitia.__file__).resolve().parents[1]
# Folders of whoever builds the site.
OF_A_MACHINE = rf"[\s\"'>](/home/|/tmp/|{re.escape(str(Path.home()))}/)"


class Page(HTMLParser):
    """The ids of a page, its links, and the addresses that a browser fetches by itself."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        fetched = tag == "link" and found.get("rel") not in ("canonical", "next", "prev")
        self.fetched += [
            found[name] for name in ("src", "href") if name in found and (fetched or name == "src")
        ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    # the page for what is not found is the only one whose links start at the root of a server
    return {path.resolve(): Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_no_link_is_broken(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
                broken.append(f"{path.name}: {link}")
    assert broken == []


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    addresses = {address for page in pages.values() for address in page.fetched}
    assert [address for address in addresses if urlsplit(address).netloc] == []
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:", style.read_text(encoding="utf-8")), style.name


def test_no_page_names_a_place_on_this_machine(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert str(ROOT) not in path.read_text(encoding="utf-8"), path.name
        assert not re.search(OF_A_MACHINE, path.read_text(encoding="utf-8")), path.name


def test_the_reference_holds_every_public_name_and_command(pages: dict[Path, Page], site: Path) -> None:
    from comitia.cli.main import COMMANDS

    interface = pages[(site / "reference" / "python.html").resolve()].ids
    assert {f"comitia.{name}" for name in comitia.__all__} <= interface
    commands = pages[(site / "reference" / "commands.html").resolve()].ids
    assert {f"comitia-{name}" for name in COMMANDS} <= commands


def test_pages_are_changed_for_the_site_as_meant() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "site_hooks.py"))
    assert made["separated"]("text\n- a\n  - b\n- c") == "text\n\n- a\n    - b\n- c"
    assert made["separated"]("```\ntext\n- a\n```") == "```\ntext\n- a\n```"
    assert made["fenced"]("Text.\n\n>>> 1 + 1\n2\n\nMore.") == "Text.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
    written = "Parameters\n----------\na, b : what they are\n    and more\n\nReturns : nothing"
    meant = "Parameters\n----------\na, b\n    what they are\n    and more\n\nReturns : nothing"
    assert made["described"](written) == meant
    links = "[a](docs/a.md) [b](CHANGELOG.md) [c](LICENSE) [d](#d)"
    assert made["moved"](links, "project/x.md") == (
        "[a](../a.md) [b](../project/changelog.md) [c](https://github.com/comitia/comitia/blob/main/LICENSE) [d](#d)"
    )


@pytest.mark.browser
def test_pages_fit_a_phone_and_fetch_nothing(browser: Any, pages: dict[Path, Page], site: Path) -> None:
    """Wide tables scroll inside the page; nothing is asked of another machine; no script fails."""
    shown = [path for path in pages if "results" not in path.relative_to(site.resolve()).parts]
    tab, fetched, problems = browser.new_page(viewport={"width": 390, "height": 900}), [], []
    tab.on("request", lambda request: fetched.append(request.url))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    for path in shown:
        tab.goto(path.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, path.name
    tab.close()
    assert [url for url in fetched if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    assert problems == []


@pytest.mark.browser
def test_search_works_without_a_server(browser: Any, site: Path) -> None:
    tab = browser.new_page(viewport={"width": 1300, "height": 900})
    tab.goto((site / "glossary.html").as_uri())
    tab.click(".md-search__input")
    tab.keyboard.type("resume")
    tab.wait_for_selector(".md-search-result__link[href*='how-to/resume.html']")
    tab.close()
