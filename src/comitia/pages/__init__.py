"""Figures for papers, and the page: one self-contained HTML file. Pure functions of the records."""

from pathlib import Path
from typing import TYPE_CHECKING

from comitia._errors import InputError

if TYPE_CHECKING:
    from comitia._ensemble import Ensemble
    from comitia.evaluation.records import Evaluation

__all__ = ["report_text", "write_figures", "write_report"]


def report_text(path: str | Path) -> str:
    """The page as HTML text: of an ensemble file, an evaluation file, a folder of both, or of a comparison."""
    from comitia.pages.comparison_page import comparison_page, holds_comparison, read_contents
    from comitia.pages.material import read_material
    from comitia.pages.page import page

    if holds_comparison(path):
        return comparison_page(read_contents(path), _plotly_js())

    material = read_material(path)
    return page(material, _plotly_js())


def write_report(path_in: str | Path, path_out: str | Path, *, force: bool = False) -> Path:
    """Where the page was written: whole or not at all, and never over another file unless `force` is given.

    Examples
    --------
    >>> import json
    >>> from comitia import Predictions, weigh
    >>> pack = Predictions.from_arrays(votes=[[0, 1, 1, 0] * 9, [0, 1, 0, 0] * 9], labels=[0, 1, 1, 0] * 9)
    >>> _ = Path("ensemble.json").write_text(json.dumps(weigh(pack).to_json()))
    >>> write_report("ensemble.json", "page.html").name
    'page.html'
    """
    from comitia.files.atomic import write_text

    target = Path(path_out)
    if target.exists() and not force:
        raise InputError(f"{target}: exists already; force overwrites it")
    write_text(target, report_text(path_in))
    return target


def write_figures(record: "Ensemble | Evaluation", folder: str | Path) -> tuple[Path, ...]:
    """The files written under the folder: every figure of the record as SVG, PDF and PNG."""
    from comitia.pages.figures import write_figures as write

    return write(record, folder)


def _plotly_js() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise InputError("report: needs plotly; pip install 'comitia[report]'") from None
    return str(get_plotlyjs())
