from comitia._words import counted


def test_one_is_in_the_singular_and_thousands_are_parted() -> None:
    found = [counted(number, "run") for number in (0, 1, 2, 1000)]
    assert found == ["0 runs", "1 run", "2 runs", "1,000 runs"]
