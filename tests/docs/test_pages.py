"""The examples in the pages run: Python blocks as doctests, console blocks command by command.

Lines of a console block that are no command are what the command before them prints: each must be a line of that.
"""

import ast
import doctest
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROOT_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
# Stored records, and pages that are made while the site is built.
PAGES = [*ROOT_PAGES, *sorted(page for page in DOCS.rglob("*.md") if "results" not in page.parts)]
MADE = {DOCS / "reference" / "commands.md", DOCS / "reference" / "python.md"}
# Commands that take minutes, need a network, or the paper's data: they are run by hand, not here.
SLOW = re.compile(
    r"comitia (train|reproduce|collect|demo|data)|make |pip |python -m (bench|experiments)|git |ray "
)

NOTEBOOKS = runpy.run_path(str(DOCS / "notebooks.py"))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.mark.parametrize("page", NOTEBOOKS["PAGES"])
def test_notebook(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook is the one that its page gives, and its cells run one after another in one namespace."""
    text = NOTEBOOKS["place"](page).read_text(encoding="utf-8")
    assert text == NOTEBOOKS["written"](page), "write it anew: python docs/notebooks.py"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in json.loads(text)["cells"]:
        code = "".join(cell["source"])
        if cell["cell_type"] == "code" and not code.startswith("!"):
            exec(compile(code, page, "exec"), names)
        elif cell["cell_type"] == "code":
            for line in code.splitlines():
                if not SLOW.search(line):
                    _run_command(line[1:], [])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks run in the order of the page, in one folder, so that a command finds what Python wrote before it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # as a script finds the modules beside it
    text = page.read_text(encoding="utf-8")
    for language, code in re.findall(r"^```(python|console)\n(.*?)^```", text, flags=re.M | re.S):
        if language == "python":
            _run_python(code, page)
            continue
        for line, quoted in _commands(code):
            if not SLOW.search(line):
                _run_command(line, quoted)


def _commands(code: str) -> list[tuple[str, list[str]]]:
    """Return each command of a console block with the lines that are quoted of what it prints."""
    first, *parts = re.split(r"^\$ ", code, flags=re.M)
    assert not first.strip(), f"a console block must begin with a command, got {first}"
    found = [part.rstrip().split("\n") for part in parts]
    return [(line, [text for text in quoted if text.strip() not in ("", "…")]) for line, *quoted in found]


def test_commands_are_told_from_what_they_print() -> None:
    code = "$ comitia a b\n x\n…\n\n$ comitia c\n"
    assert _commands(code) == [("comitia a b", [" x"]), ("comitia c", [])]


def _run_python(code: str, page: Path) -> None:
    if ">>>" in code:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        parsed = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
        assert doctest.DocTestRunner(optionflags=flags).run(parsed).failed == 0
    else:
        exec(compile(code, str(page), "exec"), {})


def _run_command(line: str, quoted: list[str]) -> None:
    words = shlex.split(line, comments=True)
    assert words[0] in ("comitia", "python"), f"unknown command in a page: {line}"
    start = [sys.executable, "-m", "comitia"] if words[0] == "comitia" else [sys.executable]
    environment = {**os.environ, "COLUMNS": "120"}
    done = subprocess.run([*start, *words[1:]], capture_output=True, text=True, timeout=120, env=environment)
    # a command that is refused is shown with the line that says why
    refused = bool(quoted) and quoted[0].startswith("comitia: ")
    assert done.returncode == (2 if refused else 0), f"{line}\n{done.stderr}"
    printed = [text.rstrip() for text in f"{done.stdout}\n{done.stderr}".splitlines()]
    assert [text for text in quoted if text not in printed] == [], f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_in_commands_exist(page: Path) -> None:
    """Commands that are too slow to run here are at least parsed: every option is one that the command has."""
    from comitia.cli.main import group

    lines = [line[2:] for text in blocks(page, "console") for line in text.splitlines() if line[:2] == "$ "]
    for words in (shlex.split(line, comments=True) for line in lines):
        if words[0] != "comitia":
            continue
        command = group.get_command(None, words[1])  # type: ignore[arg-type]
        assert command is not None, f"no command {words[1]}"
        if (inner := getattr(command, "commands", {}).get(words[2] if len(words) > 2 else "")) is not None:
            command = inner
        known = {option for parameter in command.params for option in parameter.opts}
        asked = {word.split("=")[0] for word in words if word.startswith("--")}
        assert asked <= {*known, "--help"}, " ".join(words)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http", "mailto:")):
            place = (page.parent / target).resolve()
            assert place in MADE or place.exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "design.md"], ids=name_of)
def test_examples_import_from_the_public_interface_only(page: Path) -> None:
    public = {
        "comitia",
        *(f"comitia.{part}" for part in ("sklearn", "deep", "bundle", "weighting", "statistics")),
    }
    for code in blocks(page, "python"):
        source = "\n".join(line[4:] for line in code.splitlines() if line[:4] in (">>> ", "... ")) or code
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("comitia"):
                assert node.module in public, f"{page.name}: from {node.module} import ..."


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


def test_every_how_to_page_is_listed_and_in_the_site() -> None:
    index, site = (DOCS / "how-to" / "index.md").read_text(), (ROOT / "mkdocs.yml").read_text()
    pages = {page.name for page in (DOCS / "how-to").glob("*.md")} - {"index.md"}
    assert pages - set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == set()
    nav = set(re.findall(r"[\w/-]+\.md", site.split("\nnav:")[1]))
    every = {page.relative_to(DOCS).as_posix() for page in PAGES if page not in ROOT_PAGES}
    assert every - nav == set()


def test_the_readme_names_every_folder() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in (ROOT / "src" / "comitia").glob("*/__init__.py")} - {"progress"}
    assert folders == set(re.findall(r"^\| `(\w+)/` \|", text, re.M))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_lines_of_prose_are_below_120_characters(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    # tables cannot be broken, and the claims of the results are quoted from their records
    prose = [line for line in text.splitlines() if not line.startswith(("|", "  - ", "- **Claim"))]
    if page.name != "design.md":
        assert [line for line in prose if len(line) > 120 and "](" not in line] == []
