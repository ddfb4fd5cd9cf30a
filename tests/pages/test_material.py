import json
import os
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.pages.learning import LEARNING, Epoch, learning_csv
from comitia.pages.material import Material, read_material
from report_records import an_ensemble, an_evaluation, folder_of


def test_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", an_ensemble(), an_evaluation())
    both = read_records(folder)
    assert both.ensemble is not None
    assert both.evaluation == an_evaluation()
    assert both.run is not None
    assert both.title == "imdb-cnn_lstm-checkpoints"
    assert read_records(folder / "ensemble.json").evaluation is None
    assert read_records(folder / "evaluation.json").ensemble is None


def read_records(path: Path) -> Material:
    found = read_material(path)
    assert isinstance(found, Material)
    return found


@pytest.mark.timeout(30)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("record", [an_ensemble(), an_evaluation()], ids=["ensemble", "evaluation"])
def test_a_file_is_read_once(tmp_path: Path, record: Any) -> None:
    pipe = tmp_path / "record.json"
    os.mkfifo(pipe)  # gives its content once; a second reading would wait for a second writer
    writer = Thread(target=pipe.write_text, args=(json.dumps(record.to_json()),), daemon=True)
    writer.start()
    found = read_records(pipe)
    assert found.evaluation == record or found.ensemble is not None


def test_the_kind_of_a_file_is_found_by_its_content(tmp_path: Path) -> None:
    shuffled = dict(sorted(an_evaluation().to_json().items(), reverse=True))
    (tmp_path / "comparison.json").write_text(json.dumps(shuffled, indent=1))
    assert read_records(tmp_path).evaluation == an_evaluation()


def test_records_in_memory_need_no_file() -> None:
    assert read_material(an_ensemble()).title == "ensemble"
    assert read_material(an_evaluation()).title == "imdb-cnn_lstm-checkpoints"


def test_learning_curves_are_read_where_there_are_any(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", an_ensemble(), an_evaluation())
    assert read_records(folder).learning == ()
    (folder / LEARNING).write_text(learning_csv([Epoch(1, 1, 2.0, 0.25, 9.0)]))
    assert read_records(folder).learning == (Epoch(1, 1, 2.0, 0.25, 9.0),)
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
        ("rows.0.accuracy_mean", "<b>", r"rows\[0\].accuracy_mean: must be a number, got '<b>'"),
        ("rows.0.accuracy_mean", float("nan"), "NaN is not a number"),
        ("rows.0.size", 2.5, r"rows\[0\].size: must be a whole number, got 2.5"),
        ("rows", [], "it has no rows"),
        ("settings.sizes", [], "settings: sizes, weightings, votes and members must not be empty"),
        ("rows.0.accuracy_mean", 17.3, r"rows\[0\]: accuracy_mean is 17.3, outside of 0 to 1"),
        ("rows.0.accuracy_mean", 10**400, r"rows\[0\].accuracy_mean: must be a number, got 1000"),
        ("rows.0.size", 10**400, r"rows\[0\].size: must be a whole number, got 1000"),
        ("settings.delta", 2.5, "settings: delta is 2.5, outside of 0 to 1"),
        ("source.samples", -1, "source: samples is -1, outside of 1 to inf"),
        ("tandem.samples", 0, "tandem: counts must lie from 0 to their 0 samples"),
        ("tandem.upper", [-1] * 10, "tandem: counts must lie from 0"),
        ("certificates.0.certificate.vote", "nonsense", "certificate split is impossible: .* nonsense vote"),
        (
            "certificates.0.certificate.risk",
            0.01,
            "certificate split states 0.01, but its inputs give 0.1357.*it was edited",
        ),
        ("certificates.1.certificate.risk", -1.0, "certificate tandem-kl is impossible: risk -1"),
        ("members.1.weights", ["x"], r"members\[1\].weights: must be a table of keys"),
        ("members.1.name", 7, r"members\[1\].name: must be a text, got 7"),
        ("tandem.upper", [1, 2], "tandem: 2 counts do not fit 4 members"),
        ("settings.votes", "average", "settings.votes: must be a list, got 'average'"),
        (
            "certificates.0.certificate",
            None,
            r"certificates\[0\].certificate: must be a table of keys, got None",
        ),
        ("format", "other", "not an ensemble, evaluation or comparison"),
        ("format", "comitia-evaluation-999", "written by another version of comitia"),
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
        (b"[1]", "not an ensemble, evaluation or comparison"),
        (b"\xff\xfe", "not readable as text"),
        (b"{}", "not an ensemble, evaluation or comparison"),
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
    with pytest.raises(InputError, match="the inputs of certificate split do not fit its formula"):
        read_material(tmp_path)


@pytest.mark.parametrize("risk", [-1.0, 0.0001])
def test_an_ensemble_whose_promise_was_changed_by_hand(tmp_path: Path, risk: float) -> None:
    record = an_ensemble().to_json()
    record["best"]["risk"] = risk
    (tmp_path / "ensemble.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=f"best: certificate split (is impossible: risk|states) {risk:g}"):
        read_material(tmp_path)


def test_records_of_other_data_do_not_share_a_page(tmp_path: Path) -> None:
    ensemble = replace(an_ensemble(), class_names=tuple("abcde"))
    with pytest.raises(
        InputError, match="ensemble.json has 5 classes, evaluation.json has 3, so they are of different data"
    ):
        read_material(folder_of(tmp_path / "run", ensemble, an_evaluation()))


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has neither evaluation.json nor ensemble.json"):
        read_material(tmp_path)
