"""The study.yaml of a run that begins, or is gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.atomic_files import is_temporary, remove, unreadable
from ...core.errors import RunError
from .study import decisive, difference, new_study, read_study

if TYPE_CHECKING:
    from ...recipes import Plan

# what of study.yaml stays as it was when a run is gone on with
_KEPT = ("created", "versions", "resumed", "reused", "models", "written")


def begun(path: Path, plan: Plan) -> dict[str, Any]:
    """The study of a run that begins in ``path``.

    Raises:
        RunError: the directory is not empty, or cannot be read.
    """
    found = sorted(entry.name for entry in _entries(path) if not entry.name.startswith("."))
    if found:
        raise RunError(
            f"{path}: is not empty and not a run (it holds {found[0]!r}); choose another --out, or empty it"
        )
    return new_study(plan.record(), plan.fingerprint)


def resumed(path: Path, plan: Plan) -> dict[str, Any]:
    """The study in ``path``; what does not decide its requests is updated.

    Raises:
        RunError: it is another study than the plan's.
    """
    there, now = read_study(path), new_study(plan.record(), plan.fingerprint)
    if there.get("fingerprint") != plan.fingerprint:
        where = difference(decisive(there), decisive(now))
        where = where or f"fingerprint: {there.get('fingerprint')} there, {plan.fingerprint} here"
        raise RunError(f"{path}: holds the run of another study ({where}); choose another --out")
    return {**now, **{name: there[name] for name in _KEPT if name in there}}


def clear_temporary(path: Path) -> None:
    """Remove what a killed attempt left half-written beside study.yaml.

    Raises:
        RunError: it may not be removed.
    """
    for entry in filter(is_temporary, _entries(path)):
        remove(entry)


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise unreadable(path, error) from error
