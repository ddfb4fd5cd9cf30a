"""Tables read for an ensemble, or beside other predictions: their members and classes are known."""

import numpy as np
import pytest

from comitia import Predictions, predict, read_predictions, weigh
from comitia._errors import InputError

HOLDOUT = "id,age,a,b,c,label\n" + "".join(
    f"{i},{20 + i},{'cat' if i % 2 else 'dog'},{'cat' if i % 3 else 'dog'},{'cat' if i % 2 else 'dog'},"
    f"{'cat' if i % 2 else 'dog'}\n"
    for i in range(40)
)


@pytest.fixture
def ensemble(tmp_path):
    path = tmp_path / "holdout.csv"
    path.write_text(HOLDOUT)
    return weigh(read_predictions(path, id="id", ignore="age"), method="uniform")


def answers(ensemble, tmp_path, text, name="new.csv", **options):
    path = tmp_path / name
    path.write_text(text)
    found = predict(ensemble, read_predictions(path, like=ensemble, **options))
    return found.answers, found.unknown


def test_one_sample_on_which_all_agree(ensemble, tmp_path):
    assert answers(ensemble, tmp_path, "a,b,c\ncat,cat,cat\n") == (["cat"], ())


def test_members_are_known_by_name_and_other_columns_left_out(ensemble, tmp_path):
    """What to ignore was said of the hold-out; here there is no such column, and others instead."""
    text = "c,fold,b,smoker,a\ndog,1,dog,cat,cat\n"
    assert answers(ensemble, tmp_path, text, ignore="age") == (["dog"], ())


def test_a_class_that_only_one_member_answers(ensemble, tmp_path):
    assert answers(ensemble, tmp_path, "a,b,c\nemu,cat,cat\ndog,dog,dog\n") == (["cat", "dog"], ("emu",))


def test_long_tables(ensemble, tmp_path):
    text = "item,member,answer\n" + "".join(f"x,{name},cat\n" for name in "abc")
    assert answers(ensemble, tmp_path, text) == (["cat"], ())


def test_votes_for_no_class_that_is_known_are_an_error(ensemble, tmp_path):
    with pytest.raises(
        InputError, match="knows cat, dog, and no vote is for one of them; the votes are for 0, 1"
    ):
        answers(ensemble, tmp_path, "a,b,c\n0,0,1\n1,1,0\n", classes=None)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_probabilities_are_of_the_class_they_were_weighed_as(vote, tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    shares = np.clip(truth + rng.uniform(-0.6, 0.6, (2, 60)), 0, 1)
    pack = Predictions.from_arrays(probs=shares, labels=truth, names=["a", "b"], classes=["pos", "neg"])
    found = answers(weigh(pack, method="uniform", vote=vote), tmp_path, "a,b\n0.9,0.8\n0.1,0.2\n0.3,0.3\n")
    assert found == (["neg", "pos", "pos"], ())


def test_true_and_false_however_they_are_spelled(tmp_path):
    rows = [("True", "True", "True"), ("False", "False", "False")] * 20
    (tmp_path / "t.csv").write_text("a,b,label\n" + "".join(",".join(row) + "\n" for row in rows))
    ensemble = weigh(read_predictions(tmp_path / "t.csv"), method="uniform")
    assert ensemble.class_names == ("False", "True")
    for text in ('{"a": true, "b": true}\n', '{"a": "TRUE", "b": "true"}\n'):
        assert answers(ensemble, tmp_path, text, "t.jsonl") == (["True"], ())


def test_further_samples_beside_a_holdout(tmp_path):
    known = Predictions.from_arrays(
        probs=[[0.1, 0.9], [0.2, 0.7]], labels=[0, 1], names=["a", "b"], classes=["x", "y"]
    )
    (tmp_path / "t.csv").write_text("fold,b,a,label\n3,0.1,0.2,x\n")
    found = read_predictions(tmp_path / "t.csv", like=known)
    assert (found.names, found.class_names, found.labels.tolist()) == (("b", "a"), ("x", "y"), [0])
