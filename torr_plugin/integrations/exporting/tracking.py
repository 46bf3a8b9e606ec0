"""What experiment trackers take of a model: parameters and single numbers, by names that they allow."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from ...core.errors import InputError
from ...core.versions import install_hint
from .exporter import plain_json
from .results import ExportedRun


def client_library(name: str) -> Any:
    """The module of a tracker's client library.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"--to {name} needs {name}, which cannot be imported: {install_hint('.[export]')}"
        ) from error


def parameters(results: ExportedRun, model: str) -> dict[str, str]:
    """What a model was asked with, a text each."""
    record = results.record(model)
    given = {f"args/{name}": value for name, value in record["args"].items()}
    given |= {f"generation/{name}": value for name, value in results.generation(model).items()}
    given |= {"study": results.name, "class": record["model"], "created": results.created.isoformat()}
    given |= {"torr-plugin": results.version, "fingerprint": results.run.study.get("fingerprint")}
    return {
        tracked_name(name): value if isinstance(value, str) else plain_json(value)
        for name, value in given.items()
    }


def metrics(results: ExportedRun, model: str) -> dict[str, float]:
    """A model's numbers: of each data set the score and its bounds, of each configuration the mean."""
    found = dict[str, float]()
    for score in results.scores(model):
        name = score.dataset.name
        for part, value in (("performance", score.value), ("low", score.low), ("high", score.high)):
            if value is not None:
                found[tracked_name(f"{name}/{part}")] = value
        for config, mean in score.configurations.items():
            found[tracked_name(f"{name}/configurations/{config}")] = mean
    return found


def tracked_name(name: str) -> str:
    """A name of the signs that MLflow allows."""
    return re.sub(r"[^\w.\-/ ]", "_", name, flags=re.ASCII)
