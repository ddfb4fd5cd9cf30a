"""The examples in the pages run: Python blocks as doctests, console blocks command by command."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Commands that take minutes, need a network, or the paper's data: they are run by hand, not here.
SLOW = re.compile(
    r"comitia (train|reproduce|collect|demo|data)|make |pip |python -m (bench|experiments)|git |ray "
)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in blocks(page, "python"):
        _run_python(code, page)
    for text in blocks(page, "console"):
        for line in text.splitlines():
            if line.startswith("$ ") and not SLOW.search(line):
                _run_command(line[2:])


def _run_python(code: str, page: Path) -> None:
    if ">>>" in code:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        parsed = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
        assert doctest.DocTestRunner(optionflags=flags).run(parsed).failed == 0
    else:
        exec(compile(code, str(page), "exec"), {})


def _run_command(line: str) -> None:
    words = shlex.split(line, comments=True)
    assert words[0] in ("comitia", "python"), f"unknown command in a page: {line}"
    start = [sys.executable, "-m", "comitia.cli.main"] if words[0] == "comitia" else [sys.executable]
    environment = {**os.environ, "COLUMNS": "120"}
    done = subprocess.run([*start, *words[1:]], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
