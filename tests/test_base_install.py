"""The core and its commands in an environment that has only what the base install brings."""

import json
import os
import subprocess
import sys
import venv
from importlib.metadata import requires
from pathlib import Path

import numpy as np
import pytest

from comitia import __version__

ROOT = Path(__file__).resolve().parents[1]
# Everything that a base install must not need.
HEAVY = [
    "torch",
    "sklearn",
    "ray",
    "matplotlib",
    "numba",
    "pyarrow",
    "mlxtend",
    "pandas",
    "fsspec",
    "s3fs",
]
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
    assert base == {"numpy", "scipy", "click", "rich"}


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


def test_weigh_predict_verify_report_plan_without_any_extra(pack: Path) -> None:
    """No extra can be found by import, which is what a base install amounts to."""
    folder = pack.parent
    for words in (
        ["weigh", "pack.npz", "--out", "ensemble.json", "--method", "auto"],
        ["predict", "ensemble.json", "pack.npz", "--out", "out.csv"],
        ["verify", "ensemble.json", "pack.npz"],
        ["report", "ensemble.json"],
        ["plan", "--error", ".1", "--samples", "1000"],
        ["--help"],
    ):
        done = run(*words, folder=folder)
        assert done.returncode == 0, f"{words}: {done.stderr}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["demo"], "comitia: demo: needs torch and mlxtend; pip install 'comitia[demo]'\n"),
        (["train", "demo", "--out", "out"], "comitia: train: needs torch; pip install 'comitia[torch]'\n"),
        (
            ["weigh", "s3://bucket/a.npz"],
            "comitia: s3://bucket/a.npz: a package for s3:// is missing; pip install 'comitia[remote]'\n",
        ),
        (["collect", "."], "comitia: collect: needs torch; pip install 'comitia[torch]'\n"),
    ],
)
def test_a_command_says_in_one_line_what_to_install(tmp_path: Path, words: list[str], message: str) -> None:
    done = run(*words, folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, message)
    assert list(tmp_path.iterdir()) == []


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from comitia.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([m for m in ('numpy', 'scipy', 'torch', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "comitia", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"comitia {__version__}\n"


class Environment:
    """An empty virtual environment outside the tree, and commands run in a folder beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.scripts = folder, folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        venv.create(folder / "venv", with_pip=True)

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        line = [self.scripts / words[0], *words[1:]]
        return subprocess.run(
            line, capture_output=True, text=True, cwd=self.folder, env=environment, timeout=280
        )

    def install(self, wheel: Path) -> None:
        """Install the wheel with what it requires; skip where there is no package index."""
        done = self.run("python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel)
        if "(from versions: none)" in done.stderr:
            pytest.skip(f"no package index can be reached: {done.stderr.splitlines()[-1]}")
        assert done.returncode == 0, done.stderr


def built_wheel(folder: Path) -> Path:
    """Return the wheel that `make dist` built if no source is newer, else a fresh one."""
    found = list((ROOT / "dist").glob(f"comitia-{__version__}-*.whl"))
    newest = max(path.stat().st_mtime for path in (ROOT / "src" / "comitia").rglob("*.*"))
    if not found or found[0].stat().st_mtime < newest:
        build = [sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT]
        subprocess.run(build, check=True, capture_output=True, timeout=280)
        found = list(folder.glob("*.whl"))
    (wheel,) = found
    return wheel


@pytest.mark.slow
def test_the_wheel_in_an_empty_environment(pack: Path, tmp_path: Path) -> None:
    """A fresh virtual environment, the wheel without extras, then the base commands."""
    empty = Environment(tmp_path)
    empty.install(built_wheel(tmp_path / "built"))
    listed = json.loads(empty.run("python", "-m", "pip", "list", "--format", "json").stdout)
    assert not {entry["name"].lower() for entry in listed} & {*HEAVY, "scikit-learn"}
    check = "import comitia, sys; comitia.weigh; print('torch' in sys.modules, comitia.__version__)"
    assert empty.run("python", "-c", check).stdout == f"False {__version__}\n"
    assert empty.run("python", "-m", "comitia", "--version").stdout == f"comitia {__version__}\n"
    for words in (
        ["weigh", "pack.npz", "--out", "ensemble.json"],
        ["predict", "ensemble.json", "pack.npz", "--out", "out.csv"],
        ["verify", "ensemble.json", "pack.npz"],
        ["report", "ensemble.json"],
        ["plan", "--error", ".1", "--samples", "1000"],
        ["train", "--list"],
        ["reproduce", "--list"],
    ):
        done = empty.run("comitia", *words)
        assert done.returncode == 0, f"{words}: {done.stderr}"
    drawing = "from comitia import read_ensemble; from comitia.pages import write_figures\n"
    lacking = empty.run("python", "-c", drawing + "write_figures(read_ensemble('ensemble.json'), 'figures')")
    assert lacking.returncode == 1
    assert lacking.stderr.splitlines()[-1].endswith("need matplotlib; pip install 'comitia[report]'")


def test_completion_finds_the_public_names() -> None:
    import comitia

    assert {"weigh", "predict", "Predictions", "METHODS", "train", "report"} <= set(dir(comitia))
    assert set(dir(comitia)) == {*comitia.__all__, "__version__"}
