"""The examples of the page on counting that need processes of their own: a shell, Python and Ray Data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from comitia import read_counts, read_ensemble, read_predictions, weigh
from page_examples import page_blocks
from ray_cluster import ray_cluster

PAGE = "how-to/count.md"
# the folder of the examples is that of the tests, so the modules under test are named
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the page starts with."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    exec(compile(page_blocks(PAGE, "python")[0], PAGE, "exec"), {})
    return tmp_path


def promised() -> str:
    """What one machine promises from all samples."""
    whole = read_predictions([f"part{k}.npz" for k in range(4)])
    return weigh(whole, certify=read_predictions("untouched.npz")).promised.promise


def run_script(folder: Path, code: str, environment: dict[str, str]) -> str:
    (folder / "example.py").write_text(code)
    words = [sys.executable, "example.py"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()[-1]


def test_a_shell_counts(folder: Path) -> None:
    (code,) = page_blocks(PAGE, "bash", "Several processes")
    code = code.replace("comitia ", f"{sys.executable} -m comitia ")
    subprocess.run(["bash", "-ec", code], cwd=folder, env=ENVIRONMENT, check=True, timeout=120)
    assert len(read_counts(sorted(folder.glob("part*.npz.counts"))).parts) == 4
    assert read_ensemble("shell.json").promised.promise == promised()
    assert json.loads(Path("shell.json").read_text())["data"]["counted"] is True


def test_processes_count(folder: Path) -> None:
    (code,) = page_blocks(PAGE, "python", "Several processes")
    assert run_script(folder, code, ENVIRONMENT) == promised()


@pytest.mark.timeout(300)
def test_ray_data_counts(folder: Path) -> None:
    pytest.importorskip("ray")
    (code,) = page_blocks(PAGE, "python", "Ray Data")
    with ray_cluster(nodes=1) as cluster:
        assert run_script(folder, code, cluster.environment) == promised()
