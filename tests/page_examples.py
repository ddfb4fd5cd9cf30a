"""Code blocks of the documents, so that tests run what readers see."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def page_blocks(page: str, language: str, heading: str = "") -> list[str]:
    """Return the code blocks of a page in that language; only those below a heading of the second level, if given."""
    text = (DOCS / page).read_text(encoding="utf-8")
    if heading:
        text = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)
