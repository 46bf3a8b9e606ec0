"""What a site published of a study before: snapshots of its figures, in ``data/<study>/history.json``."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .. import __version__
from .source import PublishedSource

NAME = "history.json"
MOST_SNAPSHOTS = 200
MOST_BYTES = 32_000_000
FORMAT = 1
MOST_STUDIES = 200
"""Of an earlier site, among which a study is sought that has another name now."""


class _HistoryRecord(BaseModel):
    """A part of the file: frozen, without NaN; keys that a later version adds are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, from_attributes=True)


class KeptFigure(_HistoryRecord):
    """A figure and its interval; null where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


class KeptModel(_HistoryRecord):
    """A model's overall figures, and the places of its rank interval (null without one)."""

    performance: KeptFigure
    robustness: KeptFigure
    rank: tuple[int, int] | None = None


class KeptSettings(_HistoryRecord):
    """What the figures rest on."""

    level: float
    resamples: int
    two_way: bool
    seed: int
    examples: dict[str, int]
    configurations: dict[str, int]
    metrics: dict[str, str]


class Snapshot(_HistoryRecord):
    """One publication.

    ``published`` is in UTC; ``fingerprint`` is of the scores; ``created``: when the study was begun, "" where
    that is unknown.
    """

    published: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\+00:00|Z)$")
    fingerprint: str = Field(max_length=128)
    version: str = Field(default="", max_length=64)
    created: str = Field(default="", max_length=64)
    settings: KeptSettings
    models: dict[str, KeptModel]
    datasets: list[str]

    @property
    def day(self) -> str:
        """``2026-11-22``."""
        return self.published[:10]


class HistoryFile(_HistoryRecord):
    """The whole file."""

    format: int = FORMAT
    snapshots: list[Snapshot] = Field(max_length=MOST_SNAPSHOTS)


def snapshot_of(source: PublishedSource, ranks: Mapping[str, tuple[int, int] | None]) -> Snapshot:
    """The snapshot of this publication; ``ranks`` are those that each model may have."""
    analysis, settings = source.analysis, source.analysis.settings
    return Snapshot(
        published=_now(),
        fingerprint=fingerprint(source.scores),
        version=__version__,
        created=str(source.study.get("created") or ""),
        settings=KeptSettings.model_validate(settings),
        models={
            name: KeptModel(
                performance=KeptFigure.model_validate(figures.overall),
                robustness=KeptFigure.model_validate(analysis.robustness[name].overall),
                rank=ranks.get(name),
            )
            for name, figures in analysis.performance.items()
        },
        datasets=list(settings.examples),
    )


def _now() -> str:
    """The date of ``SOURCE_DATE_EPOCH``, where that is set, so that two builds are alike byte by byte."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    try:
        at = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch else datetime.now(timezone.utc)
    except (ValueError, OverflowError, OSError):
        at = datetime.now(timezone.utc)
    return at.isoformat(timespec="seconds")


def fingerprint(scores: Any) -> str:
    """A digest of scores, whatever the order of their rows: 32 hexadecimal digits.

    Names are text or categories of text; columns beside the cell, metric and score do not count.
    """
    kept = [name for name in ("model", "dataset", "config", "example", "metric") if name in scores]
    frame = scores[[*kept, "score"]].astype({"score": "float64"})
    rows = np.sort(pd.util.hash_pandas_object(frame, index=False).to_numpy())
    return hashlib.sha256(rows.astype("<u8").tobytes()).hexdigest()[:32]


def read_history(site: Path, slug: str) -> tuple[tuple[Snapshot, ...], tuple[str, ...]]:
    """The snapshots that a site holds of a study, the oldest first, and a note where they cannot be read.

    The file may come from anywhere, so it is checked and bounded; its folder need not be there.
    """
    path = site / "data" / slug / NAME
    try:
        if not path.is_file():
            return (), ()
        if path.stat().st_size <= MOST_BYTES:
            return tuple(HistoryFile.model_validate(json.loads(path.read_text("utf-8"))).snapshots), ()
        found = f"it has more than {MOST_BYTES:,} bytes"
    except ValidationError as error:
        first = error.errors()[0]
        found = f"{'.'.join(map(str, first['loc']))[:120]}: {first['msg']}"
    except (OSError, ValueError, RecursionError) as error:
        found = f"{type(error).__name__}: {str(error)[:120]}"
    place = "/".join(path.parts[-3:])  # no folder of this machine is published
    return (), (
        f"{place} of the earlier site cannot be read ({found}); expected the file of an earlier publication, "
        "so the history starts again",
    )


def earlier_history(site: Path, slug: str, now: Snapshot) -> tuple[tuple[Snapshot, ...], tuple[str, ...]]:
    """A study's history on a site, also under an earlier name, and notes for a reader.

    Names change, and of two studies with one name each may get the other's address. So the history under this
    name is taken unless its last publication is of another study and exactly one other's is of this one.
    """
    own, notes = read_history(site, slug)
    if own and _same_study(own[-1], now):
        return own, notes
    found = {}
    for path in sorted(site.glob(f"data/*/{NAME}"))[:MOST_STUDIES]:
        other, _ = read_history(site, path.parent.name)
        if other and path.parent.name != slug and _same_study(other[-1], now):
            found[path.parent.name] = other
    if len(found) != 1:
        return own, notes
    ((name, history),) = found.items()
    return history, (f"the earlier site has this study as {name}; its history continues here",)


def _same_study(before: Snapshot, now: Snapshot) -> bool:
    """Whether scores are the same, or were begun in the same second, with a model in common."""
    if before.fingerprint == now.fingerprint:
        return True
    return bool(now.created) and before.created == now.created and bool(set(before.models) & set(now.models))


def continued(before: Sequence[Snapshot], now: Snapshot) -> tuple[Snapshot, ...]:
    """The history with this publication: the same scores and figures as the last replace it.

    The day of the last is kept where nothing but the day changed, so that building again changes nothing.
    """
    if before and before[-1].model_copy(update={"published": now.published}) == now:
        return tuple(before)
    if before and before[-1].fingerprint == now.fingerprint:
        before = before[:-1]
    return (*before, now)[-MOST_SNAPSHOTS:]


def history_file(snapshots: Sequence[Snapshot]) -> str:
    """The file's content."""
    value = {"format": FORMAT, "snapshots": [each.model_dump() for each in snapshots]}
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
