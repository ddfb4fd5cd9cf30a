"""The learning rate against the formulas of the recipes, written out."""

import math

import pytest

from comitia.recipes import Schedule, Training, schedules


def test_step_of_the_cifar_recipe() -> None:
    schedule = Schedule(shape="step", milestones=(80, 120, 160, 180), factors=(0.1, 0.01, 0.001, 0.0005))
    training = Training(strategy="simple", epochs=200, lr=0.1, schedule=schedule)
    expected = [0.1] * 80 + [0.01] * 40 + [0.001] * 40 + [0.0001] * 20 + [0.00005] * 20
    assert [schedules.rate(training, epoch) for epoch in range(200)] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("epoch", "expected"),
    [
        (0, 0.1),
        (150, 0.1),
        (151, 0.1 * (1 - 0.99 * (151 / 300 - 0.5) / 0.4)),
        (237, 0.1 * (1 - 0.99 * (237 / 300 - 0.5) / 0.4)),
        (270, 0.001),
        (299, 0.001),
    ],
)
def test_linear_of_the_papers_equation(epoch: int, expected: float) -> None:
    training = Training(strategy="simple", epochs=300, lr=0.1, schedule=Schedule(shape="linear"))
    assert schedules.rate(training, epoch) == pytest.approx(expected)


def test_cyclic_with_a_length_that_does_not_divide() -> None:
    training = Training(strategy="sse", epochs=11, lr=0.2, schedule=Schedule(shape="cyclic", cycles=3))
    for epoch in range(11):
        expected = 0.2 / 2 * (math.cos(math.pi * (epoch % 4) / 4) + 1)
        assert schedules.rate(training, epoch) == pytest.approx(expected)
    assert schedules.rate(training, 4.5) == pytest.approx(0.1 * (math.cos(math.pi * 0.5 / 4) + 1))


def test_constant() -> None:
    training = Training(strategy="checkpoints", epochs=5, lr=0.1)
    assert [schedules.rate(training, epoch) for epoch in range(5)] == [0.1] * 5
