import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.pages.learning import LEARNING, Epoch, learning_csv
from comitia.pages.material import read_material
from report_records import an_ensemble, an_evaluation, folder_of


def test_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", an_ensemble(), an_evaluation())
    both = read_material(folder)
    assert both.ensemble is not None
    assert both.evaluation == an_evaluation()
    assert both.run is not None
    assert both.title == "imdb-cnn_lstm-checkpoints"
    assert read_material(folder / "ensemble.json").evaluation is None
    assert read_material(folder / "evaluation.json").ensemble is None


def test_learning_curves_are_read_where_there_are_any(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", an_ensemble(), an_evaluation())
    assert read_material(folder).learning == ()
    (folder / LEARNING).write_text(learning_csv([Epoch(1, 1, 2.0, 0.25, 9.0)]))
    assert read_material(folder).learning == (Epoch(1, 1, 2.0, 0.25, 9.0),)
    (folder / LEARNING).write_text("run,epoch\n")
    with pytest.raises(InputError, match=r"learning.csv: must begin with run,epoch,loss"):
        read_material(folder)


def edited(place: Path, path: str, value: Any) -> Path:
    """A folder with one entry of its evaluation replaced."""
    record: Any = an_evaluation().to_json()
    inner, words = record, path.split(".")
    for word in words[:-1]:
        inner = inner[int(word) if word.isdigit() else word]
    inner[words[-1]] = value
    target = place / "evaluation.json"
    target.write_text(json.dumps(record))
    return target


@pytest.mark.parametrize(
    "path, value, message",
    [
        (
            "rows.0.accuracy_mean",
            "<b>",
            r"evaluation.json: rows\[0\].accuracy_mean: must be a number, got '<b>'",
        ),
        ("rows.0.accuracy_mean", 17.3, r"rows\[0\]: accuracy_mean is 17.3, outside of 0 to 1"),
        ("certificates.0.certificate.vote", "nonsense", "certificate split: .* nonsense vote"),
        ("certificates.0.certificate.risk", 0.01, "risk 0.01, but its errors give 0.1357.*changed by hand"),
        ("certificates.1.certificate.risk", -1.0, "certificate tandem-kl: risk -1"),
        ("format", "other", "neither an ensemble"),
    ],
)
def test_damaged_evaluations(tmp_path: Path, path: str, value: Any, message: str) -> None:
    target = edited(tmp_path, path, value)
    with pytest.raises(InputError, match=message) as caught:
        read_material(target)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "not readable as JSON"),
        (b"[1]", "must hold a JSON object, got list"),
        (b"\xff\xfe", "not readable as text"),
        (b"{}", "neither an ensemble"),
        (b"[" * 100_000, "not readable as JSON"),
    ],
)
def test_other_files(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_material(tmp_path / "x.json")


@pytest.mark.parametrize("name", ["errors", "n"])
def test_an_ensemble_whose_counts_are_missing(tmp_path: Path, name: str) -> None:
    record = an_ensemble().to_json()
    del record["best"]["inputs"][name]
    (tmp_path / "ensemble.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="split must have errors and n > 0 among its inputs"):
        read_material(tmp_path)


@pytest.mark.parametrize("risk", [-1.0, 0.0001])
def test_an_ensemble_whose_promise_was_changed_by_hand(tmp_path: Path, risk: float) -> None:
    record = an_ensemble().to_json()
    record["best"]["risk"] = risk
    (tmp_path / "ensemble.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=f"certificate split: risk {risk:g}"):
        read_material(tmp_path)


def test_records_of_other_data_do_not_share_a_page(tmp_path: Path) -> None:
    ensemble = replace(an_ensemble(), classes=5)
    with pytest.raises(
        InputError, match="ensemble.json has 5 classes, evaluation.json 3: they are of other data"
    ):
        read_material(folder_of(tmp_path / "run", ensemble, an_evaluation()))


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds neither evaluation.json nor ensemble.json"):
        read_material(tmp_path)
