"""What is released agrees with itself: versions, ranges and pins, files that the package needs."""

import re
import tomllib
from pathlib import Path

import pytest

import comitia

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Extras that are tested at the pinned versions only: torch, what builds on it, storage, and what builds the site.
NOT_LOWEST = (
    "remote",
    "torch",
    "ray",
    "demo",
    "eyepacs",
    "tensorboard",
    "mlflow",
    "wandb",
    "hf",
    "hub",
    "onnx",
    "skops",
    "all",
    "docs",
    "test",
    "dev",
)


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def ranges(*extras: str) -> dict[str, str]:
    """Return the lowest version of everything that the base install or one of the extras asks for by name."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    found = (re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def test_one_version_everywhere() -> None:
    assert f"version: {comitia.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", changes, re.M)
    assert dated[0] == comitia.__version__


def test_everything_asked_for_is_pinned_within_its_range() -> None:
    pinned = pins("constraints.txt")
    for name, lowest in ranges(*EXTRAS).items():
        assert release(pinned[name]) >= release(lowest), name


def test_the_lowest_versions_are_those_of_the_ranges() -> None:
    tested = [extra for extra in EXTRAS if extra not in NOT_LOWEST]
    lowest = {name: release(version) for name, version in ranges(*tested).items()}
    pinned = pins("constraints-lowest.txt")
    for name, version in lowest.items():
        assert release(pinned[name])[: len(version)] == version, name
        assert not any(release(pinned[name])[len(version) :]), f"{name}: {pinned[name]} is above the lowest"


def test_the_licence_is_named_and_there() -> None:
    assert PROJECT["license"] == "Apache-2.0"
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


def test_every_file_of_the_package_is_packed() -> None:
    """Each file beside the code fits one of the patterns under which files go into the wheel."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    package = ROOT / "src" / "comitia"
    patterns = tool["setuptools"]["package-data"]["comitia"]
    packed = {path for pattern in patterns for path in package.glob(pattern)}
    beside = {path for path in package.rglob("*.*") if path.is_file() and path.suffix != ".py"}
    beside = {path for path in beside if path.parent.name != "__pycache__"}
    assert beside <= packed
    assert all(list(package.glob(pattern)) for pattern in patterns), "a pattern that fits no file"


@pytest.mark.parametrize("name", [".github/workflows/ci.yml", ".pre-commit-config.yaml", ".ci/run"])
def test_automation_calls_targets_of_the_makefile_only(name: str) -> None:
    """Steps, hooks and the script before landing run `make` with a target that exists."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = (ROOT / name).read_text(encoding="utf-8")
    steps = re.findall(r"(?:- run: |entry: |^)(make .*|(?<=run: ).+|(?<=entry: ).+)$", text, re.M)
    assert steps
    for step in steps:
        assert re.fullmatch(rf"make ({'|'.join(targets)})( PYTHON=python)?", step), step
