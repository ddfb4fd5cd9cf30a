"""Costs from JSON and CSV."""

from pathlib import Path

import pytest

from comitia import InputError
from comitia.files.cost_files import read_costs
from comitia.promises.costs import as_costs

FORMS = {
    "costs.csv": "true,well,sick,no answer\nsick,5,0,1\nwell,0,1,2\n",
    "bom.csv": "\ufefftrue, well ,sick,no answer\nwell,0,1,2\n\nsick,5,0,1\n",
    "costs.json": '{"sick": {"well": 5, "sick": 0, "no answer": 1}, "well": {"well": 0, "sick": 1, "no answer": 2}}',
    "rows.json": "[[0, 1, 2], [5, 0, 1]]",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8")
    assert as_costs(read_costs(tmp_path / name), ("well", "sick")) == ((0, 1, 2), (5, 0, 1))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.csv", "true,a,b\na,0\n", "all of one length"),
        ("c.csv", "", "must have a header of answers"),
        ("c.csv", "true,a,b\na,0,x\nb,1,0\n", "line 2 holds 'x', not a number"),
        ("c.csv", "true,a,b\na,0,1\na,1,0\n", "class 'a' has two rows"),
        ("c.json", "[[0, 1]", "not readable as JSON"),
        ("c.json", "3", "must hold a list or an object, got int"),
    ],
)
def test_what_holds_no_costs(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_costs(tmp_path / name)
    assert message in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file; a JSON or CSV file of costs is required"):
        read_costs(tmp_path / "none.csv")
