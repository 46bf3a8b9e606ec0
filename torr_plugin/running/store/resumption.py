"""Resuming a run: with which versions of packages its answers were made, and which are installed now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...core.errors import RunError
from ...core.versions import ENGINES, changed, versions
from .manifest import ANSWERED_BY, plain


def check_engine_versions(
    path: Path, study: Mapping[str, Any], labels: Sequence[str], there: Mapping[str, str]
) -> None:
    """Refuse to ask a model by another version of its engine than the one that gave its answers so far.

    Args:
        path: of the run, for the message.
        study: its study.yaml.
        labels: the models that have answers and would be asked for more.
        there: the versions where they would be asked.

    Raises:
        RunError: what can change the answers of such a model has another version now.
    """
    among = set(map(plain, labels))
    for model in study["models"]:
        differ = changed(versions_of(study, model), there, ENGINES)
        if model["label"] in among and differ:
            raise RunError(
                f"{path}: {model['label']!r} answered with other versions ({differ}), and answers may "
                "differ; install those, choose another --out, or mix them by --mix-versions"
            )


def with_engine_versions(
    study: Mapping[str, Any], labels: Sequence[str], there: Mapping[str, str]
) -> dict[str, Any]:
    """Record in the study that these models are answered by these versions."""
    now = {name: version for name, version in there.items() if name in ENGINES}
    among = set(map(plain, labels))
    models = [{**model, ANSWERED_BY: now} if model["label"] in among else model for model in study["models"]]
    return {**study, "models": models}


def record_resumption(path: Path, study: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Record in the study, under ``resumed``, which versions changed; gives a note where any did.

    Whoever compares answers or scores finds both versions in study.yaml.
    """
    last, now = last_versions(study), versions()
    differ = changed(last, now)
    if differ is None:
        return dict(study), None
    other = {name: now.get(name) for name in {**last, **now} if last.get(name) != now.get(name)}
    at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    attempts = [*(study.get("resumed") or ()), {"at": at, "versions": other}]
    note = f"{path}: resumed with other versions than before: {differ}"
    return {**study, "resumed": attempts}, note


def last_versions(study: Mapping[str, Any]) -> dict[str, str]:
    """The versions of the attempt before this one, without packages that were not installed."""
    last: dict[str, Any] = dict(study.get("versions") or {})
    for attempt in study.get("resumed") or ():  # of which a file of others may hold anything
        versions_then = attempt.get("versions") if isinstance(attempt, Mapping) else None
        last.update(versions_then if isinstance(versions_then, Mapping) else {})
    return {name: version for name, version in last.items() if version is not None}


def versions_of(study: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, str]:
    """The versions that made a model's answers; if not recorded, those of the last attempt."""
    found = model.get(ANSWERED_BY)
    return dict(found) if isinstance(found, Mapping) else last_versions(study)
