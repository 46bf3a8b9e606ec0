"""A run that is gone on with by other versions of packages than its answers were made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...errors import RunError
from .versions import ENGINES, changed, versions


def refuse_mixed(path: Path, study: Mapping[str, Any], labels: Sequence[str]) -> None:
    """See to it that one model's answers are not made half by one version of its engine and half by another.

    Args:
        path: of the run, for the message.
        study: its study.yaml.
        labels: the models that have answers and would be asked for more.

    Raises:
        RunError: there are such models, and what can change their answers has another version now.
    """
    differ = changed(last_versions(study), versions(), ENGINES)
    if labels and differ:
        who = ", ".join(map(repr, labels))
        raise RunError(
            f"{path}: {who} answered with other versions ({differ}), and answers may differ; install those, "
            "choose another --out, or mix them by --mix-versions"
        )


def gone_on(path: Path, study: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The study with an entry in ``resumed`` where versions are others than before, and a note on it.

    Whoever compares answers or scores finds both versions in study.yaml.
    """
    last, now = last_versions(study), versions()
    differ = changed(last, now)
    if differ is None:
        return dict(study), None
    other = {name: now.get(name) for name in {**last, **now} if last.get(name) != now.get(name)}
    at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    attempts = [*(study.get("resumed") or ()), {"at": at, "versions": other}]
    note = f"{path}: gone on with other versions than before: {differ}"
    return {**study, "resumed": attempts}, note


def last_versions(study: Mapping[str, Any]) -> dict[str, str]:
    """Those of the attempt before this one; a package that was not there is not named."""
    last: dict[str, Any] = dict(study.get("versions") or {})
    for attempt in study.get("resumed") or ():
        last.update(attempt.get("versions") or {})
    return {name: version for name, version in last.items() if version is not None}
