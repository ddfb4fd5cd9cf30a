"""Long tables: one row per item and member."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comitia import InputError
from comitia.files.columns import Column
from comitia.files.long import read_long as read_tables
from comitia.files.roles import TableOptions
from memory_table import MemoryTable, table_of

FULL = table_of(
    "item judge answer label source",
    """
    q2 ann  no  no  web
    q1 ann  yes yes book
    q1 bob  no  yes book
    q2 bob  no  no  web
    """,
)


def read_long(table, labels=None, **options):
    return read_tables([table], TableOptions(**options), labels)


def read_predictions_of(table, **options):
    return read_long(table, **options).predictions(options.get("empty"))


def refused(table, message, **options):
    with pytest.raises(InputError) as error:
        read_long(table, **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_whole_table():
    found = read_long(FULL, group="source")
    assert found.classes == ("no", "yes")
    assert (found.names, found.ids.tolist()) == (("ann", "bob"), ["q2", "q1"])
    assert found.votes.tolist() == [[0, 1], [0, 0]]
    assert found.votes.dtype == np.uint8
    assert found.labels.tolist() == [0, 1]
    assert found.groups.tolist() == ["web", "book"]
    assert (found.missing, found.abstained, found.probs, found.folds) == (None, None, None, None)
    assert (found.taken.id, found.taken.group, found.taken.label) == ("item", "source", "label")
    assert found.taken.notes == ("a long table: members in 'judge', answers in 'answer'",)
    predictions = found.predictions(None)
    assert predictions.class_names == ("no", "yes")
    assert (predictions.groups.names, predictions.ids.tolist()) == (("web", "book"), ["q2", "q1"])


@given(st.data())
def test_rows_in_any_order_and_batches_give_what_a_loop_gives(data):
    items = data.draw(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))
    members = data.draw(st.lists(st.sampled_from(["u", "v", "w"]), min_size=1, unique=True))
    pairs = [(i, m) for i in items for m in members]
    answers = data.draw(
        st.lists(st.sampled_from(["10", "9", None]), min_size=len(pairs), max_size=len(pairs))
    )
    rows = data.draw(st.permutations([(i, m, a) for (i, m), a in zip(pairs, answers)]))
    if len({answer for _, _, answer in rows} - {None}) < 2:
        return
    names = ("item", "worker", "vote")
    table = MemoryTable(dict(zip(names, map(list, zip(*rows)))), batch=data.draw(st.integers(1, 7)))
    found = read_long(table, empty="unseen")
    assert tuple(found.ids) == tuple(dict.fromkeys(row[0] for row in rows))
    assert found.names == tuple(dict.fromkeys(row[1] for row in rows))
    for item, member, answer in rows:
        cell = found.names.index(member), found.ids.tolist().index(item)
        assert (found.missing is not None and found.missing[cell]) == (answer is None)
        assert answer is None or found.classes[found.votes[cell]] == answer


def test_classes_that_are_numbers_are_in_numeric_order():
    table = MemoryTable({"item": [1, 2, 3], "worker": ["w"] * 3, "vote": [10, 9, 9.0], "y": ["10", "9", "2"]})
    found = read_long(table)
    assert found.classes == ("2", "9", "10")
    assert found.votes.tolist() == [[2, 1, 1]]
    assert (found.labels.tolist(), found.ids.tolist()) == ([2, 1, 0], ["1", "2", "3"])


def test_many_classes_take_two_bytes():
    table = MemoryTable(
        {"item": list(range(300)), "worker": ["w"] * 300, "vote": list(range(300))}, batch=100
    )
    assert read_long(table).votes.dtype == np.uint16


GAPS = table_of("item judge answer", "q1 ann yes\nq1 bob no\nq2 ann -\nq3 bob yes")


def test_gaps_are_abstentions_or_unseen_samples_as_told():
    missing = np.array([[False, True, True], [False, True, False]])
    found = read_long(GAPS, empty="unseen")
    assert (found.missing.tolist(), found.abstained) == (missing.tolist(), None)
    seen = read_predictions_of(GAPS, empty="unseen")
    assert (seen.mask().tolist(), seen.abstained()) == ((~missing).tolist(), None)
    silent = read_predictions_of(GAPS, empty="abstain")
    assert (silent.mask(), silent.abstained().tolist()) == (None, missing.tolist())


def test_gaps_are_never_guessed():
    refused(
        GAPS,
        "votes.csv: 3 answers are missing (such as 'ann' on item 'q2'); empty='abstain' if the member gave no answer "
        "there, empty='unseen' if the item is not hold-out for it",
    )
    refused(GAPS, "empty: 'skip' is not one of abstain, unseen", empty="skip")


def test_answers_that_mean_no_answer():
    table = table_of("item judge answer y", "q1 ann A=B A\nq1 bob A A\nq2 ann B B\nq2 bob tie B")
    found = read_long(table, abstain=("A=B", "tie", "unsure"))
    assert found.classes == ("A", "B")
    assert found.abstained.tolist() == [[True, False], [False, True]]
    assert found.missing is None
    assert read_long(table).classes == ("A", "A=B", "B", "tie")
    refused(table, "abstain: no answer is 'TIE'; did you mean 'tie'?", abstain=("TIE",))
    refused(table, "abstain: 'B' is the label of an item, so it cannot mean", abstain=("B",))


def test_a_declined_answer_is_told_from_an_unseen_item():
    table = table_of("item judge answer", "q1 ann tie\nq2 ann A\nq1 bob A\nq2 bob B\nq3 bob A")
    found = read_predictions_of(table, abstain=("tie",), empty="unseen")
    assert found.abstained().tolist() == [[True, False, False], [False, False, False]]
    assert found.mask().tolist() == [[True, True, False], [True, True, True]]
    refused(table, "1 answers are missing", abstain=("tie",))


def test_a_member_that_never_answers():
    table = table_of("item judge answer", "q1 ann tie\nq1 bob A\nq2 ann tie\nq2 bob B")
    with pytest.raises(
        InputError, match=r"^votes.csv: member 'ann' has no answer on any sample; ignore='ann'"
    ):
        read_predictions_of(table, abstain=("tie",))


ROUNDS = table_of(
    "item judge round answer",
    """
    q1 ann 1 A
    q1 ann 2 B
    q1 bob 1 A
    q1 bob 2 A
    q2 ann 1 tie
    q2 ann 2 tie
    q2 bob 1 B
    q2 bob 2 tie
    """,
)


def test_rounds_as_members():
    found = read_long(ROUNDS, rounds="members", abstain=("tie",))
    assert found.names == ("ann · 1", "ann · 2", "bob · 1", "bob · 2")
    assert found.votes.tolist() == [[0, 0], [1, 0], [0, 1], [0, 0]]
    assert found.abstained.tolist() == [[False, True], [False, True], [False, False], [False, True]]


def test_rounds_that_must_agree():
    found = read_long(ROUNDS, rounds="agree", abstain=("tie",))
    assert found.names == ("ann", "bob")
    assert found.abstained.tolist() == [[True, True], [False, True]]
    assert found.missing is None
    assert found.votes.tolist() == [[0, 0], [0, 0]]
    ties = read_long(ROUNDS, rounds="agree")
    assert ties.classes == ("A", "B", "tie")
    assert ties.abstained.tolist() == [[True, False], [False, True]]
    assert ties.votes.tolist() == [[0, 2], [0, 0]]


def test_an_empty_answer_in_one_of_the_rounds():
    table = table_of("item judge round answer", "q1 ann 1 A\nq1 ann 2 -\nq2 ann 1 B\nq2 ann 2 B")
    assert read_long(table, rounds="agree", empty="abstain").abstained.tolist() == [[True, False]]
    assert read_long(table, rounds="agree", empty="unseen").missing is None
    refused(table, "votes.csv: 1 answers are missing (such as 'ann' on item 'q1')", rounds="agree")


def test_repeated_answers_are_never_merged_in_silence():
    refused(
        ROUNDS,
        "votes.csv: 'ann' has several answers on item 'q1'; rounds='members' makes each round a member of its own, "
        "rounds='agree' keeps the answers on which all rounds agree and counts the others as abstentions",
    )
    twice = table_of("item judge round answer", "q1 ann 1 A\nq1 ann 1 A\nq2 ann 1 B")
    refused(twice, "votes.csv: 'ann · 1' has several answers on item 'q1' in one round", rounds="members")
    plain = table_of("item judge answer", "q1 ann A\nq1 ann A")
    refused(plain, "votes.csv: no column of the rounds", rounds="members")
    assert read_long(plain, rounds="agree", classes=("A", "B")).votes.tolist() == [[0]]
    refused(plain, "rounds: 'all' is not one of members, agree", rounds="all")


@pytest.mark.parametrize("role", ["label", "group", "fold"])
@pytest.mark.parametrize("batch", [1, 3, 10])
def test_facts_of_an_item_are_the_same_in_all_its_rows(role, batch):
    text = "q1 u a a\nq2 u a a\nq3 u b a\nq4 u a a\nq2 v a b\nq1 v b a"
    with pytest.raises(InputError) as error:
        read_long(table_of(f"item judge answer {role}", text, batch=batch), **{role: role})
    assert re.fullmatch(
        rf"votes.csv: item 'q2' has the {role}s '[ab]' and '[ab]'; all rows of an item must have the same {role}",
        str(error.value),
    )


def test_a_label_may_be_said_once_per_item():
    table = table_of("item judge answer label", "q1 u a -\nq1 v b b\nq2 u a a\nq2 v a -")
    assert read_long(table).labels.tolist() == [1, 0]
    refused(
        table_of("item judge answer label", "q1 u a -\nq2 u b b\nq3 u a -"),
        "votes.csv: 2 of 3 items have no label, the first is 'q1'; label them or leave their rows out",
    )
    refused(table_of("item judge answer group", "q1 u 1 -"), "votes.csv: item 'q1' has no group")


def test_labels_of_another_table():
    votes = table_of("item judge label", "q1 u a\nq2 u b")
    gold = table_of("question gold", "q9 c\nq2 a\nq1 a\nq1 a", source="gold.csv")
    found = read_long(votes, columns={"answer": "label"}, labels=gold)
    assert (found.labels.tolist(), found.classes) == ([0, 0], ("a", "b"))
    refused(FULL, "labels: given, and column 'label' of votes.csv looks like labels too", labels=gold)
    assert read_long(FULL, ignore=("lab*",)).labels is None
    some = table_of("id gold", "q2 a", source="gold.csv")
    refused(votes, "1 of 2 items have no label, the first is 'q1'", columns={"answer": "label"}, labels=some)
    torn = table_of("id gold", "q2 a\nq2 b", source="gold.csv")
    refused(votes, "gold.csv: item 'q2' has the labels", columns={"answer": "label"}, labels=torn)


def test_labels_and_answers_must_have_a_class_in_common():
    table = table_of("item judge answer label", "q1 u A 0\nq2 u B 1")
    refused(table, "no answer is ever right: the labels are '0', '1', the answers 'A', 'B'; spell them alike")


def test_rows_without_item_or_member():
    for text, column in (("q1 u a\n- u b", "item"), ("q1 u a\nq2 - b", "judge")):
        refused(
            table_of("item judge answer", text),
            f"votes.csv: column '{column}' is empty in row 2 (without the",
        )
    refused(table_of("item judge answer", "q1 u -"), "votes.csv: no member has an answer on any item")


def test_a_table_without_rows():
    refused(MemoryTable({"item": [], "judge": [], "answer": []}), "votes.csv: holds no rows")


def test_a_table_that_is_nearly_empty_is_refused_before_memory_runs_out():
    count = 70_000
    table = MemoryTable(
        {"item": list(range(count)), "judge": list(range(count)), "answer": [0, 1] * (count // 2)},
        batch=count,
    )
    refused(table, "70,000 members and 70,000 items make 4,900,000,000 cells", empty="abstain")


def shares(rows, **options):
    columns = zip(*rows)
    return MemoryTable(dict(zip(("item", "judge", "answer", "prob", "y"), map(list, columns))), **options)


def test_the_probability_of_the_answer_given():
    table = shares(
        [("q1", "u", "no", 0.75, "no"), ("q2", "u", "yes", 1.0, "yes"), ("q2", "v", "yes", 0.5, "yes")]
    )
    found = read_long(table, empty="unseen")
    assert found.probs.tolist() == [[[0.75, 0.25], [0, 1]], [[0, 0], [0.5, 0.5]]]
    assert found.missing.tolist() == [[False, False], [True, False]]
    declined = read_long(
        shares([("q1", "u", "no", 0.75, "no"), ("q2", "u", "tie", 0.2, "yes")]), abstain=("tie",)
    )
    assert declined.abstained.tolist() == [[False, True]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("q1", "u", "no", 0.7, "no"), ("q2", "u", "yes", 0.3, "yes")],
            "'u' answers item 'q2' with 0.3 (votes.csv)",
        ),
        (
            [("q1", "u", "a", 0.7, "a"), ("q2", "u", "b", 0.8, "b"), ("q3", "u", "c", 0.9, "c")],
            "probability: votes.csv has 3 classes and one probability per answer",
        ),
        ([("q1", "u", "a", 1.5, "a")], "votes.csv has 1.5 in row 1 (without the header) of 'prob'"),
        ([("q1", "u", "a", float("nan"), "a")], "votes.csv has nan in row 1"),
        ([("q1", "u", "a", 0.7, "a"), ("q2", "u", "b", None, "b")], "votes.csv has none in row 2"),
        (
            [("q1", "u", "a", "0.7", "a")],
            "probability: column 'prob' of votes.csv must hold numbers, got text",
        ),
    ],
)
def test_probabilities_that_cannot_be_used(rows, message):
    refused(shares(rows), message)


def test_one_row_per_class():
    rows = [("q1", "u", "a", 0.5, "c"), ("q1", "u", "c", 0.3, "c"), ("q1", "u", "b", 0.2, "c")]
    rows += [("q1", "v", "c", 1.0, "c")]
    found = read_long(shares(rows))
    assert found.probs.tolist() == [[[0.5, 0.2, 0.3]], [[0, 0, 1]]]
    assert found.votes is None
    refused(shares([*rows[:3], rows[0]]), "votes.csv: 'u' has a class of item 'q1' twice")
    refused(
        shares(rows[:2]),
        "votes.csv: the probabilities of 'u' on item 'q1' sum to 0.8; with one row per class",
    )
    refused(shares(rows), "abstain: with one row per class (votes.csv) no class can be", abstain=("a",))
    refused(shares(rows), "rounds: 'agree' compares answers, but votes.csv has probabilities", rounds="agree")


class Large:
    """200 members on 10,000 items in batches, coded by one dictionary as in a Parquet file; rows are shuffled."""

    source, names = "large.parquet", ("item", "worker", "vote", "label")
    members, items = 200, 10_000

    def __init__(self):
        rng = np.random.default_rng(0)
        self.order = rng.permutation(self.members * self.items)
        self.truth = rng.integers(0, 3, self.items)
        self.votes = rng.integers(0, 3, self.members * self.items)
        self.item_words = tuple(f"item {k}" for k in range(self.items))
        self.member_words = tuple(f"worker {k}" for k in range(self.members))

    def batches(self, columns):
        classes = ("a", "b", "c")
        for start in range(0, len(self.order), 65_536):
            rows = self.order[start : start + 65_536]
            made = {
                "item": Column(rows % self.items, self.item_words),
                "worker": Column(rows // self.items, self.member_words),
                "vote": Column(self.votes[rows], classes),
                "label": Column(self.truth[rows % self.items], classes),
            }
            yield {name: made[name] for name in columns}


def test_two_million_rows():
    import tracemalloc

    table = Large()
    tracemalloc.start()
    found = read_long(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 12 bytes per row are kept; while rows are joined or placed some 40 more are needed
    assert peak < 60 * len(table.order)
    items = [int(name.split()[1]) for name in found.ids]
    members = [int(name.split()[1]) for name in found.names]
    assert found.votes.tolist() == table.votes.reshape(200, 10_000)[np.ix_(members, items)].tolist()
    assert found.labels.tolist() == table.truth[items].tolist()


def test_classes_as_given():
    table = table_of("item judge answer", "q1 u yes\nq2 u yes")
    assert read_long(table, classes=("yes", "no")).classes == ("yes", "no")
    refused(table, "votes.csv: only one class occurs ('yes'); classes= names all of them")
    refused(table, "classes: 'yes' of votes.csv is not one of 'a', 'b'", classes=("a", "b"))
    assert read_long(table_of("item judge answer", "q1 u 1\nq2 u 1")).classes == ("0", "1")


def test_members_by_glob():
    table = table_of("item judge answer", "q1 ann a\nq1 bob b\nq2 abe a\nq2 ann b\nq3 bob c")
    found = read_long(table, members=("a*",), empty="unseen")
    assert (found.names, found.ids.tolist(), found.classes) == (
        ("ann", "abe"),
        ["q1", "q2", "q3"],
        ("a", "b"),
    )
    assert found.missing.tolist() == [[False, False, True], [True, False, True]]
    assert read_long(table, ignore=("ab*", "ann"), empty="unseen").names == ("bob",)
    refused(table, "votes.csv: no member matches members='z*'", members=("z*",), empty="unseen")
    refused(table, "votes.csv: no column or member matches ignore='z*'", ignore=("z*",), empty="unseen")
    refused(table, "votes.csv: no member is left", ignore=("ann", "bob", "abe"), empty="unseen")


def test_several_tables_are_the_rows_of_one():
    one = table_of("item judge answer y", "q1 ann a a\nq2 ann b a", source="ann.csv")
    two = table_of("y judge answer item", "a bob b q2\na bob a q1\nb bob b q3", source="bob.csv")
    found = read_tables([one, two], TableOptions(empty="unseen"))
    assert (found.names, found.ids.tolist()) == (("ann", "bob"), ["q1", "q2", "q3"])
    assert found.votes.tolist() == [[0, 1, 0], [0, 1, 1]]
    assert found.missing.tolist() == [[False, False, True], [False] * 3]
    assert (found.labels.tolist(), found.source) == ([0, 0, 1], "ann.csv and 1 more")
    with pytest.raises(InputError, match=r"^ann.csv and 1 more: 'ann' has several answers on item 'q1'"):
        read_tables([one, one], TableOptions())
    less = table_of("item judge answer", "q1 bob a", source="bob.csv")
    with pytest.raises(InputError, match=r"^bob.csv: no column 'y', which ann.csv has"):
        read_tables([one, less], TableOptions())
    torn = table_of("item judge answer y", "q1 bob a b", source="bob.csv")
    with pytest.raises(InputError, match=r"^bob.csv: item 'q1' has the labels 'a' and 'b'"):
        read_tables([one, torn], TableOptions())


def test_folds_must_be_said():
    table = table_of("item judge answer fold", "q1 ann a 1\nq2 ann b 2")
    refused(
        table, "votes.csv: column 'fold' looks like folds; fold='fold' says so, ignore='fold' leaves it out"
    )
    assert read_predictions_of(table, fold="fold").folds.names == ("1", "2")
    assert read_predictions_of(table, ignore=("fold",)).folds is None
