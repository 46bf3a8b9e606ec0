"""The tasks and metrics that cards refer to, as unitxt artifacts.

``tasks/torr/table_qa.json`` is ``tasks.torr.table_qa``. In: a card file. Out: its metrics, checked to exist.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal

from ...core.errors import UnknownNameError, nearest

if TYPE_CHECKING:
    from ..schema import CardFile

__all__ = [
    "HERE",
    "added_metrics",
    "metrics_of",
    "names",
    "task",
    "template_problems",
    "unitxt_artifact",
    "unitxt_file",
    "unitxt_names",
    "unknown_metrics",
]

HERE = Path(__file__).resolve().parent

added_metrics: set[str] = set()
"""All registered metrics, including plugins', as ``metrics.torr.NAME``; filled in by ``scoring``."""


def names(kind: Literal["tasks", "metrics", "processors"]) -> list[str]:
    """The names of the shipped tasks, metrics or processors, sorted."""
    files = (HERE / kind).rglob("*.json")
    return sorted(".".join(file.relative_to(HERE).with_suffix("").parts) for file in files)


@cache
def task(name: str) -> dict[str, Any]:
    """The content of a shipped task's file."""
    path = HERE.joinpath(*name.split(".")).with_suffix(".json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def metrics_of(file: CardFile) -> tuple[str, ...]:
    """The metrics of a card: those it names, or its task's."""
    return file.task_metrics or tuple(task(file.task_name)["metrics"])


def unknown_metrics(file: CardFile) -> Iterator[str]:
    """A message for each metric that a card names and that does not exist, with the nearest names."""
    for metric in file.task_metrics:
        if metric not in {*names("metrics"), *added_metrics} and unitxt_file(metric) is None:
            yield str(UnknownNameError("metric", metric, {*names("metrics"), *added_metrics}, where="task"))


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


def template_problems(file: CardFile) -> Iterator[str]:
    """What does not fit between a card's task, inputs and template.

    Inputs that are not the task's, inputs that the template names and there are not, postprocessors that
    neither unitxt nor the project has.
    """
    documents = {"document"} if file.reading.document else set[str]()
    inputs = {"table", *documents, *file.reading.inputs}
    if file.task_name in names("tasks"):
        yield from _task_problems(file, inputs)
    for key in ("instruction", "input_format", "target_prefix"):
        yield from _format_problems(getattr(file.template, key), inputs, f"templates.0.{key}")
    for index, name in enumerate(file.template.postprocessors):
        own = names("processors")
        if name not in own and unitxt_file(name) is None:
            known = [*own, *(each for each in unitxt_names("processors") if each.count(".") == 1)]
            yield f"templates.0.postprocessors.{index}: unitxt has no {name!r}; {nearest(name, known)}"


_SHOWN = {"table", "document"}
"""Inputs that are no texts of a row."""


def _task_problems(file: CardFile, inputs: set[str]) -> Iterator[str]:
    named = task(file.task_name)
    theirs = {*named.get("standard_fields", ()), *named.get("defaults", ())}
    expected = set(named["input_fields"]) - theirs
    if ("document" in inputs) != ("document" in expected):
        which = "with" if "document" in inputs else "without"
        yield f"task: found {file.task_name}; expected a task {which} an input 'document', as in read_example"
    if inputs - _SHOWN != expected - _SHOWN:
        yield (
            f"preprocess_steps.0.inputs: found {', '.join(sorted(inputs - _SHOWN)) or 'none'}, "
            f"expected {', '.join(sorted(expected - _SHOWN))}, the inputs of {file.task_name}"
        )
    if file.reading.facts and "facts" not in named["reference_fields"]:
        yield (
            f"preprocess_steps.0.facts: found {', '.join(file.reading.facts)}, "
            f"expected none, for {file.task_name} has no field 'facts'"
        )


def _format_problems(text: str, inputs: set[str], where: str) -> Iterator[str]:
    try:
        fields = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as error:
        yield f"{where}: not a format: {error}, found {text!r}"
        return
    for field in fields:
        if field not in inputs:
            yield f"{where}: unknown input {field!r}; {nearest(field, inputs)}"
    if where.endswith("input_format") and not _SHOWN & {*fields}:
        either = " and no {document}" if "document" in inputs else ""
        yield f"{where}: found no {{table}}{either} in {text!r}"
