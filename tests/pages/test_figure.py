import pytest

from comitia.pages.figure import legible, number, shortened, told_apart


@pytest.mark.parametrize(
    "cell, text",
    [
        (True, "yes"),
        (False, "no"),
        (None, "–"),
        (0, "0"),
        (1234567, "1,234,567"),
        (1e-11, "1e-11"),
        (0.5, "0.5"),
    ],
)
def test_a_cell_as_text(cell: object, text: str) -> None:
    assert number(cell) == text  # type: ignore[arg-type]


def test_a_long_name_is_cut_to_the_limit() -> None:
    assert len(shortened("x" * 500, 22)) == 22
    assert shortened("x" * 22, 22) == "x" * 22


def test_what_cannot_be_printed_is_replaced() -> None:
    assert legible("a\u202eb\ud800c\x00") == "a\ufffdb\ufffdc\ufffd"
    legible("\ud800").encode("utf-8")
    assert legible("ключ 模型 😀") == "ключ 模型 😀"


def test_names_that_differ_in_their_middle_stay_apart() -> None:
    names = [f"experiment-{'x' * 20}-seed{i}-{'y' * 20}" for i in range(12)] + ["short"]
    found = told_apart(names, 22)
    assert len(set(found)) == 13
    assert found[-1] == "short"
    assert all(len(name) <= 23 for name in found)
