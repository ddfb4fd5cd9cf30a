"""Numbers of a training for MLflow (extra: mlflow): an experiment per training folder, an MLflow run for each run."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from comitia.deep.events import Begin, Event, Listener
from comitia.deep.trackers.numbers import numbers_of

# Characters that names of metrics may not have.
_REFUSED = re.compile(r"[^\w./ -]")
# By which a training that is resumed finds its runs again.
TAG = "comitia.run"


@contextmanager
def track(out: Path) -> Iterator[Listener]:
    """Log metrics to MLFLOW_TRACKING_URI, else to files in `out/mlflow`; a resumed training goes on in its runs."""
    client, name = _client(out), str(out.absolute())
    runs: dict[int, str] = {}
    experiment: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Begin):
            experiment.append(_experiment(client, name, event.name))
        for number in numbers_of(event):
            if number.run not in runs:
                runs[number.run] = _run(client, experiment[0], number.run)
            client.log_metric(
                runs[number.run], _REFUSED.sub("_", number.name), number.value, step=number.step
            )

    try:
        yield listen
    finally:
        for run in runs.values():
            client.set_terminated(run)


def _client(out: Path) -> Any:
    # MLflow asks for this where plain files are the store, as they are for whoever has set no server
    os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    from mlflow.tracking import MlflowClient

    given = os.environ.get("MLFLOW_TRACKING_URI")
    return MlflowClient(tracking_uri=given or (out.absolute() / "mlflow").as_uri())


def _experiment(client: Any, name: str, recipe: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(
        client.create_experiment(name, tags={"recipe": recipe}) if found is None else found.experiment_id
    )


def _run(client: Any, experiment: str, run: int) -> str:
    """The MLflow run of a run: that of an earlier start, or a new one."""
    known = client.search_runs([experiment], f"tags.`{TAG}` = '{run}'", max_results=1)
    if known:
        client.update_run(known[0].info.run_id, status="RUNNING")
        return str(known[0].info.run_id)
    return str(client.create_run(experiment, run_name=f"run {run}", tags={TAG: str(run)}).info.run_id)
