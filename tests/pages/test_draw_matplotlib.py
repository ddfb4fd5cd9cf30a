from dataclasses import replace
from xml.etree import ElementTree

import matplotlib
import pytest

from comitia.pages import figures_of
from comitia.pages.draw_matplotlib import drawn
from comitia.pages.figure import Figure, Panel, Series, Table
from report_records import HOSTILE, an_ensemble, an_evaluation

FIGURES = [*figures_of(an_ensemble(HOSTILE)), *figures_of(an_evaluation(HOSTILE, label=HOSTILE[4]))]
SIGNATURES = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG"}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.key)
def test_a_vector_file_is_well_formed_and_the_same_twice(figure: Figure) -> None:
    settings = dict(matplotlib.rcParams)
    one = drawn(figure, ("svg",))["svg"]
    assert one == drawn(figure, ("svg",))["svg"]
    root = ElementTree.fromstring(one)
    assert root.tag.endswith("svg")
    assert not [e for e in root.iter() if e.tag.endswith(("script", "foreignObject"))]
    assert b"dc:date" not in one
    assert dict(matplotlib.rcParams) == settings


def test_every_form_is_the_same_twice() -> None:
    one, two = drawn(FIGURES[0], tuple(SIGNATURES)), drawn(FIGURES[0], tuple(SIGNATURES))
    assert one == two
    for form, signature in SIGNATURES.items():
        assert one[form].startswith(signature)
    assert b"CreationDate" not in one["pdf"]


def test_a_logarithmic_axis_has_its_ticks_as_whole_numbers() -> None:
    panel = Panel("lines", "y", (Series("s", "tandem", (10.0, 100_000.0), (0.1, 0.2)),))
    linear = Figure("f", "F", "", "", "x", (panel,), Table((), ()))
    logarithmic = drawn(replace(linear, log=True), ("svg",))["svg"]
    assert b"<!-- 100,000 -->" in logarithmic
    assert b"<!-- 1,000 -->" in logarithmic
    assert b"<!-- 1,000 -->" not in drawn(linear, ("svg",))["svg"]
