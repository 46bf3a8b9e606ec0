"""The tasks and metrics that cards refer to, as unitxt artifacts.

``tasks/torr/table_qa.json`` is ``tasks.torr.table_qa``. unitxt's own catalog is read without importing it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "HERE",
    "added_metrics",
    "main_score",
    "names",
    "task",
    "unitxt_artifact",
    "unitxt_file",
    "unitxt_names",
]

HERE = Path(__file__).resolve().parent

added_metrics: dict[str, tuple[str, ...]] = {}
"""All registered metrics, also of plugins, as ``metrics.torr.NAME``, with the names of their scores, the main
one first; filled in by ``scoring``."""


@cache
def names(kind: Literal["tasks", "metrics", "processors"]) -> tuple[str, ...]:
    """The names of the shipped tasks, metrics or processors, sorted."""
    files = (HERE / kind).rglob("*.json")
    return tuple(sorted(".".join(file.relative_to(HERE).with_suffix("").parts) for file in files))


def main_score(metric: str) -> str:
    """The main score of a metric of the project, or of a plugin that is loaded; "" for others.

    Args:
        metric: ``exact_match``.
    """
    name = f"metrics.torr.{metric}"
    if name in names("metrics"):
        return str(task(name)["main_score"])
    return added_metrics.get(name, ("",))[0]


@cache
def task(name: str) -> dict[str, Any]:
    """The content of the file of a shipped task or metric."""
    path = HERE.joinpath(*name.split(".")).with_suffix(".json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


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
