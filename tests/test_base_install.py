"""The core and its commands in an environment that has only what the base install brings."""

import subprocess
import sys
import venv
from importlib.metadata import requires
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
# Everything that a base install must not need.
HEAVY = ["torch", "sklearn", "ray", "plotly", "matplotlib", "numba", "pyarrow", "mlxtend", "pandas"]
JOB = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.split(".")[0] in {heavy!r} else find(name, *rest)
from comitia.cli.main import main
main(sys.argv[1:])
"""


def test_base_requirements_are_the_small_ones() -> None:
    base = {line.split(">")[0].strip() for line in requires("comitia") or [] if "extra ==" not in line}
    assert base == {"numpy", "scipy", "threadpoolctl", "click", "rich"}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 600)
    wrong = rng.random((6, 600)) < 0.2
    votes = np.where(wrong, (labels + 1) % 3, labels)
    np.savez(tmp_path / "pack.npz", votes=votes, labels=labels)
    return tmp_path / "pack.npz"


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    code = JOB.format(heavy=HEAVY)
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=folder, timeout=120
    )


def test_weigh_predict_verify_plan_without_any_extra(pack: Path) -> None:
    """No extra can be found by import, which is what a base install amounts to."""
    folder = pack.parent
    for words in (
        ["weigh", "pack.npz", "--out", "ensemble.json", "--method", "auto"],
        ["predict", "ensemble.json", "pack.npz", "--out", "out.csv"],
        ["verify", "ensemble.json", "pack.npz"],
        ["plan", "--error", ".1", "--samples", "1000"],
        ["--help"],
    ):
        done = run(*words, folder=folder)
        assert done.returncode == 0, f"{words}: {done.stderr}"


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from comitia.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([m for m in ('numpy', 'scipy', 'torch', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.slow
def test_a_real_environment_with_the_base_install_only(pack: Path, tmp_path: Path) -> None:
    """A fresh virtual environment, pip install without extras, then the main job."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", ROOT], check=True, timeout=280
    )
    listed = subprocess.run([python, "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout
    assert not any(line.split()[0].lower() in HEAVY for line in listed.splitlines()[2:])
    subprocess.run([tmp_path / "venv" / "bin" / "comitia", "weigh", pack], check=True, timeout=60)
