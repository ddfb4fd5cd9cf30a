"""What the package writes: pages by `report`, figures for papers by `write_figures`."""

from pathlib import Path
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.pages import report, write_figures
from report_records import an_ensemble, an_evaluation, folder_of


@pytest.mark.parametrize("record", [an_ensemble(), an_evaluation()], ids=["ensemble", "evaluation"])
def test_the_page_of_a_record_in_memory(tmp_path: Path, record: Any) -> None:
    written = report(record, tmp_path / "page.html", title="A < B")
    assert written == tmp_path / "page.html"
    text = written.read_text()
    assert "<title>A &lt; B · comitia</title>" in text
    assert '<span class="title">A &lt; B</span>' in text


def test_by_default_the_page_goes_beside_its_record(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, an_ensemble(), None)
    assert report(folder) == folder / "report.html"
    assert report(str(folder / "ensemble.json")) == folder / "ensemble.html"
    assert "<title>ensemble · comitia</title>" in (folder / "ensemble.html").read_text()


def test_an_existing_page_is_overwritten_only_if_forced(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    with pytest.raises(InputError, match=r"^out: .*page.html already exists; force=True overwrites it"):
        report(an_ensemble(), page)
    assert page.read_text() == "mine"
    report(an_ensemble(), page, force=True)
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "source, out, message",
    [
        (".", "ensemble.json", "^out: .*ensemble.json is the name of a record"),
        ("ensemble.json", "../run/ensemble.json", "^out: .*ensemble.json is the name of a record"),
        (".", "learning.csv", "^out: .*learning.csv is the name of a record"),
        (".", "absent/page.html", "^out: the folder .*absent does not exist; create it first"),
        ("absent.json", "page.html", "absent.json: no such file or folder"),
    ],
)
def test_bad_places_are_refused_and_nothing_is_written(
    tmp_path: Path, source: str, out: str, message: str
) -> None:
    folder = folder_of(tmp_path / "run", an_ensemble(), None)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError, match=message):
        report(folder / source, folder / out, force=True)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_record_in_memory_needs_a_name_for_its_page() -> None:
    with pytest.raises(InputError, match="^out: required for the page of an ensemble or evaluation"):
        report(an_ensemble())


def test_one_file_per_figure_and_format(tmp_path: Path) -> None:
    found = write_figures(an_ensemble(), tmp_path / "figures")
    names = [f"{key}.{form}" for key in ("certificates", "members") for form in ("svg", "pdf", "png")]
    assert [path.name for path in found] == names
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == sorted(names)


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"formats: 'sgv' is not one of svg, pdf, png \(did you mean 'svg'"):
        write_figures(an_ensemble(), tmp_path / "figures", formats=("sgv",))
    assert not (tmp_path / "figures").exists()
