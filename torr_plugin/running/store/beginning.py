"""The study.yaml of a run that begins, or is gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import RunError
from .atomic import is_temporary, remove, unreadable
from .study import decisive, difference, new_study, read_study
from .versions import changed

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


def resumed(path: Path, plan: Plan) -> tuple[dict[str, Any], list[str]]:
    """The study in ``path``, and what is to be said of it; what does not decide its requests is updated.

    Raises:
        RunError: it is another study than the plan's.
    """
    there, now = read_study(path), new_study(plan.record(), plan.fingerprint)
    if there.get("fingerprint") != plan.fingerprint:
        where = difference(decisive(there), decisive(now))
        where = where or f"fingerprint: {there.get('fingerprint')} there, {plan.fingerprint} here"
        raise RunError(f"{path}: holds the run of another study ({where}); choose another --out")
    kept: dict[str, Any] = {name: there[name] for name in _KEPT if name in there}
    more, notes = _with_other_versions(path, kept, now)
    return {**now, **kept, **more}, notes


def _with_other_versions(
    path: Path, there: Mapping[str, Any], now: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """What ``resumed`` of study.yaml becomes where a run is gone on with by other versions, and a note on it.

    They are not refused: a night's answers would be lost to every update of a library. Whoever compares
    answers finds both versions in study.yaml.
    """
    before: dict[str, Any] = dict(there.get("versions") or {})
    for attempt in there.get("resumed") or ():
        before.update(attempt.get("versions") or {})
    last = {name: version for name, version in before.items() if version is not None}
    differ = changed(last, now["versions"])
    if differ is None:
        return {}, []
    other = {
        name: now["versions"].get(name)
        for name in {**last, **now["versions"]}
        if last.get(name) != now["versions"].get(name)
    }
    attempts = [*(there.get("resumed") or ()), {"at": now["created"], "versions": other}]
    return {"resumed": attempts}, [f"{path}: gone on with other versions than before: {differ}"]


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
