"""Links inside the folder of a training are not followed, whatever they stand for."""

import os
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.engines.training import train
from comitia.paper.outputs import output_folder
from small_training import arrays_file, small_recipe


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
@pytest.mark.parametrize(
    "place", [".lock", "recipe.toml", "workers", "runs/run-0001/run.json", "runs/run-0001"]
)
def test_nothing_is_written_through_a_link(tmp_path: Path, place: str) -> None:
    target = tmp_path / "precious"
    target.mkdir() if place in ("workers", "runs/run-0001") else target.write_text("mine")
    out = tmp_path / "out"
    (out / place).parent.mkdir(parents=True)
    (out / "recipe.toml").write_text("") if place != "recipe.toml" else None
    (out / place).symlink_to(target)
    with pytest.raises(InputError, match="a link inside a folder of comitia's"):
        train(small_recipe(folder=arrays_file(tmp_path)), out)
    assert target.is_dir() or target.read_text() == "mine"
    assert not target.is_dir() or not any(target.iterdir())


@pytest.mark.parametrize("name", ["../up", "/abs", "a/b", "..", ""])
def test_a_name_does_not_lead_out_of_the_output_folder(name: str) -> None:
    with pytest.raises(InputError, match="cannot name a folder"):
        output_folder(None, name)
