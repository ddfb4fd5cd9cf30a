import math

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.bounds import arguments


def test_what_rounding_did_is_undone_and_no_more():
    assert arguments.require_risk("gibbs", -1e-17) == 0.0
    assert arguments.require_risk("gibbs", 1 + 2e-16) == 1.0
    assert arguments.require_kl(-1e-17) == 0.0
    with pytest.raises(InputError, match="^gibbs: must lie between 0 and 1, got 1"):
        arguments.require_risk("gibbs", 1 + 1e-9)


def test_numpy_numbers_are_numbers():
    assert arguments.require_samples("n", np.int64(7)) == 7
    assert arguments.require_errors(np.int32(3), 7) == 3
    assert arguments.require_counts(np.array([2, 0, 1])) == [2, 0, 1]
    assert arguments.require_risk("gibbs", np.float32(0.5)) == 0.5


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(value):
    for check in (
        lambda: arguments.require_risk("x", value),
        lambda: arguments.require_kl(value),
        lambda: arguments.require_samples("x", value),
        lambda: arguments.require_errors(value, 5),
        lambda: arguments.require_counts([value]),
        lambda: arguments.require_lambda(value),
        lambda: arguments.require_delta(value),
    ):
        with pytest.raises(InputError):
            check()


def test_values_that_rounding_pushed_out_are_put_on_the_end():
    assert arguments.require_values("values", [3 * (1 + 1e-15), -1.0], 3.0).tolist() == [3.0, -1.0]
    assert arguments.require_unit_values("scores", [1 + 1e-15, -1e-15]).tolist() == [1.0, 0.0]
    with pytest.raises(InputError, match="^values: must be at most 3, got 3 at index 1$"):
        arguments.require_values("values", [0.0, 3 * (1 + 1e-9)], 3.0)
    with pytest.raises(InputError, match="^scores: must be 0 or more, got -1e-09 at index 0$"):
        arguments.require_unit_values("scores", [-1e-9])
    with pytest.raises(InputError, match="^upper: must be a finite number above 0, got 0$"):
        arguments.require_positive("upper", 0)
