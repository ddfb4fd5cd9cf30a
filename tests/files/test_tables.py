"""Tables with a column per member."""

import sys

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.files.tables import read_csv, read_parquet


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "t.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_whole_numbers_are_votes(table):
    found = read_csv(table("a,b,label\n0,2,0\n1,1,1\n2,1,2\n"))
    assert found.names == ("a", "b")
    assert found.votes().tolist() == [[0, 1, 2], [2, 1, 1]]
    assert found.labels.tolist() == [0, 1, 2]
    assert not found.has_probs


def test_fractions_are_probabilities_of_class_1(table):
    found = read_csv(table("\ufeffy, one ,two\n1,0.75,1\n0,.25,0\n"))
    assert found.names == ("one", "two")
    assert next(found.blocks()).probs[:, :, 1].tolist() == [[0.75, 0.25], [1, 0]]


def test_an_empty_cell_is_no_hold_out_sample(table):
    found = read_csv(table("a,b,Target\n0,,0\n1,1,1\n,0,1\n\n"))
    assert found.mask().tolist() == [[True, True, False], [False, True, True]]
    assert not found.shared


@pytest.mark.parametrize("mark", ["", "NA", "null", "None", " "])
def test_marks_of_nothing_are_empty_cells(table, mark):
    assert read_csv(table(f"a,b\n0,{mark}\n1,1\n")).mask().tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize("text", ["nan", "NaN", " NAN", "-nan"])
def test_a_prediction_that_failed_is_no_empty_cell(table, text):
    message = r"t\.csv: column 'b', row 3 holds NaN; fix or drop that member \(a sample left out"
    with pytest.raises(InputError, match=message):
        read_csv(table(f"a,b,label\n0.5,,0\n1,{text},1\n0.2,0.1,1\n"))


def test_labels_may_lack_or_come_from_elsewhere(table):
    assert read_csv(table("a,b\n0,1\n")).labels is None
    assert read_csv(table("a,b,label\n0,1,0\n"), np.array([1])).labels.tolist() == [1]


BAD = [
    ("", "is empty; a header and a row"),
    ("a,label\n", "holds a header and no samples"),
    ("0,1\n0,1\n", "the first row must name the columns"),
    ("a,a,label\n0,1,0\n", "duplicate column 'a'"),
    ("a,b,label\n0,1\n", "row 2 has 2 cells, the header has 3"),
    ("a,label\n0,0\ncat,1\n", "column 'a', row 3: 'cat' is not a number; classes must be numbered"),
    ("a,label\n0,\n1,1\n", "labels: contains NaN"),
    ("a,label\n0,nan\n1,1\n", "column 'label', row 2 holds NaN; fix that label"),
    ("a,label,y\n0,1,1\n", "columns 'label' and 'y' both look like labels"),
    ("label\n0\n", "no member found; one column per member"),
    ("a,label\n0.5,0\n1.5,1\n", "not the probability of class 1"),
    ("a,label\n-1,0\n", "member 0 votes -1"),
    ("a,label\ninf,0\n", "NaN or infinity"),
    ("a,b,label\n0,,0\n1,,1\n", "member 1 has no hold-out sample"),
]


@pytest.mark.parametrize("text, message", BAD)
def test_bad_tables_are_refused(table, text, message):
    with pytest.raises(InputError, match=rf"t\.csv: .*{message}|t\.csv: {message}") as caught:
        read_csv(table(text))
    assert "\n" not in str(caught.value)


def test_bytes_are_no_table(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(InputError, match="is not CSV text"):
        read_csv(tmp_path / "t.csv")


def parquet(tmp_path, columns):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow.table(columns), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_parquet_is_read_like_csv(tmp_path):
    found = read_parquet(parquet(tmp_path, {"a": [0, None, 2], "b": [True, False, None], "label": [0, 1, 1]}))
    assert found.votes().tolist() == [[0, 0, 2], [1, 0, 0]]
    assert found.mask().tolist() == [[True, False, True], [True, True, False]]


def test_parquet_tells_nan_from_null(tmp_path):
    found = read_parquet(parquet(tmp_path, {"a": [0.5, None], "b": [0.1, 0.2], "label": [0, 1]}))
    assert found.mask().tolist() == [[True, False], [True, True]]
    with pytest.raises(InputError, match=r"t.parquet: column 'b', row 3 holds NaN; fix or drop that member"):
        read_parquet(parquet(tmp_path, {"a": [0, 1, 0], "b": [0.1, None, float("nan")], "label": [0, 1, 1]}))


def test_texts_in_parquet_are_refused(tmp_path):
    with pytest.raises(InputError, match="column 'a' holds string; classes must be numbered"):
        read_parquet(parquet(tmp_path, {"a": ["cat"], "label": [0]}))


def test_damaged_parquet_is_refused(tmp_path):
    path = parquet(tmp_path, {"a": [0], "label": [0]})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"t.parquet: is not a whole Parquet file"):
        read_parquet(path)


def test_parquet_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'comitia\[parquet\]'"):
        read_parquet(tmp_path / "t.parquet")
