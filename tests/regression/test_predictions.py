import numpy as np
import pytest

from comitia import InputError, RealPredictions

GOOD = {"values": [[1.0, 2.0], [3.0, 4.0]], "targets": [1.0, 2.0]}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"values": [[1.0, np.nan], [1.0, 1.0]]}, "values: member 0, sample 1 is nan"),
        ({"values": [[1.0, 1.0], [1.0, np.inf]]}, "values: member 1, sample 1 is inf"),
        ({"values": [1.0, 2.0]}, r"values: must have shape \(M, n\)"),
        ({"values": [["a", "b"]]}, "values: must be real numbers"),
        ({"values": [[1.0, 2.0], [3.0]]}, "values: must be real numbers"),
        ({"values": np.empty((2, 0)), "targets": None}, "at least one member and one sample"),
        ({"values": [[1e200, 1.0]]}, "finite numbers below 1e100"),
        ({"targets": [1.0]}, r"targets: must have shape \(n,\) = \(2,\)"),
        ({"targets": [1.0, np.nan]}, "targets: sample 1 is nan"),
        ({"names": ["a", "a"]}, "names"),
        ({"groups": ["x"]}, "groups: must have shape"),
        ({"ids": ["x", "x"]}, "ids"),
    ],
)
def test_wrong_arrays(change, message):
    with pytest.raises(InputError, match=message):
        RealPredictions.from_arrays(**{**GOOD, **change})


def test_the_checksum_is_of_all_that_counts():
    marks = {
        RealPredictions.from_arrays(**{**GOOD, **change}).fingerprint()
        for change in (
            {},
            {"values": [[1.0, 2.0], [3.0, 4.5]]},
            {"targets": [1.0, 2.5]},
            {"targets": None},
            {"groups": [0, 0]},
            {"groups": [0, 1]},
            {"out_of_fold": True},
        )
    }
    assert len(marks) == 7
    whole = RealPredictions.from_arrays(**GOOD, groups=["q", "p"])
    assert whole.fingerprint() == RealPredictions.from_arrays(**GOOD, groups=[7, 3]).fingerprint()


def test_parts_put_together_are_the_whole():
    rng = np.random.default_rng(0)
    values, targets, groups = rng.normal(size=(3, 10)), rng.normal(size=10), np.repeat([1, 2], 5)
    whole = RealPredictions.from_arrays(values, targets, ["a", "b", "c"], groups=groups)
    parts = [whole.take(np.arange(5)), whole.take(np.arange(5, 10))]
    assert RealPredictions.concatenate(parts).fingerprint() == whole.fingerprint()
    with pytest.raises(InputError, match="same members"):
        RealPredictions.concatenate([whole, whole.pick([1, 0, 2])])


def test_means_within_groups():
    pack = RealPredictions.from_arrays(np.zeros((1, 5)), np.zeros(5), groups=["x", "y", "x", "y", "y"])
    losses = np.array([1.0, 3.0, 2.0, 3.0, 6.0])
    assert pack.averaged(losses).tolist() == [1.5, 4.0]
    assert pack.averaged(np.array([losses, 2 * losses])).tolist() == [[1.5, 4.0], [3.0, 8.0]]


def test_targets_are_asked_for_where_they_are_needed():
    with pytest.raises(InputError, match="targets: required here"):
        assert RealPredictions.from_arrays(GOOD["values"]).errors
