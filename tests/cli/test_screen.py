"""What files say is shown, never obeyed: control characters do not reach the terminal."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.table import Table

from comitia._words import harmless
from comitia.cli.main import main
from comitia.cli.screen import Screen

NASTY = "a\x1b]0;owned\x07\x1b[2Jb\u202ec\x9b31m"


def test_every_way_to_print_is_harmless() -> None:
    out = io.StringIO()
    screen = Screen(file=out, force_terminal=True, width=60)
    table = Table("column")
    table.add_row(NASTY)
    screen.print(NASTY, markup=False)
    screen.print(f"[bold]{NASTY}[/bold]")
    screen.print(table)
    shown = out.getvalue()
    assert "\x1b[1m" in shown, "colours of its own stay"
    for sign in ("\x1b]", "\x1b[2J", "\x07", "\u202e", "\x9b"):
        assert sign not in shown
    assert shown.count("owned") == 3


def test_texts_that_do_no_harm_stay() -> None:
    for text in ("ä Ж 日本 ½ 🎉", "two\nlines\tand a tab", "[red]"):
        assert harmless(text) == text


def test_names_of_columns_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    labels = np.tile([0, 1], 20)
    names = np.array([NASTY, "b"])
    np.savez("pack.npz", votes=np.stack([labels, 1 - labels]), labels=labels, names=names)
    for words in (["weigh", "pack.npz"], ["weigh", f"{NASTY}.npz"], ["weigh", "pack.npz", "--method", NASTY]):
        with pytest.raises(SystemExit):
            main(words)
        said = capsys.readouterr()
        for sign in ("\x1b", "\x07", "\u202e", "\x9b"):
            assert sign not in said.out + said.err
