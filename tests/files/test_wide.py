"""Wide tables in Python: classes, data frames, shards, what pyarrow lacks."""

import sys
from decimal import Decimal

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.files import read_predictions
from comitia.files.roles import TableOptions
from comitia.files.scan import open_table
from comitia.files.wide import read_wide


@pytest.fixture
def table(tmp_path):
    def write(text, name="t.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def gathered(path, **options):
    return read_wide([open_table(path)], TableOptions(**options))[0]


def test_labels_that_start_at_1_give_no_class_0(table):
    found = gathered(table("a,b,label\n1,3,1\n2,2,2\n10,1,10\n3,3,3\n"))
    assert found.classes == ("1", "2", "3", "10")
    assert found.votes.tolist() == [[0, 1, 3, 2], [2, 1, 0, 2]]
    assert found.labels.tolist() == [0, 1, 3, 2]
    assert found.votes.dtype == np.uint8


def test_the_positive_class_is_told(table):
    found = gathered(table("a,b,label\n0.75,1,yes\n.25,0,no\n"))
    assert found.taken.positive == "yes"
    assert found.probs.tolist() == [[0.75, 0.25], [1, 0]]
    other = gathered(table("a,b,label\n0.75,1,yes\n.25,0,no\n"), classes=("yes", "no"))
    assert (other.taken.positive, other.labels.tolist()) == ("no", [0, 1])


def test_roles_are_told(table):
    text = "a,key,sex,patient,label\ncat,7,f,p1,cat\ndog,8,m,p1,dog\n"
    found = gathered(table(text), id="key", group="patient", ignore=("s*",))
    assert (found.taken.label, found.taken.members, found.taken.ignored) == ("label", ("a",), ("sex",))
    assert (found.ids.tolist(), found.groups.tolist()) == (["7", "8"], ["p1", "p1"])


@pytest.mark.parametrize("mark", ["", "NA", "null", "None", "N/A", " "])
def test_marks_of_nothing_are_empty_cells(table, mark):
    path = table(f"a,b,label\n0,{mark},0\n1,1,1\n")
    assert read_predictions(path, empty="unseen").mask().tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize("text", ["nan", "NaN", " NAN", "-nan", "inf"])
def test_a_prediction_that_failed_is_no_empty_cell(table, text):
    message = (
        r"t\.csv: column 'b', row 3 holds NaN or an infinity; fix or drop that member \(a sample left out"
    )
    with pytest.raises(InputError, match=message):
        read_predictions(table(f"a,b,label\n0.5,,0\n1,{text},1\n0.2,0.1,1\n"))


def test_shards_share_their_classes(table):
    first = table("a,b,label\nemu,emu,emu\ncat,emu,cat\n", "0.csv")
    second = table("a,b,label\ndog,cat,dog\ncat,cat,cat\n", "1.csv")
    found = read_predictions([first, second])
    assert found.votes().tolist() == [[2, 0, 1, 0], [2, 2, 0, 0]]
    assert (found.labels.tolist(), found.classes) == ([2, 0, 1, 0], 3)


def test_more_classes_than_a_byte_holds(table):
    names = [f"c{i:03d}" for i in range(300)]
    rows = "".join(f"{name},{names[(i + 1) % 300]},{name}\n" for i, name in enumerate(names * 2))
    found = read_predictions(table("a,b,label\n" + rows))
    assert found.votes().tolist() == [list(range(300)) * 2, [*range(1, 300), 0] * 2]


def test_a_column_that_turns_into_fractions_late(table):
    rows = "".join("1,0.5,1\n0,0,0\n" for _ in range(9000)) + "0.25,1,0\n"
    found = gathered(table("a,b,label\n" + rows))
    assert found.probs[:, -3:].tolist() == [[1, 0, 0.25], [0.5, 0, 1]]
    assert found.probs[0, :4].tolist() == [1, 0, 1, 0]


def test_pandas_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"a": ["cat", "dog"], "b": pandas.Categorical(["dog", "dog"]), "label": ["cat", "dog"]}
    )
    assert read_predictions(frame).votes().tolist() == [[0, 1], [1, 1]]
    frame.loc[0, "a"] = None
    assert read_predictions(frame, empty="unseen").mask().tolist() == [[False, True], [True, True]]
    with pytest.raises(InputError, match=r"data frame: 1 of 4 cells are empty"):
        read_predictions(frame)


def test_decimals_of_a_frame_are_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [Decimal("0.25"), None], "b": [0.75, 0.5], "label": [0, 1]})
    found = read_predictions(frame, empty="unseen")
    assert next(found.blocks()).probs[0, 0].tolist() == [0.75, 0.25]


class Polars:
    """Stands for a frame of polars, where what is missing is told apart from NaN."""

    columns = ("a", "label")

    def __len__(self):
        return 2

    def __getitem__(self, name):
        return PolarsSeries([0.5, float("nan")] if name == "a" else [0.0, 1.0])


class PolarsSeries:
    def __init__(self, cells):
        self.cells = np.array(cells)

    def to_numpy(self):
        return self.cells

    def is_null(self):
        return PolarsSeries(np.zeros(2, bool))


def test_nan_of_a_frame_that_knows_what_is_missing():
    with pytest.raises(InputError, match="column 'a', row 1 holds NaN"):
        read_predictions(Polars(), empty="abstain")


class Query:
    """Stands for a lazy frame: asking it for its columns would run it."""

    @property
    def columns(self):
        raise AssertionError

    def __getitem__(self, name):
        raise AssertionError

    def collect(self):
        raise AssertionError


def test_queries_are_not_run():
    with pytest.raises(InputError, match=r"Query holds a query, not rows; collect\(\) it first"):
        read_predictions(Query())


def test_frames_that_are_no_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({("m", "a"): [0, 1], ("label", ""): [0, 1]})
    with pytest.raises(InputError, match="the columns have several levels"):
        read_predictions(frame)
    with pytest.raises(InputError, match="Series is one column"):
        read_predictions(frame[("m", "a")])


def test_arrow_tables_keep_their_precision():
    arrow = pytest.importorskip("pyarrow")
    columns = {"a": arrow.array([0.1, 0.9], arrow.float32()), "label": ["n", "y"]}
    found = gathered(arrow.table(columns))
    assert found.probs.dtype == np.float32
    assert found.probs.tolist() == [[np.float32(0.1), np.float32(0.9)]]


def test_parquet_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'comitia\[parquet\]'"):
        read_predictions(tmp_path / "t.parquet")


def test_damaged_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"t.parquet: is not a whole Parquet or Arrow file"):
        read_predictions(tmp_path / "t.parquet")
