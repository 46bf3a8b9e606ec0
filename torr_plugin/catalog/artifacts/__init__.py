"""The tasks and metrics that cards refer to, as unitxt artifacts.

``tasks/torr/table_qa.json`` is ``tasks.torr.table_qa``. In: a card file. Out: its metrics, checked to exist.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal

from ...core.errors import CardError, UnknownNameError, nearest

if TYPE_CHECKING:
    from ..schema.file import CardFile

__all__ = [
    "HERE",
    "added_metrics",
    "check_template",
    "metrics_of",
    "names",
    "task",
    "unitxt_artifact",
    "unitxt_file",
    "unitxt_names",
]

HERE = Path(__file__).resolve().parent

added_metrics: set[str] = set()
"""All registered metrics, including plugins', as ``metrics.torr.NAME``; filled in by ``scoring``."""


def names(kind: Literal["tasks", "metrics"]) -> list[str]:
    """The names of the shipped tasks or metrics, sorted."""
    files = (HERE / kind).rglob("*.json")
    return sorted(".".join(file.relative_to(HERE).with_suffix("").parts) for file in files)


@cache
def task(name: str) -> dict[str, Any]:
    """The content of a shipped task's file."""
    path = HERE.joinpath(*name.split(".")).with_suffix(".json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def metrics_of(file: CardFile, path: Path) -> tuple[str, ...]:
    """The metrics of a card: those it names, or its task's.

    Raises:
        CardError: a metric is unknown (with the nearest names).
    """
    named = file.task_metrics or tuple(task(file.task_name)["metrics"])
    for metric in named:
        if metric not in {*names("metrics"), *added_metrics} and unitxt_file(metric) is None:
            raise CardError(str(UnknownNameError("metric", metric, names("metrics"), where=f"{path}: task")))
    return named


def unitxt_file(artifact: str) -> Path | None:
    """The file of an artifact in unitxt's own catalog, or None; does not import unitxt."""
    paths = [place.joinpath(*artifact.split(".")).with_suffix(".json") for place in _unitxt_catalogs()]
    return next((path for path in paths if path.is_file()), None)


@cache
def unitxt_artifact(name: str) -> dict[str, Any] | None:
    """An artifact of unitxt's own catalog as in its file, or None; does not import unitxt."""
    path = unitxt_file(name)
    return None if path is None else json.loads(path.read_text(encoding="utf-8"))


def unitxt_names(kind: str) -> list[str]:
    """The names in a folder of unitxt's own catalog, such as ``cards``; does not import unitxt."""
    return [
        ".".join(file.relative_to(place).with_suffix("").parts)
        for place in _unitxt_catalogs()
        for file in sorted((place / kind).rglob("*.json"))
    ]


def _unitxt_catalogs() -> list[Path]:
    spec = find_spec("unitxt")
    return [Path(place, "catalog") for place in spec.submodule_search_locations or []] if spec else []


def check_template(file: CardFile, path: Path) -> None:
    """Check that task, inputs and template use the same fields.

    Raises:
        CardError: inputs differ from the task's, the template uses an unknown one, or unitxt lacks a
            postprocessor.
    """
    inputs = {"table", *file.reading.inputs, *file.reading.constants}
    expected = set(task(file.task_name)["input_fields"])
    if inputs != expected:
        raise CardError(
            f"{path}: preprocess_steps.0.inputs: found {', '.join(sorted(inputs - {'table'})) or 'none'}, "
            f"expected {', '.join(sorted(expected - {'table'}))}, the inputs of {file.task_name}"
        )
    if file.reading.facts and "facts" not in task(file.task_name)["reference_fields"]:
        raise CardError(
            f"{path}: preprocess_steps.0.facts: found {', '.join(file.reading.facts)}, "
            f"expected none, for {file.task_name} has no field 'facts'"
        )
    for key in ("instruction", "input_format", "target_prefix"):
        for field in _fields(getattr(file.template, key), f"{path}: templates.0.{key}"):
            if field not in inputs:
                raise CardError(
                    f"{path}: templates.0.{key}: unknown input {field!r}; {nearest(field, inputs)}"
                )
    if "table" not in _fields(file.template.input_format, f"{path}: templates.0.input_format"):
        raise CardError(
            f"{path}: templates.0.input_format: found no {{table}} in {file.template.input_format!r}"
        )
    for index, name in enumerate(file.template.postprocessors):
        if unitxt_file(name) is None:
            raise CardError(
                f"{path}: templates.0.postprocessors.{index}: unitxt has no {name!r}; "
                "expected a name such as 'processors.take_first_non_empty_line'"
            )


def _fields(text: str, where: str) -> list[str]:
    try:
        return [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise CardError(f"{where}: not a format: {error}, found {text!r}") from None
