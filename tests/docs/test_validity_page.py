"""The page of counted promises says what its record says, and that nothing was broken too often."""

import json

from long.whole import MARKS, PAGE, RECORD, tables


def test_the_tables_are_those_of_the_record() -> None:
    between = PAGE.read_text().split(MARKS[0])[1].split(MARKS[1])[0]
    assert between.strip() == tables(json.loads(RECORD.read_text()))


def test_the_record_breaks_nothing_too_often() -> None:
    found = json.loads(RECORD.read_text())
    assert found["problems"] >= 20_000
    rows = [*found["promises"], *found["methods"], *found["holdouts"]]
    assert not [row for row in rows if row["broken"] > row["allowed"]]
