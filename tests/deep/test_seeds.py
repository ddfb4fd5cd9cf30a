"""Random streams: equal by name, different otherwise."""

from itertools import product

from comitia.deep.seeds import PURPOSES, number, stream


def test_every_name_has_a_stream_of_its_own() -> None:
    names = list(product((0, 1), (1, 2), (0, 1, 2), PURPOSES))
    first = {tuple(stream(*name).integers(2**40, size=3)) for name in names}
    assert len(first) == len(names)
    assert len({number(*name) for name in names}) == len(names)


def test_the_same_name_gives_the_same_numbers() -> None:
    assert (
        stream(3, 2, 1, "order").permutation(20).tolist() == stream(3, 2, 1, "order").permutation(20).tolist()
    )
    assert number(3, 2, 1, "network") == number(3, 2, 1, "network") < 2**63
