from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.pages import write_figures
from comitia.pages.figures import write_figures as write_some
from report_records import an_ensemble


def test_one_file_a_figure_and_format(tmp_path: Path) -> None:
    found = write_figures(an_ensemble(), tmp_path / "figures")
    names = [f"{key}.{form}" for key in ("certificates", "members") for form in ("svg", "pdf", "png")]
    assert [path.name for path in found] == names
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == sorted(names)


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"formats: 'sgv' is not one of svg, pdf, png \(did you mean 'svg'"):
        write_some(an_ensemble(), tmp_path / "figures", formats=("sgv",))
    assert not (tmp_path / "figures").exists()
