"""What a page is made of: the records found at a path. Each file is read once and checked as it is read."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._records import parse_json
from comitia.evaluation.comparison import Comparison
from comitia.evaluation.records import Evaluation
from comitia.files.counts import is_counts
from comitia.files.remote import local, shown
from comitia.files.texts import read_text
from comitia.pages.chain_temperatures import Chain, read_chain
from comitia.pages.learning import LEARNING, Epoch, read_learning
from comitia.regression import RealEnsemble, RealEvaluation

COMPARISON, ENSEMBLE, EVALUATION, RUN = "comparison.json", "ensemble.json", "evaluation.json", "run.json"
# the kinds of records by the word in their format, such as "comitia-ensemble-1"
KINDS: dict[str, Any] = {
    "ensemble": Ensemble,
    "evaluation": Evaluation,
    "comparison": Comparison,
    "regression": RealEnsemble,
    "regression-evaluation": RealEvaluation,
}
_FORMAT = re.compile(rf'"format"\s*:\s*"comitia-({"|".join(KINDS)})-[0-9]')
Record = TypeVar("Record", Ensemble, Evaluation, Comparison, RealEnsemble, RealEvaluation)


@dataclass(frozen=True)
class Material:
    """An ensemble, an evaluation or both; `run` says how they were made, `learning` are the epochs of a training."""

    title: str
    ensemble: Ensemble | None = None
    evaluation: Evaluation | None = None
    run: dict[str, Any] | None = None
    learning: tuple[Epoch, ...] = ()


@dataclass(frozen=True)
class ComparisonMaterial:
    """A comparison and the temperatures of its chains; `run` says how it was made."""

    title: str
    record: Comparison
    chains: tuple[Chain, ...] = ()
    run: dict[str, Any] | None = None


@dataclass(frozen=True)
class RealMaterial:
    """An ensemble, or an evaluation, for real targets."""

    title: str
    record: RealEnsemble | RealEvaluation


def sources(path: str | Path) -> list[Path]:
    """Return the files that the page of a path may be made from: the file, or every record of the folder."""
    place, names = Path(path), (COMPARISON, ENSEMBLE, EVALUATION, RUN, LEARNING)
    return [place / name for name in names] if place.is_dir() else [place]


def read_material(
    path: str | Path | Ensemble | Evaluation | RealEnsemble | RealEvaluation,
) -> Material | ComparisonMaterial | RealMaterial:
    """Return the records at a path, which is a file or a folder; or the material of a single record."""
    if isinstance(path, RealEnsemble | RealEvaluation):
        return RealMaterial("evaluation" if isinstance(path, RealEvaluation) else "ensemble", path)
    if isinstance(path, Ensemble | Evaluation):
        return _of_record(path, "evaluation" if isinstance(path, Evaluation) else "ensemble")
    place = local(path)
    if not place.is_dir():
        return _from_file(place)
    return _from_file(place / COMPARISON) if (place / COMPARISON).exists() else _from_folder(place)


def _of_record(record: Ensemble | Evaluation, title: str) -> Material:
    if isinstance(record, Ensemble):
        return Material(title, ensemble=record)
    return Material(record.name or title, evaluation=record)


def _from_file(place: Path) -> Material | ComparisonMaterial | RealMaterial:
    if is_counts(place):
        raise InputError(
            f"{shown(place)}: holds counts; comitia weigh makes an ensemble of them, which has a page"
        )
    text = _text(place)
    if (found := _FORMAT.search(text)) is None:
        parse_json(text, str(place))  # a file that is not even JSON has a message of its own
        raise InputError(
            f"{place}: not an ensemble, evaluation or comparison; comitia weigh, evaluate and reproduce write those"
        )
    record = _read(KINDS[found[1]], text, place)
    if isinstance(record, RealEnsemble | RealEvaluation):
        return RealMaterial(place.stem, record)
    return _comparison(record, place) if isinstance(record, Comparison) else _of_record(record, place.stem)


def _comparison(record: Comparison, place: Path) -> ComparisonMaterial:
    """Return the comparison with the temperatures in the logs of its chains, and `run.json` beside it."""
    own = [name for name, ensemble in record.ensembles.items() if ensemble.last_of is None]
    chains = [chain for name in own if (chain := read_chain(place.parent / name, name)) is not None]
    return ComparisonMaterial(record.name, record, tuple(chains), _run(place.parent))


def _from_folder(folder: Path) -> Material:
    ensemble, evaluation = _if_there(Ensemble, folder / ENSEMBLE), _if_there(Evaluation, folder / EVALUATION)
    if ensemble is None and evaluation is None:
        raise InputError(
            f"{folder}: has neither {EVALUATION} nor {ENSEMBLE}; comitia reproduce writes the first, "
            "comitia weigh the second"
        )
    if ensemble is not None and evaluation is not None and ensemble.classes != evaluation.source.classes:
        raise InputError(
            f"{folder}: {ENSEMBLE} has {ensemble.classes} classes, {EVALUATION} has {evaluation.source.classes}, so "
            "they are of different data; give the file of one of them"
        )
    curves = folder / LEARNING
    learning = read_learning(_text(curves), source=str(curves)) if curves.exists() else ()
    title = (evaluation.name if evaluation is not None else None) or folder.resolve().name
    return Material(title, ensemble, evaluation, _run(folder), learning)


def _if_there(kind: type[Record], path: Path) -> Record | None:
    return _read(kind, _text(path), path) if path.exists() else None


def _read(kind: type[Record], text: str, path: Path) -> Record:
    return kind.from_json(text, source=str(path))


def _run(folder: Path) -> dict[str, Any] | None:
    path = folder / RUN
    if not path.exists():
        return None
    found = parse_json(_text(path), str(path))
    if not isinstance(found, dict):
        raise InputError(f"{path}: must be a JSON object, got {type(found).__name__}")
    return found


def _text(path: Path) -> str:
    return read_text(path, absent="no such file or folder")
