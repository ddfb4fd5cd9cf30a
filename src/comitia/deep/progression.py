"""What changes while a run trains: network, optimiser, loss scale, averages; made fresh or from a resume file."""

from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from comitia.deep.averaging import Moments, weights_of
from comitia.deep.directory import Record, checksum
from comitia.deep.networks import fresh_network
from comitia.deep.optimisers import build
from comitia.deep.samplers.temperatures import Reading, read
from comitia.deep.states import (
    module_tensors,
    optimiser_tensors,
    read_state,
    restore_optimiser,
    write_state,
)
from comitia.deep.task import Task
from comitia.recipes import Plan


@dataclass
class Progression:
    """A network in training after `epoch` epochs, with its optimiser. The scaler acts in float16 alone.

    `readings` are the temperatures of a sampler in the present epoch, `moments` those of the weights if the plan
    averages them.
    """

    network: nn.Module
    optimiser: Optimizer
    scaler: GradScaler
    epoch: int = 0
    readings: list[tuple[Reading, ...]] = field(default_factory=list)
    moments: Moments | None = None

    @classmethod
    def at(cls, task: Task, record: Record, *, before: int) -> "Progression":
        """Return where the run can go on: its latest undamaged resume file of fewer epochs, else its beginning."""
        network = fresh_network(task.recipe, task.data, task.plan.run, task.device)
        optimiser = build(network, task.plan, samples=len(task.parts.train))
        scaler = GradScaler(task.device.type, enabled=task.plan.training.precision == "float16")
        progress = cls(network, optimiser, scaler, moments=_fresh_moments(task.plan))
        for resume in reversed(record.resumes):
            path = task.directory.resume(task.plan.run, resume.epoch)
            if resume.epoch < before and checksum(path) == resume.sha256:
                progress.read(path)
                break
        return progress

    def step(self) -> None:
        """Make one step of the optimiser by the gathered gradients, then forget them."""
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.optimiser.zero_grad(set_to_none=True)

    def read_temperatures(self) -> None:
        """Read the temperatures of a sampler, between the gradients and the step they lead to."""
        self.scaler.unscale_(self.optimiser)
        self.readings.append(read(self.optimiser, self.network.named_parameters()))

    def collect(self) -> None:
        """Let the present weights enter the moments."""
        assert self.moments is not None
        self.moments.add(weights_of(self.network))

    def is_finite(self) -> bool:
        """Whether no parameter is infinite or NaN."""
        return all(bool(torch.isfinite(parameter).all()) for parameter in self.network.parameters())

    def write(self, path: Path, epoch: int) -> str:
        """Write all of this, after that many epochs, to the file and return its sha256."""
        tensors, numbers = optimiser_tensors(self.optimiser)
        content = {f"network.{key}": value for key, value in module_tensors(self.network).items()}
        content |= {f"optimiser.{key}": value for key, value in tensors.items()}
        about = {"epoch": epoch, "numbers": numbers, "scaler": self.scaler.state_dict()}
        if self.moments is not None:
            content |= {f"moments.{key}": value for key, value in self.moments.tensors().items()}
            about["collected"] = self.moments.count
        return write_state(path, content, about)

    def read(self, path: Path) -> None:
        """Take over what `write` stored."""
        content, about = read_state(path)
        parts: dict[str, dict[str, torch.Tensor]] = {"network": {}, "optimiser": {}, "moments": {}}
        for key, tensor in content.items():
            part, _, name = key.partition(".")
            parts[part][name] = tensor
        self.network.load_state_dict(parts["network"])
        restore_optimiser(self.optimiser, parts["optimiser"], about["numbers"])
        self.scaler.load_state_dict(about["scaler"])
        if self.moments is not None:
            self.moments.restore(parts["moments"], about["collected"])
        self.epoch = about["epoch"]


def _fresh_moments(plan: Plan) -> Moments | None:
    if not plan.collects:
        return None
    return Moments(rank=plan.sampler.rank if plan.draws and plan.sampler is not None else 0)
