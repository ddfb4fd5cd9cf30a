"""Pages and figures: one self-contained HTML file per record, and files for papers.

`report` and `write_figures` write files. Everything below them is a pure function of the records.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from comitia._errors import InputError, require_choice

if TYPE_CHECKING:
    from comitia._ensemble import Ensemble
    from comitia.evaluation.records import Evaluation
    from comitia.pages.figure import Figure
    from comitia.regression import RealEnsemble, RealEvaluation

__all__ = ["page_text", "report", "report_place", "write_drawn", "write_figures"]

FORMATS = ("svg", "pdf", "png")


def report(
    path: "str | Path | Ensemble | Evaluation | RealEnsemble | RealEvaluation",
    out: str | Path | None = None,
    *,
    title: str | None = None,
    force: bool = False,
) -> Path | str:
    """Write one HTML page that needs no network, and return its path, or the URL where `out` is one.

    Parameters
    ----------
    path : the file or URL of an ensemble, an evaluation or a comparison, or a folder with `ensemble.json`,
        `evaluation.json` or `comparison.json`; or what `monitor` keeps (`.jsonl`); or an `Ensemble` or `Evaluation`
    out : the file or URL to write; by default `path` with the ending `.html`, or `report.html` in the folder
    title : by default the name in the record, or that of the file or folder
    force : whether an existing file is overwritten; the records that the page is made from never are

    Examples
    --------
    >>> from comitia import Predictions, weigh
    >>> pack = Predictions.from_arrays(votes=[[0, 1, 1, 0] * 9, [0, 1, 0, 0] * 9], labels=[0, 1, 1, 0] * 9)
    >>> report(weigh(pack), "page.html", title="Two members").name
    'page.html'
    """
    from comitia.files.atomic import write_text
    from comitia.files.remote import require_absent_remote

    target = report_place(path, out)
    if isinstance(target, str):
        require_absent_remote(target, force)
        write_text(target, page_text(path, title=title))
        return target
    if not target.absolute().parent.is_dir():
        raise InputError(f"out: the folder {target.absolute().parent} does not exist; create it first")
    if target.exists() and not force:
        raise InputError(f"out: {target} already exists; force=True overwrites it")
    write_text(target, page_text(path, title=title))
    return target


def report_place(
    path: "str | Path | Ensemble | Evaluation | RealEnsemble | RealEvaluation", out: str | Path | None = None
) -> Path | str:
    """Return the file or URL that `report` writes; the name of a record that the page is made from is an error."""
    from comitia.files.remote import is_url
    from comitia.pages.material import sources

    if not isinstance(path, str | Path):
        if out is None:
            raise InputError("out: required for the page of an ensemble or evaluation that is not a file")
        return _place(out)
    if is_url(path) or (out is not None and is_url(out)):
        return _place_by_url(path, out)
    place = Path(path)
    if out is None:
        return place / "report.html" if place.is_dir() else place.with_suffix(".html")
    if str(out) == "-":
        raise InputError("out: the name of a file is required, got '-'")
    if Path(out).resolve() in {source.resolve() for source in sources(place)}:
        raise InputError(f"out: {out} is the name of a record; choose another name")
    return Path(out)


def _place(out: str | Path) -> Path | str:
    from comitia.files.remote import is_url, plain

    found = plain(out)
    return found if isinstance(found, str) and is_url(found) else Path(found)


def _place_by_url(path: str | Path, out: str | Path | None) -> Path | str:
    """The place of the page where the record or the page has a URL."""
    from comitia.files.remote import shown

    if out is None:
        url = shown(path)
        return _place(f"{url.removesuffix(PurePosixPath(url).suffix)}.html")
    if out == path:
        raise InputError(f"out: {shown(out)} is the name of a record; choose another name")
    return _place(out)


def page_text(
    path: "str | Path | Ensemble | Evaluation | RealEnsemble | RealEvaluation", *, title: str | None = None
) -> str:
    """Return the page that `report` writes."""
    from comitia.files.remote import named
    from comitia.pages.comparison_page import comparison_page
    from comitia.pages.material import Material, RealMaterial, read_material
    from comitia.pages.real_page import real_page
    from comitia.pages.record_page import record_page

    if isinstance(path, str | Path) and str(path).endswith(".jsonl"):
        return _state_page(path, title)
    with named():
        found = read_material(path)
    material = found if title is None else replace(found, title=title)
    if isinstance(material, Material):
        return record_page(material)
    if isinstance(material, RealMaterial):
        return real_page(material)
    return comparison_page(material)


def _state_page(path: str | Path, title: str | None) -> str:
    """The page of what `comitia monitor` keeps."""
    from comitia.files.remote import local
    from comitia.files.states import read_monitor_state
    from comitia.pages.monitor_page import monitor_page

    place = local(path)
    if not place.is_file():
        raise InputError(f"{path}: no such file; comitia monitor writes one")
    found = read_monitor_state(place).stand()
    return monitor_page(found, place.name if title is None else title)


def write_figures(
    record: "Ensemble | Evaluation", folder: str | Path, *, formats: tuple[str, ...] = FORMATS
) -> tuple[Path, ...]:
    """Write every figure of the record for a paper, one file per format, and return the paths."""
    return write_drawn(figures_of(record), folder, formats=formats)


def write_drawn(
    figures: "Iterable[Figure]", folder: str | Path, *, formats: tuple[str, ...] = FORMATS
) -> tuple[Path, ...]:
    """Write each of the figures, one file per format, over existing ones, and return the paths."""
    for form in formats:
        require_choice("formats", form, FORMATS)
    try:
        from comitia.pages.draw_matplotlib import drawn
    except ImportError:
        raise InputError("figures: need matplotlib; pip install 'comitia[report]'") from None
    from comitia.files.atomic import write_bytes

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    found = []
    for figure in figures:
        for form, content in drawn(figure, formats).items():
            found.append(place / f"{figure.key}.{form}")
            write_bytes(found[-1], content)
    return tuple(found)


def figures_of(record: "Ensemble | Evaluation") -> "tuple[Figure, ...]":
    """Return the figures that the record has numbers for, in the order in which they are shown."""
    from comitia._ensemble import Ensemble
    from comitia.pages.ensemble_figures import ensemble_figures
    from comitia.pages.evaluation_figures import evaluation_figures

    return ensemble_figures(record) if isinstance(record, Ensemble) else evaluation_figures(record)
