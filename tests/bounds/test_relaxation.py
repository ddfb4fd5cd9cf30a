import pytest
from scipy.optimize import minimize_scalar

from comitia.bounds.relaxation import best_lambda, relaxed


@pytest.mark.parametrize("a, b", [(0.1, 0.01), (0.4, 1e-6), (1e-3, 0.7)])
def test_the_closed_form_is_the_minimum(a, b):
    def formula(lam):
        return a / (1 - lam / 2) + b / (lam * (1 - lam / 2))

    found = minimize_scalar(formula, bounds=(1e-6, 2 - 1e-6), method="bounded", options={"xatol": 1e-12})
    assert best_lambda(a, b) == pytest.approx(found.x, rel=1e-5)
    assert relaxed(a, b) == pytest.approx(found.fun, rel=1e-10)
    assert relaxed(a, b) == pytest.approx(relaxed(a, b, best_lambda(a, b)), rel=1e-12)
