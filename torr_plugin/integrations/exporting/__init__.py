"""From a run to the files and services where people look for results, a file and an object a target.

In: a run with its analysis. Out: files in a new folder, by the names that ``torr export --to`` has for them.
Scores, intervals and ranks are those of ``analysis.json``; nothing is computed here.
"""

from __future__ import annotations

from ...core.registry import Registry
from .exporter import Exporter

exporters: Registry[Exporter] = Registry(
    "export format",
    package=__name__,
    lazy={
        "csv": ".csv:CSV",
        "eee": ".eee:EEE",
        "hub": ".hub:HUB",
        "inspect": ".inspect:INSPECT",
        "mlflow": ".mlflow:MLFLOW",
        "wandb": ".wandb:WANDB",
    },
)
"""The targets, by the names that ``torr export --to`` has for them."""
