"""Completion as a shell asks for it: the words so far in the environment, one completion per line."""

import os
import subprocess
import sys

import pytest

from comitia.cli import completion
from comitia.recipes import names
from comitia.weighting import METHODS

HEAVY = ("numpy", "scipy", "torch", "rich")


def ask(words: str, shell: str = "bash") -> list[str]:
    """Return the lines that completion gives for those words; the last one is being typed."""
    typed = words.split(" ")
    environment = {
        **os.environ,
        "_COMITIA_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": typed[-1] if shell == "fish" else str(len(typed) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "comitia"], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_methods_are_those_of_the_library() -> None:
    assert completion.METHODS == METHODS


@pytest.mark.parametrize(
    "words, expected",
    [
        ("comitia we", ["plain,weigh"]),
        ("comitia weigh --method ", [f"plain,{name}" for name in METHODS]),
        ("comitia weigh --method ta", ["plain,tandem"]),
        ("comitia weigh --vote a", ["plain,average"]),
        ("comitia weigh hold", ["file,hold"]),
        ("comitia predict ens", ["file,ens"]),
        ("comitia compare a", ["file,a"]),
        ("comitia compare a.json b", ["file,b"]),
        ("comitia evaluate test.npz --weights uniform,gr", ["plain,uniform,greedy"]),
        ("comitia train ", [f"plain,{name}" for name in names()]),
        ("comitia train mi", ["file,mi"]),
        ("comitia train demo --out ru", ["dir,ru"]),
        ("comitia reproduce --compare bayes-d", ["plain,bayes-demo"]),
        ("comitia data fetch im", ["plain,imdb"]),
        ("comitia collect ru", ["file,ru"]),
        ("comitia build ru", ["file,ru"]),
    ],
)
def test_bash(words: str, expected: list[str]) -> None:
    assert ask(words) == expected


@pytest.mark.parametrize("shell, expected", [("zsh", ["plain", "tandem", "_"]), ("fish", ["plain,tandem"])])
def test_other_shells(shell: str, expected: list[str]) -> None:
    assert ask("comitia weigh --method tand", shell) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell: str) -> None:
    environment = {**os.environ, "_COMITIA_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [sys.executable, "-m", "comitia"], capture_output=True, text=True, env=environment, timeout=60
    )
    assert "_COMITIA_COMPLETE" in done.stdout


def test_completion_imports_nothing_heavy() -> None:
    code = (
        "import sys; from comitia.cli.main import group\n"
        "from click.shell_completion import BashComplete\n"
        "asked = BashComplete(group, {}, 'comitia', '_COMITIA_COMPLETE')\n"
        "for words in (['weigh', '--method'], ['train'], ['reproduce', '--compare']):\n"
        "    assert asked.get_completions(words, '')\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_completes_does_not_change_the_value() -> None:
    assert completion.Completed(lambda: ("a",)).convert("anything", None, None) == "anything"
