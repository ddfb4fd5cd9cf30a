"""Ctrl-C at awkward moments: one line, exit code 130, and how to go on."""

import subprocess
import sys

import pytest

from comitia.cli import main

INTERRUPTED_IMPORT = """
import runpy, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["comitia", "weigh"]
runpy.run_module("comitia", run_name="__main__")
"""


def test_while_the_command_line_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "comitia: interrupted\n")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("reproduce", "comitia: interrupted; the same command goes on from what is done\n"),
        ("weigh", "comitia: interrupted\n"),
    ],
)
def test_what_can_go_on_says_so(
    command: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main.group, "main", interrupt)
    with pytest.raises(SystemExit, match="130"):
        main.main([command])
    assert capsys.readouterr().err == said


def test_a_piped_list_has_a_line_per_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    from comitia.recipes import about, names

    with pytest.raises(SystemExit, match="0"):
        main.main(["train", "--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == [*names()]
    assert all(line.endswith(about(name)) for line, name in zip(lines, names()))
