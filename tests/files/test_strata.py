"""Further facts of samples, by which promises are asked for: from columns, arrays and Python."""

from pathlib import Path

import numpy as np
import pytest

from comitia import InputError, Predictions, read_predictions
from comitia.files.npz import read_npz
from comitia.files.writing import write_predictions

WIDE = "site,one,two,label,sex\nA,cat,dog,cat,f\nB,dog,dog,dog,m\nA,dog,dog,cat,f\n"
LONG = (
    "item,judge,vote,gold,site\n1,x,cat,cat,A\n1,y,dog,cat,A\n"
    "2,x,dog,dog,B\n2,y,dog,dog,B\n3,x,dog,cat,A\n3,y,dog,cat,A\n"
)


def values(predictions: Predictions, name: str) -> list[str]:
    known = predictions.strata[name]
    return [known.names[code] for code in known.codes]


@pytest.mark.parametrize("text", [WIDE, LONG], ids=["wide", "long"])
def test_a_column_is_no_member(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    ignore = ["sex"] if text == WIDE else []
    found = read_predictions(tmp_path / "t.csv", per=["class", "site"], ignore=ignore)
    assert values(found, "site") == ["A", "B", "A"]
    assert found.members == 2
    assert list(found.strata) == ["site"]


def test_several_columns_one_of_which_is_also_the_groups(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(WIDE)
    found = read_predictions(tmp_path / "t.csv", per=["sex", "site"], group="site")
    assert values(found, "sex") == ["f", "m", "f"]
    assert values(found, "site") == ["A", "B", "A"]
    assert found.groups.count == 2


def test_arrays_of_a_pack_and_back(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", votes=[[0, 1, 1]], labels=[0, 1, 0], site=["A", "B", "A"], ward=[3, 3, 4])
    found = read_predictions(tmp_path / "p.npz", per=["predicted", "site", "ward"])
    assert values(found, "ward") == ["3", "3", "4"]
    write_predictions(tmp_path / "q.npz", found)
    again = read_npz(tmp_path / "q.npz", strata=["site"])
    assert values(again, "site") == ["A", "B", "A"]
    # facts say nothing of predictions and labels
    assert again.fingerprint() == found.fingerprint() == read_npz(tmp_path / "p.npz").fingerprint()


def test_parts_keep_their_facts() -> None:
    one = Predictions.from_arrays(votes=[[0, 1]], labels=[0, 1], strata={"site": ["A", "B"]})
    other = Predictions.from_arrays(votes=[[1, 1]], labels=[0, 1], strata={"site": ["B", "C"]})
    both = Predictions.concatenate([one, other])
    assert values(both, "site") == ["A", "B", "B", "C"]
    assert values(both.take([1, 3]), "site") == ["B", "C"]
    assert values(both.recoded(("1", "0")), "site") == ["A", "B", "B", "C"]
    bare = Predictions.from_arrays(votes=[[1, 1]], labels=[0, 1])
    with pytest.raises(InputError, match=r"strata\['site'\]: some files have them and some have none"):
        Predictions.concatenate([one, bare])


@pytest.mark.parametrize(
    ("text", "per", "message"),
    [
        (WIDE, "sit", "no column 'sit' for per= (did you mean 'site'?)"),
        (LONG, "ward", "no column 'ward' for per="),
        (WIDE.replace("B,dog", ",dog"), "site", "column 'site', row"),
        (LONG.replace("dog,B\n3,x", "dog,C\n3,x"), "site", "item '2' has the sites "),
    ],
)
def test_what_cannot_be_read(text: str, per: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_predictions(tmp_path / "t.csv", per=per, ignore="sex" if text[:4] == "site" else None)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["ward", "votes"])
def test_arrays_that_a_pack_lacks(name: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", votes=[[0, 1, 1]], labels=[0, 1, 0], site=["A", "B", "A"])
    with pytest.raises(InputError, match=rf"no array '{name}' \(n,\) for per='{name}'"):
        read_predictions(tmp_path / "p.npz", per=name)


def test_wrong_shapes() -> None:
    with pytest.raises(InputError, match=r"strata\['site'\]: must have shape \(n,\) = \(2,\), got \(3,\)"):
        Predictions.from_arrays(votes=[[0, 1]], labels=[0, 1], strata={"site": ["A", "B", "C"]})
    with pytest.raises(InputError, match=r"strata\['site'\]: one value for each of 2 samples is required"):
        Predictions.from_arrays(votes=[[0, 1]], labels=[0, 1], strata={"site": None})
