"""Write the notebooks from the pages: `python docs/notebooks.py`.

A notebook holds the text of its page, its Python and its commands. The tests run its cells one after another, and tell
when a page has changed.
"""

import json
import posixpath
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "notebooks"
PAGES = ("first-steps.md", "how-to/promises.md", "how-to/torch.md")
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n?", re.M | re.S)
_LINK = re.compile(r"\]\((?!http|mailto:|#)([^)]+)\)")


def notebook(page: str) -> dict[str, Any]:
    """Return the notebook of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    cells, end = [], 0
    for found in _BLOCK.finditer(text):
        cells += _markdown(text[end : found.start()], page)
        cells.append(_code(found[1], found[2]))
        end = found.end()
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [*cells, *_markdown(text[end:], page)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def place(page: str) -> Path:
    """Return where the notebook of a page lies."""
    return FOLDER / Path(page).with_suffix(".ipynb").name


def written(page: str) -> str:
    """Return the notebook of a page as it is written."""
    return json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"


def _markdown(text: str, page: str) -> list[dict[str, Any]]:
    def relinked(found: re.Match[str]) -> str:
        return f"](../{posixpath.normpath(posixpath.join(posixpath.dirname(page), found[1]))})"

    kept = _LINK.sub(relinked, text).strip()
    return (
        [{"cell_type": "markdown", "metadata": {}, "source": kept.splitlines(keepends=True)}] if kept else []
    )


def _code(language: str, code: str) -> dict[str, Any]:
    """A cell of Python; or of the commands of a console block, without what they print."""
    if language == "console":
        code = "".join(f"!{line[2:]}\n" for line in code.splitlines() if line.startswith("$ "))
    source = code.rstrip("\n").splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def main() -> None:
    """Write all notebooks."""
    FOLDER.mkdir(exist_ok=True)
    for page in PAGES:
        place(page).write_text(written(page), encoding="utf-8")


if __name__ == "__main__":
    main()
