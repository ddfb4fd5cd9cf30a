"""How well columns agree with the labels, against loops; and what is refused for it."""

import numpy as np
import pyarrow
import pytest

from comitia import predict, weigh
from comitia._errors import InputError
from comitia.files import read_predictions
from comitia.files.agreement import agreement, strangers
from comitia.files.roles import TableOptions
from comitia.files.scan import open_table
from comitia.files.sheets import read_sheet

RNG = np.random.default_rng(1)
N = 600
TRUTH = RNG.integers(0, 2, N)


def noisy(error, truth=TRUTH, classes=2):
    return np.where(RNG.random(len(truth)) < error, RNG.integers(0, classes, len(truth)), truth)


def frame(label=TRUTH, **columns):
    return pyarrow.table({name: list(values) for name, values in (columns | {"label": label}).items()})


def agreement_of(table, classes, labels):
    return agreement(read_sheet(open_table(table), TableOptions()), classes, labels)


def by_loops(answers, truth, classes):
    """sum_c cov(y_c, v_c) over sqrt(sum_c var(y_c) sum_c var(v_c)), from indicators."""

    def covariance(one, other):
        return float(((one - one.mean()) * (other - other.mean())).mean())

    def trace(words):
        return sum(covariance((words == c) * 1.0, (words == c) * 1.0) for c in range(classes))

    common = sum(covariance((answers == c) * 1.0, (truth == c) * 1.0) for c in range(classes))
    return common / np.sqrt(trace(answers) * trace(truth))


def test_two_classes_agree_by_their_correlation() -> None:
    a, b = noisy(0.3), 1 - noisy(0.5)
    found = agreement_of(
        frame(a=a, b=b, c=TRUTH, d=0 * TRUTH), ("0", "1"), [str(TRUTH[0]), str(1 - TRUTH[0])]
    )
    expected = [np.corrcoef(a, TRUTH)[0, 1], np.corrcoef(b, TRUTH)[0, 1], 1, 0]
    assert np.allclose(found, expected)


def test_several_classes_agree_as_loops_say() -> None:
    truth = RNG.integers(0, 4, N)
    a, b = noisy(0.4, truth, 4), noisy(1, truth, 4)
    labels = [str(word) for word in dict.fromkeys(truth.tolist())]
    found = agreement_of(frame(truth, a=a, b=b), ("0", "1", "2", "3"), labels)
    assert np.allclose(found, [by_loops(a, truth, 4), by_loops(b, truth, 4)])


def test_probabilities_agree_by_their_correlation() -> None:
    share = RNG.random(N)
    found = agreement_of(frame(a=share), ("0", "1"), [str(TRUTH[0]), str(1 - TRUTH[0])])
    assert found[0] == pytest.approx(np.corrcoef(share, TRUTH)[0, 1])


def test_strangers_are_told_only_where_there_is_no_doubt() -> None:
    assert strangers([0.8, 0.7, 0.0], 600) == [2]
    assert strangers([0.8, 0.7, -0.6], 600) == [2]
    assert strangers([0.8, 0.7, 0.0], 99) == []  # too few rows
    assert strangers([0.3, 0.2, 0.0], 600) == []  # weak judges
    assert strangers([0.8, 0.1, 0.0], 600) == []  # one that is good says nothing of the others
    assert strangers([0.8, 0.7, 0.3], 10**6) == []
    assert strangers([0.8, None, 0.0], 600) == []


def test_a_feature_of_0_and_1_with_any_name_is_refused() -> None:
    members = {name: noisy(0.2) for name in "abc"}
    table = frame(**members, promo=RNG.integers(0, 2, N))
    with pytest.raises(InputError, match="column 'promo' agrees with 'label' hardly more than by chance"):
        read_predictions(table)
    assert read_predictions(table, ignore="promo").names == ("a", "b", "c")
    assert read_predictions(table, members="*").names == ("a", "b", "c", "promo")
    assert read_predictions(frame(**members, promo=noisy(0.8))).members == 4  # of some use: not refused


def test_a_feature_between_0_and_1_beside_probabilities_is_refused() -> None:
    members = {name: np.clip(noisy(0.2) * 0.8 + 0.2 * RNG.random(N), 0, 1) for name in "abc"}
    with pytest.raises(InputError, match="column 'scaled' agrees with 'label' hardly more"):
        read_predictions(frame(**members, scaled=RNG.random(N)))
    with pytest.raises(InputError, match="column 'b' agrees with 'label' hardly more"):
        read_predictions(frame(**members | {"b": 1 - members["b"]}))


def test_the_positive_class_is_kept_for_new_samples() -> None:
    """What the probability is of goes from weighing to predicting by the order of the classes."""
    share = {name: np.clip(noisy(0.2) * 0.8 + 0.2 * RNG.random(N), 0, 1) for name in "abc"}
    words = [("paid", "default")[t] for t in TRUTH]
    found = read_predictions(frame(words, **share), positive="default")
    assert found.class_names == ("paid", "default")
    ensemble = weigh(found)
    new = pyarrow.table({name: [0.99, 0.01] for name in "abc"})
    answers = predict(ensemble, read_predictions(new, like=ensemble))
    assert [ensemble.class_names[code] for code in answers.classes] == ["default", "paid"]
    again = read_predictions(frame(words, **share), like=ensemble)
    assert (again.votes() == found.votes()).all()


def test_classes_that_are_numbered_otherwise_are_refused() -> None:
    truth = RNG.integers(0, 3, N)
    members = {name: noisy(0.2, truth, 3) for name in "abc"}
    with pytest.raises(InputError, match="less than by chance: are classes numbered or named alike"):
        read_predictions(frame(truth + 1, **members))
    assert read_predictions(frame(truth + 1, **members), members="*").classes == 4
    swapped = {name: 1 - noisy(0.2) for name in "abc"}
    with pytest.raises(InputError, match=r"'a' holds '0', '1', the labels '0', '1'; members= if they are"):
        read_predictions(frame(**swapped))


def test_a_column_of_little_use_is_noted() -> None:
    told = []
    weak = [noisy(0.78), noisy(0.78)]
    table = frame(a=noisy(0.1), b=noisy(0.1), c=weak[0], d=weak[1])
    read_predictions(table, tell=told.append)
    (note,) = told[0].notes
    assert note.startswith(
        "of little use beside the others for 'label': 'c', 'd' (less than half the correlation); "
    )
    assert note.endswith("ignore='c,d' if features of the samples")
    read_predictions(table, members="*", tell=told.append)
    assert told[1].notes == ()
