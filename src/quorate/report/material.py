"""What a report is made of: the records found at a path, each checked as it is read."""

import json
import math
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from quorate.ensemble import FORMAT as ENSEMBLE_FORMAT
from quorate.ensemble import Ensemble
from quorate.errors import InputError
from quorate.evaluation.records import FORMAT as EVALUATION_FORMAT
from quorate.evaluation.records import Evaluation
from quorate.report.learning import LEARNING, Epoch, read_learning

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
        "quorate weigh --out and quorate evaluate --json write those"
    )


def _from_folder(folder: Path) -> Material:
    ensemble = _ensemble(folder / ENSEMBLE) if (folder / ENSEMBLE).exists() else None
    evaluation = _evaluation(folder / EVALUATION) if (folder / EVALUATION).exists() else None
    if ensemble is None and evaluation is None:
        raise InputError(
            f"{folder}: holds neither {EVALUATION} nor {ENSEMBLE}; quorate reproduce writes the first, "
            f"quorate weigh --out {ENSEMBLE} the second"
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
    _require_types(path, found)
    if len(found.member_risks) != len(found.names) or not found.names:
        raise InputError(
            f"{path}: damaged ensemble file: {len(found.member_risks)} risks for {len(found.names)} members"
        )
    best = found.best
    if best.name in ("split", "holdout") and not _counted(best.inputs):
        raise InputError(
            f"{path}: damaged ensemble file: {best.name} must have errors and n > 0 among its inputs"
        )
    return found


def _counted(inputs: dict[str, Any]) -> bool:
    """Whether a certificate's inputs hold the errors counted and the samples they were counted on."""
    errors, n = inputs.get("errors"), inputs.get("n")
    return type(errors) is int and type(n) is int and 0 <= errors <= n > 0


def _evaluation(path: Path) -> Evaluation:
    found = Evaluation.from_json(file_text(path), source=str(path))
    _require_types(path, found)
    if (
        not found.rows
        or not found.settings.weightings
        or not found.settings.votes
        or not found.settings.members
    ):
        raise InputError(f"{path}: an evaluation without rows; evaluate again")
    tandem, members = found.tandem, len(found.members)
    if tandem is not None and (tandem.members, len(tandem.upper)) != (members, members * (members + 1) // 2):
        raise InputError(f"{path}: damaged evaluation: the tandem counts do not fit the {members} members")
    return found


def _require_types(path: Path, record: Any) -> None:
    """Raise unless every field of the record, and of the records in it, is of its declared type."""
    wrong = misfit(record, type(record), type(record).__name__)
    if wrong is not None:
        raise InputError(f"{path}: damaged file: {wrong}")


def misfit(value: Any, hint: Any, where: str) -> str | None:
    """What does not fit its declared type, in words, or None; numbers must be finite.

    >>> misfit((0.5, "x"), tuple[float, ...], "risks")
    'risks[1] is not a finite number'
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return (
            _first(_record_misfits(value, hint, where)) if isinstance(value, hint) else f"{where} is missing"
        )
    if origin in (Union, UnionType):
        found = [misfit(value, choice, where) for choice in arguments]
        return None if None in found else found[0]
    if origin is tuple:
        return _tuple_misfit(value, arguments, where)
    if origin is dict:
        if not isinstance(value, dict):
            return f"{where} is not an object"
        return _first([misfit(inner, arguments[1], f"{where}.{key}") for key, inner in value.items()])
    if hint is float:
        numeric = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return None if numeric else f"{where} is not a finite number"
    if hint is Any or origin is np.ndarray:
        return None
    exact = isinstance(value, hint) and not (hint is int and isinstance(value, bool))
    return None if exact else f"{where} is not {'a text' if hint is str else f'of type {hint.__name__}'}"


def _record_misfits(value: Any, hint: Any, where: str) -> list[str | None]:
    hints = get_type_hints(hint)
    return [misfit(getattr(value, f.name), hints[f.name], f"{where}.{f.name}") for f in fields(hint)]


def _tuple_misfit(value: Any, arguments: tuple[Any, ...], where: str) -> str | None:
    if not isinstance(value, tuple):
        return f"{where} is not a list"
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return _first([misfit(inner, arguments[0], f"{where}[{i}]") for i, inner in enumerate(value)])
    if len(value) != len(arguments):
        return f"{where} has {len(value)} entries, not {len(arguments)}"
    return _first([misfit(v, hint, f"{where}[{i}]") for i, (v, hint) in enumerate(zip(value, arguments))])


def _first(found: list[str | None]) -> str | None:
    return next((wrong for wrong in found if wrong is not None), None)
