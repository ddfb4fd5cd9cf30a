"""Which column of a long table is what."""

import pytest

from comitia import InputError
from comitia.files.long_roles import KNOWN, find_roles, item_and_label, looks_long
from comitia.files.roles import TableOptions

BASE = {"item": "item", "member": "judge", "answer": "vote"}


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in KNOWN.items() for name in names if role != "fold"]
)
@pytest.mark.parametrize("spell", [str, str.upper, lambda name: f" {name.title()} "])
def test_every_known_name_is_recognised_in_any_case(role, name, spell):
    names = [spell(name), *(other for key, other in BASE.items() if key != role)]
    assert getattr(find_roles(names, {}, "votes.csv"), role) == spell(name)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["item", "judge", "answer"], True),
        (["question_id", "Model_Name", "Verdict", "whatever"], True),
        (["id", "forest", "svm", "label"], False),
        (["item", "id", "judge", "answer"], True),
        (["judge", "answer"], False),
        ([], False),
    ],
)
def test_long_tables_are_recognised_by_their_columns(names, expected):
    assert looks_long(names, TableOptions()) is expected


def test_columns_that_are_named_tell_a_long_table():
    assert looks_long(["uuid", "judge", "answer"], TableOptions(id="uuid"))
    assert looks_long(["a", "b", "c"], TableOptions(columns={"member": "b"}))
    assert not looks_long(["item", "judge", "answer"], TableOptions(label="answer"))


def test_a_name_in_full_wins_over_one_with_an_ending():
    assert find_roles(["item", "item_id", "judge", "vote"], {}, "votes.csv").item == "item"


def test_a_column_given_for_one_role_is_taken_for_no_other():
    roles = find_roles(["id", "worker", "label", "gold"], {"answer": "label"}, "votes.csv")
    assert (roles.answer, roles.label) == ("label", "gold")


def test_confidence_and_score_must_be_named():
    names = ["item", "judge", "vote", "confidence", "score"]
    assert find_roles(names, {}, "votes.csv").probability is None
    assert find_roles(names, {"probability": "score"}, "votes.csv").probability == "score"


@pytest.mark.parametrize(
    ("names", "given", "message"),
    [
        (["judge", "vote"], {}, "votes.csv: no column of the items found; id= names it, or call it 'item'"),
        (
            ["item", "vote"],
            {},
            "votes.csv: no column of the members found; columns='member=COLUMN' names it, or call it 'member'",
        ),
        (
            ["item", "judge"],
            {},
            "votes.csv: no column of the answers found; columns='answer=COLUMN' names it",
        ),
        (
            ["item", "question", "judge", "vote"],
            {},
            "votes.csv: columns 'item' and 'question' both look like the items; id= names it",
        ),
        (
            ["item", "judge", "vote", "y", "gold"],
            {},
            "votes.csv: columns 'y' and 'gold' both look like the labels; label= names it",
        ),
        (
            ["item", "judge", "vote", "Fold"],
            {},
            "votes.csv: column 'Fold' looks like folds; fold='Fold' says so",
        ),
        (
            ["item", "judge", "vote"],
            {"label": "judgge"},
            "votes.csv: no column 'judgge' for the labels (did you mean 'judge'?); there are item, judge, vote",
        ),
        (
            ["item", "judge", "vote"],
            {"item": "vote", "answer": "vote"},
            "votes.csv: column 'vote' is given for the items and for the answers; name another",
        ),
    ],
)
def test_what_cannot_be_settled_is_one_line(names, given, message):
    with pytest.raises(InputError) as error:
        find_roles(names, given, "votes.csv")
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_the_columns_of_a_table_of_labels():
    assert item_and_label(["question", "gold"], None, None, "gold.csv") == ("question", "gold")
    assert item_and_label(["x", "which", "gold"], "x", "which", "gold.csv") == ("x", "which")
    assert item_and_label(["id", "class"], "question", "gold", "gold.csv") == ("id", "class")
    with pytest.raises(InputError, match=r"^gold.csv: no column of the labels found; label="):
        item_and_label(["id", "class", "kind"], None, None, "gold.csv")
    with pytest.raises(InputError, match=r"^gold.csv: no column of the items found; id="):
        item_and_label(["a", "b"], None, None, "gold.csv")
