"""Imports point one way, and each heavy library is imported in its own folder only."""

import ast
from pathlib import Path

import pytest

import comitia

SOURCE = Path(__file__).resolve().parents[1] / "src" / "comitia"
# From bottom to top: a module may import from its own layer and from those before it.
LAYERS = [
    ["_errors", "_words"],
    ["_sizes"],
    ["_records", "_agreement", "_extensions", "_threads", "_kernels"],
    [
        *(
            "_classes",
            "_samples",
            "_split",
            "_shards",
            "_copies",
            "_members",
            "_checks",
            "_arrays",
            "_simplex",
        ),
        *("_predictions", "_joining", "_fingerprint", "_runs"),
    ],
    ["statistics", "bounds", "_votes"],
    ["weighting"],
    ["_certificate", "_counting", "_pairing", "_certify", "_gain", "_profile"],
    ["promises"],
    [
        *(
            "_ensemble",
            "_ensemble_file",
            "_promise_file",
            "_answers",
            "_diagnose",
            "_copied_votes",
            "_sources",
            "_choosing",
        ),
        *(
            "_promising",
            "_weigh",
            "_predict",
            "_plan",
            "_verification",
            "_verify_promises",
            "_verify",
            "_count",
        ),
        *(
            "_standing",
            "_untouched",
            "_compare",
            "_watch",
            "_monitor",
            "_drift",
            "_plan_after",
            "_kinds",
            "regression",
        ),
    ],
    ["files"],
    ["sklearn"],
    ["evaluation"],
    ["data"],
    ["recipes"],
    ["deep", "engines", "members", "bundle"],
    ["pages"],
    ["_build"],
    ["paper"],
    ["cli", "__main__"],
]
# Which folder or module alone may import a library.
HOMES = {
    "torch": {"deep", "members", "bundle"},
    "safetensors": {"deep", "members", "bundle"},
    "transformers": {"members"},
    "onnx": {"members"},
    "onnxruntime": {"members", "bundle"},
    "onnxscript": {"deep"},
    "huggingface_hub": {"bundle"},
    "skops": {"members"},
    "ray": {"engines"},
    "matplotlib": {"pages"},
    "sklearn": {"sklearn"},
    "pyarrow": {"files"},
    "fsspec": {"files"},
    "aiohttp": {"files"},
    "numba": {"_kernels", "statistics"},
    "threadpoolctl": {"_threads"},
    "PIL": {"data"},
    "click": {"cli"},
    "tensorboard": {"deep"},
    "mlflow": {"deep"},
    "wandb": {"deep"},
    "filelock": {"engines"},
}
CORE = {name for layer in LAYERS[:8] for name in layer}
FILES = sorted(SOURCE.rglob("*.py"))


def layer_of(part: str) -> int:
    for height, names in enumerate(LAYERS):
        if part in names:
            return height
    raise AssertionError(f"{part} is in no layer: add it to LAYERS and to docs/design.md")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> list[str]:
    """Every module that the file imports, anywhere in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = [alias.name for alias in node.names]
            # a public name stands for the module that it comes from
            own = [comitia._HOMES.get(name, f"comitia.{name}") for name in names]
            found += own if module == "comitia" else [module]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_nothing_imports_upwards(path: Path) -> None:
    if path == SOURCE / "__init__.py":
        return
    own = layer_of(part_of(path))
    for module in imports(path):
        words = module.split(".")
        if words[0] == "comitia" and len(words) > 1 and words[1] != "__version__":
            assert layer_of(words[1]) <= own, f"{path.relative_to(SOURCE)} imports {module} from above"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_heavy_libraries_stay_at_home(path: Path) -> None:
    for module in imports(path):
        library = module.split(".")[0]
        if library in HOMES and part_of(path) != "sklearn":
            assert part_of(path) in HOMES[library], f"{path.relative_to(SOURCE)} imports {library}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_nothing_needs_a_library_that_windows_lacks(path: Path) -> None:
    missing = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
    guarded = {"fcntl"} if path == SOURCE / "files" / "atomic.py" else set()
    assert not (missing - guarded) & {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", [p for p in FILES if part_of(p) in CORE], ids=lambda p: p.name)
def test_the_core_needs_numpy_and_scipy_only(path: Path) -> None:
    import sys

    allowed = {"comitia", "numpy", "scipy", "numba", "threadpoolctl"} | set(sys.stdlib_module_names)
    outside = {module.split(".")[0] for module in imports(path)} - allowed
    assert not outside, f"{path.relative_to(SOURCE)} imports {outside}"
