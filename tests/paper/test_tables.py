"""The paper's tables with our numbers: which rows, which numbers, from which columns."""

import csv
import io
from importlib.resources import files
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.evaluation.table_formats import Table, csv_text
from comitia.paper import reproduce_tables
from comitia.paper.outputs import TABLE_FILES
from comitia.paper.results import Result, Status, status
from comitia.paper.rows import paper_rows
from comitia.paper.tables import headline, paper_tables, status_summary, status_table

# Table 2 of the paper, as it prints it: network, data, bounds, then average and majority vote of last and all states.
SECOND = """
CNN-LSTM,IMDB,0.576,0.594,0.873,0.872,0.873,0.874
ResNet20,CIFAR-10,0.425,0.743,0.938,0.938,0.938,0.938
ResNet110,CIFAR-10,0.559,0.792,0.956,0.956,0.956,0.955
WRN28-10,CIFAR-10,0.794,0.833,0.967,0.966,0.967,0.966
ResNet110,CIFAR-100,0.0,0.127,0.793,0.791,0.793,0.791
WRN28-10,CIFAR-100,0.172,0.277,0.83,0.829,0.829,0.829
ResNet50,EyePACS,0.686,0.695,0.911,0.909,0.912,0.912
"""
BOUNDS = ("bound uniform", "bound tandem", "average last", "majority last", "average all", "majority all")


def lines(table: Table) -> list[dict[str, str]]:
    """The table as a reader of its CSV sees it; every column must have a name of its own."""
    text = csv_text(table)
    head = next(csv.reader(io.StringIO(text)))
    assert len(set(head)) == len(head)
    return list(csv.DictReader(io.StringIO(text)))


def from_paper(name: str) -> list[dict[str, str]]:
    text = files("comitia.paper").joinpath("paper", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def same(cell: str, theirs: str) -> bool:
    return cell == theirs == "" or float(cell) == float(theirs)


def test_the_first_table_has_the_papers_accuracies() -> None:
    found, theirs = lines(paper_tables(status())["table-1"]), from_paper("accuracies")
    assert len(found) == len(theirs) == 14
    columns = {
        "uniform last": "avg_uniform_last",
        "tandem last": "avg_tandem_last",
        "uniform all": "avg_uniform_all",
        "tandem all": "avg_tandem_all",
        "single": "sgd",
    }
    for ours, row in zip(found, theirs):
        assert (ours["network"], ours["data"], ours["experiment"]) == tuple(row.values())[:3]
        assert all(same(ours[f"{shown}, paper"], row[column]) for shown, column in columns.items())


def test_the_second_table_has_the_rows_of_the_papers_second() -> None:
    found = lines(paper_tables(status())["table-2"])
    printed = [line.split(",") for line in SECOND.split()]
    assert len(found) == len(printed) == 7
    for ours, (network, data, *numbers) in zip(found, printed):
        assert (ours["network"], ours["data"]) == (network, data)
        assert ours["experiment"] == ("checkpoints" if data == "IMDB" else "simple")
        assert [float(ours[f"{shown}, paper"]) for shown in BOUNDS] == [float(n) for n in numbers]


def test_the_third_table_has_all_rows_of_the_appendix() -> None:
    found, theirs = lines(paper_tables(status())["table-3"]), from_paper("bounds")
    assert len(found) == len(theirs) == 31
    for ours, row in zip(found, theirs):
        names = tuple(row.values())[:3]
        assert (ours["network"], ours["data"], ours["experiment"]) == names
        assert all(
            same(ours[f"{shown}, paper"], cell) for shown, cell in zip(BOUNDS, tuple(row.values())[3:])
        )


def test_our_numbers_stand_before_the_papers() -> None:
    cells = {"avg_tandem_last": 0.1, "avg_tandem_all": 0.2, "mv_last": 0.3, "bound_tandem": 0.4, "sgd": 0.5}
    mine = Result("eyepacs-resnet50-simple", "mine", "stored", "few", False, cells)
    tables = paper_tables(status([mine]))
    for name in ("table-2", "table-3"):
        (ours,) = [
            row for row in lines(tables[name]) if (row["data"], row["experiment"]) == ("EyePACS", "simple")
        ]
        assert [ours[shown] for shown in BOUNDS] == ["", "0.4", "0.1", "0.3", "0.2", ""]
        assert (ours["source"], ours["as the paper"], ours["scale"]) == ("stored", "no", "few")
    (first,) = [row for row in lines(tables["table-1"]) if row["data"] == "EyePACS"]
    assert (first["tandem last"], first["uniform last"], first["single"]) == ("0.1", "", "0.5")
    assert {row["source"] for row in lines(tables["table-3"])} == {"", "stored"}


def test_the_headline_is_the_accuracy_that_both_have() -> None:
    row = next(row for row in paper_rows() if row.key == "cifar10-resnet20-simple")
    last = Result(row.key, "f", "stored", "s", True, {"avg_tandem_last": 0.9})
    both = Result(row.key, "f", "stored", "s", True, {"avg_tandem_last": 0.9, "avg_tandem_all": 0.8})
    assert [headline(Status(row, results)) for results in ((), (last,), (both,))] == [
        "avg_tandem_all",
        "avg_tandem_last",
        "avg_tandem_all",
    ]
    budget = next(row for row in paper_rows() if row.budget == 500)
    assert headline(Status(budget, ())) == "avg_tandem_last"


def test_the_status_has_a_line_for_each_row() -> None:
    mine = Result("imdb-cnn_lstm-sse", "mine", "trained", "2 runs", False, {"avg_tandem_all": 0.81234})
    rows = status([mine])
    whole, short = lines(status_table(rows)), status_summary(rows).shown()
    assert [line["row"] for line in whole] == [row.key for row in paper_rows()]
    at = [line["row"] for line in whole].index("imdb-cnn_lstm-sse")
    assert list(whole[at].values())[1:5] == ["0.874", "0.81234", "trained", "not as the paper: 2 runs"]
    assert short[at] == ["imdb-cnn_lstm-sse", "0.874", "0.8123", "trained *", "3.9 h, 2 cores"]
    assert short[at + 2][2:4] == ["–", "–"]


def test_tables_are_written_in_every_format_and_kept_unless_forced(tmp_path: Path) -> None:
    written = reproduce_tables(tmp_path / "out")
    assert (
        {path.name for path in written} == set(TABLE_FILES) == {p.name for p in (tmp_path / "out").iterdir()}
    )
    assert len(written) == 12
    for kept in written[:-1]:
        kept.unlink()
    written[-1].write_text("mine")
    with pytest.raises(InputError, match="^tables: .* already exists; use force to overwrite it"):
        reproduce_tables(tmp_path / "out")
    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["mine"]
    assert len(reproduce_tables(tmp_path / "out", force=True)) == 12
    assert written[-1].read_text() != "mine"
