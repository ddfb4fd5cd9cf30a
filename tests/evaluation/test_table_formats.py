"""A table in three formats that say the same."""

import csv
import io

import pytest

from comitia._errors import InputError
from comitia.evaluation.table_formats import Column, Table, csv_text, latex, markdown, render

HOSTILE = Table(
    "50% & more", (Column("a_b"), Column("x", 2)), (("p|q \\ {~^#$}", 1.239), (None, None)), ("n_1",)
)


def test_special_characters_are_escaped() -> None:
    assert r"p\textbackslash" not in markdown(HOSTILE)
    assert r"| p\|q \ {~^#$} | 1.24 |" in markdown(HOSTILE)
    assert r"p|q \textbackslash{} \{\textasciitilde{}\textasciicircum{}\#\$\} & 1.24 \\" in latex(HOSTILE)
    assert r"a\_b & x \\" in latex(HOSTILE)
    assert "-- & -- \\\\" in latex(HOSTILE)


def test_latex_is_a_booktabs_tabular_with_notes_as_comments() -> None:
    lines = latex(HOSTILE).splitlines()
    assert lines[:3] == ["% 50% & more", "% n_1", r"\begin{tabular}{@{}lr@{}}"]
    assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\bottomrule"]


def test_csv_keeps_every_digit() -> None:
    rows = list(csv.reader(io.StringIO(csv_text(HOSTILE))))
    assert rows == [["a_b", "x"], ["p|q \\ {~^#$}", "1.239"], ["", ""]]


def test_the_ending_names_the_format() -> None:
    assert render(HOSTILE, "t.tex") == latex(HOSTILE)
    assert render(HOSTILE, "t.MD") == markdown(HOSTILE)
    with pytest.raises(
        InputError, match=r"t.docx: the name of a table must end in .md, .tex, .csv, got '.docx'"
    ):
        render(HOSTILE, "t.docx")
