"""What writes a run for others: a target, and what only its user knows of the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...core.atomic_files import atomic_folder, check_new_folder
from ...core.errors import InputError

if TYPE_CHECKING:
    from .results import ExportedRun

Relationship = Literal["first_party", "third_party", "collaborative", "other"]
"""Of who evaluated to who made the model, as Every Eval Ever has it."""


@dataclass(frozen=True)
class Attribution:
    """What a run does not say of itself.

    Attributes:
        organization: who publishes the results.
        relationship: of that organization to the models' makers.
        url: where the results can be read, as of a published site.
        benchmark: the data set on the Hub whose leaderboard the results are for.
    """

    organization: str | None = None
    relationship: Relationship = "other"
    url: str | None = None
    benchmark: str | None = None

    def __post_init__(self) -> None:
        """Refuse an address that no target takes."""
        if self.url is not None and not self.url.startswith(("https://", "http://")):
            raise InputError(f"--url: found {self.url!r:.80}; expected an address that begins with https://")


@dataclass(frozen=True)
class Exporter:
    """Writes a run for one target.

    Attributes:
        name: of ``torr export --to``.
        write: writes it into an empty folder; gives notes, a line each.
    """

    name: str
    write: Callable[[ExportedRun, Path, Attribution], list[str]]


def export_run(
    exporter: Exporter, results: ExportedRun, out: Path, attribution: Attribution | None = None
) -> dict[str, Any]:
    """Write a run for a target into a new folder, whole or not at all.

    Args:
        exporter: the target.
        results: of :func:`.results.read_results`.
        out: the folder; not there yet, or empty.
        attribution: what the run does not say.

    Returns:
        ``run``, ``to``, ``out``, ``models``, ``files`` (their paths in ``out``, with slashes) and ``notes``.

    Raises:
        InputError: ``out`` is not free, a package is missing, or an option does not fit.
    """
    check_new_folder(out)
    with atomic_folder(out) as folder:
        notes = exporter.write(results, folder, attribution or Attribution())
        files = sorted(
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink()
        )
    return {
        "run": str(results.run.path),
        "to": exporter.name,
        "out": str(out),
        "models": list(results.models),
        "files": files,
        "notes": [*results.notes, *notes],
    }


def plain_json(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON, without NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
