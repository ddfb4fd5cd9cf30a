"""Where everything of a training lies: `DIR/runs/run-0001/step-0005.safetensors` and its neighbours.

| path under DIR | what |
|---|---|
| `recipe.toml` | the recipe as resolved |
| `settings.json` | what else decides the bytes of a state: threads, device |
| `runs/run-0001/run.json` | the record of a run: epochs done, members, checksums |
| `runs/run-0001/step-0005.safetensors` | a member's state |
| `runs/run-0001/step-0005.holdout.npy`, `.test.npy` | its predictions, one row each |
| `runs/run-0001/resume-0005.safetensors` | network and optimiser after epoch 5, gone when the run is done |
| `runs/run-0001/log.jsonl` | one line an event |
| `holdout.npz`, `test.npz` | predictions of all members, as `weigh` and `evaluate` take them |
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Directory:
    """The paths under the output directory of a training.

    >>> Directory(Path("out")).state(1, 5).as_posix()
    'out/runs/run-0001/step-0005.safetensors'
    """

    root: Path

    @property
    def recipe(self) -> Path:
        """The recipe as resolved."""
        return self.root / "recipe.toml"

    @property
    def settings(self) -> Path:
        """Threads and device the states are made with."""
        return self.root / "settings.json"

    @property
    def lock(self) -> Path:
        """The file whose lock a training holds."""
        return self.root / ".lock"

    @property
    def workers(self) -> Path:
        """What worker processes say on standard error."""
        return self.root / "workers"

    def run(self, run: int) -> Path:
        """The folder of a run."""
        return self.root / "runs" / f"run-{run:04d}"

    def record(self, run: int) -> Path:
        """The record of a run."""
        return self.run(run) / "run.json"

    def log(self, run: int) -> Path:
        """The events of a run, one JSON object a line."""
        return self.run(run) / "log.jsonl"

    def state(self, run: int, step: int) -> Path:
        """The state saved after that epoch."""
        return self.run(run) / f"step-{step:04d}.safetensors"

    def resume(self, run: int, epoch: int) -> Path:
        """What is needed to go on after that epoch."""
        return self.run(run) / f"resume-{epoch:04d}.safetensors"

    def row(self, run: int, step: int, part: str) -> Path:
        """One member's predictions on a part ("holdout" or "test")."""
        return self.run(run) / f"step-{step:04d}.{part}.npy"

    def predictions(self, part: str) -> Path:
        """The predictions of all members on a part."""
        return self.root / f"{part}.npz"
