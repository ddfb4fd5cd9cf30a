"""Tables of real numbers: what is no member by its name is settled, as in tables of classes, and never left out."""

from pathlib import Path

import numpy as np
import pytest

from comitia import InputError, read_predictions, read_real_predictions, weigh

random = np.random.default_rng(0)
TRUTH = random.normal(10, 3, 200)
TWO = {"ridge": TRUTH + random.normal(0, 1, 200), "tree": TRUTH + random.normal(0, 2, 200)}


def table(folder: Path, **further: np.ndarray) -> Path:
    columns = {**further, **TWO, "price": TRUTH}
    path = folder / "prices.csv"
    rows = np.column_stack(list(columns.values()))
    np.savetxt(path, rows, fmt="%.6g", delimiter=",", header=",".join(columns), comments="")
    return path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "fold",
            "column 'fold' looks like folds, not a member; fold='fold' says so, ignore='fold' leaves it out",
        ),
        ("patient", "column 'patient' looks like groups of samples or an id, not a member; group='patient'"),
        ("row", "column 'row' looks like a row number or an id, not a member; id='row' takes it as the id"),
        ("sample_weight", "column 'sample_weight' looks like weights of the samples, not a member"),
        ("age", "column 'age' looks like a feature of the samples, not a member; ignore='age' leaves it out"),
    ],
)
def test_a_column_that_looks_like_no_member_must_be_settled(tmp_path: Path, name: str, message: str) -> None:
    path = table(tmp_path, **{name: np.arange(200) % 5})
    with pytest.raises(InputError, match=message):
        read_real_predictions(path, target="price")
    assert read_real_predictions(path, target="price", ignore=name).names == ("ridge", "tree")


def test_columns_that_are_named_are_members(tmp_path: Path) -> None:
    path = table(tmp_path, age=TRUTH + 1)
    assert read_real_predictions(path, target="price", members="age,ridge").names == ("age", "ridge")


def test_several_columns_are_settled_in_one_message(tmp_path: Path) -> None:
    path = table(tmp_path, row=np.arange(200), site=np.arange(200) % 3)
    with pytest.raises(InputError, match="column 'row' .*; column 'site' looks like groups"):
        read_real_predictions(path, target="price")


def test_new_samples_may_have_any_other_columns(tmp_path: Path) -> None:
    """Predicting certifies nothing: a table with folds is predicted by names, with or without the option."""
    path = table(tmp_path, fold=np.arange(200) % 5, site=np.arange(200) % 3)
    ensemble = weigh(read_real_predictions(path, target="price", fold="fold", ignore="site"))
    found = read_real_predictions(path, like=ensemble, labelled=False)
    assert found.names == ("ridge", "tree")
    assert not found.out_of_fold


def test_a_table_of_real_numbers_read_as_classes_says_what_reads_it(tmp_path: Path) -> None:
    path = table(tmp_path)
    with pytest.raises(InputError, match="label= names it, or target= if members predict real numbers"):
        read_predictions(path)
    with pytest.raises(InputError, match="target='price' that members predict such numbers"):
        read_predictions(path, label="price")
