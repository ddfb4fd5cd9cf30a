import numpy as np
import pytest

from quorate import Predictions, weigh
from quorate.errors import InputError
from quorate.predicting import predict
from simulated import simulated


def test_members_without_weight_are_not_needed() -> None:
    pack = simulated(names=list("abcdef"))
    ensemble = weigh(pack, method="given", weights=[0, 0.5, 0, 0.2, 0, 0.3])
    whole = predict(ensemble, pack)
    part = predict(ensemble, pack.pick([5, 1, 3]))
    assert np.array_equal(whole.classes, part.classes)
    assert part.members == ("b", "d", "f")
    assert part.dropped == 3


def test_the_average_by_hand() -> None:
    pack = simulated()
    weights = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.1])
    found = predict(weigh(pack, method="given", weights=weights, vote="average"), pack)
    probs = np.concatenate([block.probs for block in pack.blocks()], axis=1)
    shares = np.einsum("m,mnc->nc", weights, probs)
    assert found.shares == pytest.approx(shares)
    assert np.array_equal(found.classes, shares.argmax(axis=1))
    assert found.error == np.mean(shares.argmax(axis=1) != pack.labels)


def test_a_tie_goes_to_the_lowest_class() -> None:
    pack = Predictions.from_arrays(votes=[[2, 1], [1, 2], [0, 0]], labels=[1, 2])
    ensemble = weigh(pack, method="given", weights=[0.5, 0.5, 0.0])
    assert predict(ensemble, pack).classes.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (simulated(names=list("abcdeg")), "member 'f' votes in this ensemble and is not in the files"),
        (simulated(members=5), "the files hold 5 members without names, the ensemble has 6"),
        (simulated(names=list("abcdef"), classes=4), "the ensemble knows 3 classes, the files 4"),
        (
            simulated(names=list("abcdef"), votes=True),
            "this ensemble averages probabilities; the files hold votes",
        ),
    ],
)
def test_files_that_do_not_fit(predictions: Predictions, message: str) -> None:
    ensemble = weigh(simulated(names=list("abcdef")), method="uniform", vote="average")
    with pytest.raises(InputError) as error:
        predict(ensemble, predictions)
    assert str(error.value).startswith(message)


def test_order_serves_where_the_new_files_have_no_names() -> None:
    named, unnamed = simulated(names=list("abcdef")), simulated()
    ensemble = weigh(named, method="uniform")
    assert np.array_equal(predict(ensemble, unnamed).classes, predict(ensemble, named).classes)
