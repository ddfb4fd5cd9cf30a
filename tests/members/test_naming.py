"""Run and step from names."""

from pathlib import PurePath

import pytest

from comitia._errors import InputError
from comitia.members.naming import name_members

Numbers = list[tuple[int | None, int | None]]


def numbers(*names: str, pattern: str | None = None) -> Numbers:
    return [(one.run, one.step) for one in name_members([PurePath(name) for name in names], pattern)]


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (("run3/epoch=12.ckpt", "run4/epoch=2.ckpt"), [(3, 12), (4, 2)]),
        (("seed_1_step_4000.pt", "seed_2_step_4000.pt"), [(1, 4000), (2, 4000)]),
        (("out/checkpoint-500", "out/checkpoint-1000"), [(1, 500), (1, 1000)]),
        (("a/checkpoint-500", "b/checkpoint-500"), [(1, 500), (2, 500)]),
        (
            ("version_0/checkpoints/epoch=3-step=400.ckpt", "version_1/checkpoints/epoch=3-step=400.ckpt"),
            [(0, 3), (1, 3)],
        ),
        (("epoch=3-val_loss=0.31.ckpt", "epoch=4-val_loss=0.29.ckpt"), [(1, 3), (1, 4)]),
        (("nets/7.pt", "nets/12.pt"), [(1, 7), (1, 12)]),
        (("good.onnx", "better.onnx"), [(None, None), (None, None)]),
        (("seed1.pt", "seed2.pt"), [(1, None), (2, None)]),
        # the same run and step of two architectures are two runs
        (("deep/run1/epoch=1.pt", "wide/run1/epoch=1.pt"), [(1, 1), (2, 1)]),
        (("wide-epoch3.pt", "deep-epoch3.pt", "deep-epoch10.pt"), [(2, 3), (1, 3), (1, 10)]),
        # words are taken whole: no step in "footstep5", no run in "prune2"
        (("footstep5.pt", "prune2.pt"), [(None, None), (None, None)]),
    ],
)
def test_usual_names(names: tuple[str, ...], wanted: Numbers) -> None:
    assert numbers(*names) == wanted


def test_a_pattern_says_where_they_stand() -> None:
    given = ("x9/a/17/net-3.pt", "x9/a/18/net-4.pt")
    assert numbers(*given, pattern="{run}/net-{step}.pt") == [(17, 3), (18, 4)]
    assert numbers(*given, pattern="*/net-{step}.pt") == [(1, 3), (2, 4)]
    assert numbers(*given, pattern="x{run}/*/*/*") == [(9, None), (9, None)]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("{seed}.pt", r"knows \{run\}, \{step\} and \*, got \{seed\}"),
        ("*.pt", r"must hold \{run\} or \{step\}"),
        ("net-{step}.pt", "does not match a.pt"),
    ],
)
def test_a_wrong_pattern(pattern: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        numbers("a.pt", pattern=pattern)


def test_names_are_short_and_differ() -> None:
    names = [
        one.name
        for one in name_members([PurePath("/d/a/1.pt"), PurePath("/d/b/1.pt"), PurePath("/d/b/1.onnx")])
    ]
    assert names == ["a/1.pt", "b/1.pt", "b/1.onnx"]
    assert [one.name for one in name_members([PurePath("/d/a/1.pt"), PurePath("/d/b/1.pt")])] == [
        "a/1",
        "b/1",
    ]
    assert [one.name for one in name_members([PurePath("/d/a/1.pt")])] == ["1"]


def test_names_do_not_command_the_terminal() -> None:
    assert [one.name for one in name_members([PurePath("a/\x1b[2J1.pt"), PurePath("a/\u202e2.pt")])] == [
        "�[2J1",
        "�2",
    ]
