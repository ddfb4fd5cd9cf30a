"""`python -m bench.sequential plain|own FOLDER RUNS`: members trained one after another in one process.

`plain` is a PyTorch loop as one writes it: torch's default threads and memory layout, the data in memory as floats, a
batch by one index, no files. `own` is our loop with torch's default threads. FOLDER is an output directory that holds a
recipe on arrays; `plain` prints its seconds without the imports, `own` leaves them in the logs of its runs.
"""

import sys
import time
from pathlib import Path

import numpy as np
import torch

from comitia.deep.models import build
from comitia.engines.worker import train_one
from comitia.recipes import Recipe, read_recipe


def plain(recipe: Recipe, runs: int) -> None:
    """Each run's epoch of SGD with Nesterov momentum; the prior is the optimiser's weight decay."""
    training = recipe.training
    with np.load(str(recipe.data.folder)) as arrays:
        stored, labels = arrays["train_x"], torch.from_numpy(arrays["train_y"])
    samples = torch.from_numpy(stored)
    if samples.ndim == 4:
        samples = (samples.float() / 255).permute(0, 3, 1, 2).contiguous()
    for run in range(runs):
        torch.manual_seed(run)
        classes = int(labels.max()) + 1
        network = build(
            recipe.model.name, classes=classes, input_shape=stored.shape[1:], **recipe.model.options
        )
        optimiser = torch.optim.SGD(
            network.parameters(), training.lr, training.momentum, nesterov=True, weight_decay=1 / len(labels)
        )
        for index in torch.split(torch.randperm(len(labels)), training.batch):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(samples[index]), labels[index])
            torch.autograd.backward(loss)
            optimiser.step()


def own(folder: str, runs: int) -> None:
    """Each run with the loop that the engines use."""
    for run in range(1, runs + 1):
        train_one(folder, run, threads=torch.get_num_threads(), device="cpu", report=lambda event: None)


if __name__ == "__main__":
    way, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if way == "plain":
        recipe = read_recipe(str(Path(folder) / "recipe.toml"))
        began = time.perf_counter()
        plain(recipe, runs)
        print(time.perf_counter() - began)
    else:
        own(folder, runs)
