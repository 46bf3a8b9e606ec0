"""MLflow: an experiment with a run a model, in an SQLite file for ``mlflow ui --backend-store-uri``."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from .exporter import Attribution, Exporter
from .results import ExportedRun
from .tracking import client_library, metrics, parameters

_MOST_OF_A_PARAMETER = 6000  # characters, of MLflow's own limits


def _write(results: ExportedRun, folder: Path, attribution: Attribution) -> list[str]:
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # an export sends nothing
    library = client_library("mlflow")
    for name in ("mlflow", "alembic"):  # they tell of each table that they make
        logging.getLogger(name).setLevel(logging.WARNING)
    client = library.MlflowClient(tracking_uri=f"sqlite:///{(folder / 'mlflow.db').absolute()}")
    # no path of this machine; there are no artifacts
    experiment = client.create_experiment(results.name, artifact_location="mlflow-artifacts:/")
    at = int(results.epoch) * 1000
    for model in results.models:
        run = client.create_run(experiment, start_time=at, run_name=model).info.run_id
        for name, value in parameters(results, model).items():
            client.log_param(run, name, value[:_MOST_OF_A_PARAMETER])
        for name, number in metrics(results, model).items():
            client.log_metric(run, name, number, timestamp=at)
        if attribution.url:
            client.set_tag(run, "url", attribution.url)
        client.set_terminated(run, end_time=at)
    return []


MLFLOW = Exporter("mlflow", _write)
