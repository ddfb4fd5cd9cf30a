"""The tree in the README is that of the source, with the first line of every file."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_shows_the_tree_as_it_is() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_tree.py"))
    readme = (ROOT / "README.md").read_text()
    assert readme == made["updated"](readme), "run: python docs/make_tree.py"


def test_every_file_says_what_it_is() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_tree.py"))
    bare = [line for line in made["tree"]().splitlines()[2:-1] if len(line.split()) < 2]
    assert not bare
