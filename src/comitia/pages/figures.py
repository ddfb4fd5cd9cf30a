"""Every figure of a record, and their files for a paper."""

from collections.abc import Iterable
from pathlib import Path

from comitia._ensemble import Ensemble
from comitia._errors import InputError, require_choice
from comitia.evaluation.records import Evaluation
from comitia.files.atomic import write_bytes
from comitia.pages.ensemble_figures import ensemble_figures
from comitia.pages.evaluation_figures import evaluation_figures
from comitia.pages.figure import Figure

FORMATS = ("svg", "pdf", "png")


def figures_of(record: Ensemble | Evaluation) -> tuple[Figure, ...]:
    """The figures that the record has numbers for, in the order in which they are shown."""
    return ensemble_figures(record) if isinstance(record, Ensemble) else evaluation_figures(record)


def write_figures(
    record: Ensemble | Evaluation, folder: str | Path, *, formats: tuple[str, ...] = FORMATS
) -> tuple[Path, ...]:
    """The files written: every figure of the record in every format, for a paper, over what was there."""
    return write_drawn(figures_of(record), folder, formats=formats)


def write_drawn(
    figures: Iterable[Figure], folder: str | Path, *, formats: tuple[str, ...] = FORMATS
) -> tuple[Path, ...]:
    """The files written: each of the figures in every format."""
    for form in formats:
        require_choice("formats", form, FORMATS)
    try:
        from comitia.pages.draw_matplotlib import drawn
    except ImportError:
        raise InputError("figures: need matplotlib; pip install 'comitia[report]'") from None
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    found = []
    for figure in figures:
        for form, content in drawn(figure, formats).items():
            found.append(place / f"{figure.key}.{form}")
            write_bytes(found[-1], content)
    return tuple(found)
