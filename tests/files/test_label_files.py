"""Labels in a file of their own: each sample gets its own label, or there is an error."""

import pytest

from comitia._errors import InputError
from comitia.files import read_predictions

TABLE = "id,a,b\nx,cat,cat\ny,dog,cat\nz,dog,dog\n"
LONG = "item,judge,answer\n" + "".join(
    f"{i},{j},{a}\n" for i, a in (("x", "cat"), ("y", "dog")) for j in "ab"
)


@pytest.fixture
def read(tmp_path):
    def reading(labels, table=TABLE, name="y.csv", **options):
        (tmp_path / "t.csv").write_text(table)
        (tmp_path / name).write_text(labels)
        found = read_predictions(tmp_path / "t.csv", labels=tmp_path / name, **options)
        return [found.class_names[code] for code in found.labels], found.class_names

    return reading


def test_by_id_in_any_order(read):
    assert read("id,label\nz,dog\ny,dog\nx,cat\n", id="id") == (["cat", "dog", "dog"], ("cat", "dog"))


def test_the_same_label_twice_is_one(read):
    assert read("id,label\nz,dog\ny,dog\nx,cat\nx,cat\n", id="id")[0] == ["cat", "dog", "dog"]


def test_two_labels_of_one_id(read):
    with pytest.raises(InputError, match=r"y.csv: 'x' has the labels 'cat' and 'dog'; give it one"):
        read("id,label\nx,cat\ny,dog\nz,dog\nx,dog\n", id="id")


def test_ids_that_nobody_named_are_not_passed_over(read):
    """In another order, the labels would be those of other samples."""
    with pytest.raises(InputError, match="has a column 'id' as .* has; id='id' finds the labels by it"):
        read("id,label\nz,dog\ny,dog\nx,cat\n", ignore="id")


def test_classes_of_other_samples_are_no_classes(read):
    more = "id,label\nx,cat\ny,dog\nz,dog\nw,emu\n"
    assert read(more, id="id")[1] == ("cat", "dog")
    assert read(more.replace("id", "item"), LONG) == (["cat", "dog"], ("cat", "dog"))


@pytest.mark.parametrize("word", ["nan", "NaN"])
def test_answers_and_labels_that_failed(read, tmp_path, word):
    with pytest.raises(InputError, match=f"a label is '{word}'; fix that label"):
        read(f"item,label\nx,{word}\ny,dog\n", LONG)
    with pytest.raises(InputError, match=f"an answer is '{word}'; abstain='{word}' if it means"):
        read("item,label\nx,cat\ny,dog\n", LONG.replace("y,b,dog", f"y,b,{word}"))
    (tmp_path / "n.csv").write_text(f"item,judge,answer,label\nx,a,0,0\nx,b,{word},0\ny,a,1,1\ny,b,1,1\n")
    with pytest.raises(InputError, match="an answer is 'nan'"):
        read_predictions(tmp_path / "n.csv")


def test_several_answers_and_no_rounds(read):
    with pytest.raises(InputError, match="keep one row per item and member, rounds='agree'"):
        read("item,label\nx,cat\ny,dog\n", LONG + "x,a,dog\n")
