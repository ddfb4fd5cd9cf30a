"""What a report is made of: the records found at a path, each checked as it is read."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comitia._ensemble import FORMAT as ENSEMBLE_FORMAT
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia.evaluation.records import FORMAT as EVALUATION_FORMAT
from comitia.evaluation.records import Evaluation
from comitia.pages.learning import LEARNING, Epoch, read_learning
from comitia.pages.misfits import certificate_misfit, ensemble_misfit, misfit

ENSEMBLE, EVALUATION, RUN = "ensemble.json", "evaluation.json", "run.json"


@dataclass(frozen=True)
class Material:
    """The records of one report; at least one of ensemble and evaluation. `run` is how they came about.

    `learning` are the epochs of the training, where the members were trained here.
    """

    title: str
    ensemble: Ensemble | None = None
    evaluation: Evaluation | None = None
    run: dict[str, Any] | None = None
    learning: tuple[Epoch, ...] = ()


def read_material(path: str | Path) -> Material:
    """The records at a path: an ensemble or an evaluation file, or a folder that holds one or both."""
    place = Path(path)
    if place.is_dir():
        return _from_folder(place)
    record = json_object(place)
    if record.get("format") == ENSEMBLE_FORMAT:
        return Material(place.stem, ensemble=_ensemble(place))
    if record.get("format") == EVALUATION_FORMAT:
        found = _evaluation(place)
        return Material(found.name or place.stem, evaluation=found)
    raise InputError(
        f"{path}: neither an ensemble ({ENSEMBLE_FORMAT}) nor an evaluation ({EVALUATION_FORMAT}); "
        "comitia weigh --out and comitia evaluate --json write those"
    )


def _from_folder(folder: Path) -> Material:
    ensemble = _ensemble(folder / ENSEMBLE) if (folder / ENSEMBLE).exists() else None
    evaluation = _evaluation(folder / EVALUATION) if (folder / EVALUATION).exists() else None
    if ensemble is None and evaluation is None:
        raise InputError(
            f"{folder}: holds neither {EVALUATION} nor {ENSEMBLE}; comitia reproduce writes the first, "
            f"comitia weigh --out {ENSEMBLE} the second"
        )
    if ensemble is not None and evaluation is not None and ensemble.classes != evaluation.source.classes:
        raise InputError(
            f"{folder}: {ENSEMBLE} has {ensemble.classes} classes, {EVALUATION} {evaluation.source.classes}: they are "
            "of other data; report on each by its file"
        )
    run = json_object(folder / RUN) if (folder / RUN).exists() else None
    named = evaluation.name if evaluation is not None else None
    return Material(named or folder.resolve().name, ensemble, evaluation, run, _learning(folder / LEARNING))


def _learning(path: Path) -> tuple[Epoch, ...]:
    return read_learning(file_text(path), source=str(path)) if path.exists() else ()


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file."""
    text = file_text(path)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not readable as JSON ({error})") from None
    if not isinstance(record, dict):
        raise InputError(f"{path}: must hold a JSON object, got {type(record).__name__}")
    return record


def file_text(path: Path) -> str:
    """The text in a file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file or folder") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not readable as text ({error})") from None


def _ensemble(path: Path) -> Ensemble:
    found = Ensemble.from_json(file_text(path), source=str(path))
    _require(path, misfit(found, Ensemble, "Ensemble") or ensemble_misfit(found))
    return found


def _evaluation(path: Path) -> Evaluation:
    found = Evaluation.from_json(file_text(path), source=str(path))
    for row in found.certificates:
        _require(path, certificate_misfit(row.certificate))
    return found


def _require(path: Path, wrong: str | None) -> None:
    """Raise if anything is wrong with the record."""
    if wrong is not None:
        raise InputError(f"{path}: damaged file: {wrong}")
