"""The documents' tables of certificates are those of the code."""

import runpy
from pathlib import Path

import pytest

from comitia.bounds.table import BOUNDS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_shows_the_table_as_it_is() -> None:
    made = runpy.run_path(str(DOCS / "certificate_table.py"))
    page = (DOCS / "certificates.md").read_text(encoding="utf-8")
    assert page == made["updated"](page), "run: python docs/certificate_table.py"
    assert all(f"| `{name}`" in made["table"]() for name in BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_the_equation_map_has_the_equation_of_every_row(name: str) -> None:
    page = (DOCS / "equations.md").read_text(encoding="utf-8")
    row = BOUNDS[name]
    found = [line for line in page.splitlines() if row.equation in line and name in line.split("|")[1]]
    assert any(f"`comitia.bounds.{row.formula.__name__}`" in line for line in found), row.equation
