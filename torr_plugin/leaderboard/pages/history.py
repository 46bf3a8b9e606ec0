"""What changed since a study was last published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...analysis import format_ranks
from ...core.errors import counted
from ...core.redaction import without_homes
from ..charts import Chart
from ..charts.comparisons import history_lines
from ..files import DataFile, PageFile, SiteFile
from ..history import (
    NAME,
    KeptFigure,
    KeptModel,
    Snapshot,
    continued,
    earlier_history,
    history_file,
    snapshot_of,
)
from ..study import Study
from ..views import drawn_ends, interval_text

_SETTINGS = (
    ("level", "Level of the intervals"),
    ("resamples", "Resamples"),
    ("two_way", "Configurations resampled too"),
    ("seed", "Seed"),
)
_ABSENT = "\N{EN DASH}"


@dataclass(frozen=True)
class FigureChange:
    """A figure before and now, as texts with their intervals.

    ``direction`` is 1, 0 or -1, of the figures as they are written; ``beyond`` says that the intervals do not
    overlap.
    """

    before: str
    now: str
    direction: int
    beyond: bool


@dataclass(frozen=True)
class ModelChange:
    """A model that both publications have."""

    model: str
    performance: FigureChange
    robustness: FigureChange
    rank_before: str
    rank_now: str

    @property
    def any(self) -> bool:
        """Whether any text differs from before."""
        same = self.rank_before == self.rank_now
        return not same or any(each.before != each.now for each in (self.performance, self.robustness))


@dataclass(frozen=True)
class Changes:
    """From one publication to a later one.

    Attributes:
        since: the day of the earlier.
        same_scores: whether both rest on the same scores.
        models_added: names, likewise the rest.
        settings: name, value before, value now.
        models: those in both, in the later's order.
        comparable: whether both have the same data sets with as many configurations and examples.
    """

    since: str
    same_scores: bool
    models_added: tuple[str, ...]
    models_removed: tuple[str, ...]
    datasets_added: tuple[str, ...]
    datasets_removed: tuple[str, ...]
    settings: tuple[tuple[str, str, str], ...]
    models: tuple[ModelChange, ...]
    comparable: bool

    @property
    def beyond(self) -> tuple[str, ...]:
        """The models whose performance or robustness changed beyond the intervals."""
        return tuple(each.model for each in self.models if each.performance.beyond or each.robustness.beyond)


def changes(before: Snapshot, now: Snapshot, order: Iterable[str] | None = None) -> Changes:
    """What changed.

    Args:
        before: the earlier publication.
        now: the later.
        order: of the models; as the later has them by default.
    """
    both = [name for name in (order or now.models) if name in now.models and name in before.models]
    return Changes(
        since=before.day,
        same_scores=before.fingerprint == now.fingerprint,
        models_added=_without(now.models, before.models),
        models_removed=_without(before.models, now.models),
        datasets_added=_without(now.datasets, before.datasets),
        datasets_removed=_without(before.datasets, now.datasets),
        settings=tuple(_settings(before, now)),
        models=tuple(_model(name, before.models[name], now.models[name]) for name in both),
        comparable=_rests_on(before) == _rests_on(now),
    )


def with_history(study: Study, earlier: Path) -> Study:
    """The study with what was published of it before, and this publication.

    Args:
        study: to publish.
        earlier: the folder of the site that was published before; it need not be there.
    """
    now = snapshot_of(study.source)
    before, notes = earlier_history(earlier, study.slug, now)
    history = continued(before, now)
    line = changed_line(changes(history[-2], history[-1])) if len(history) > 1 else None
    return replace(study, history=history, history_notes=tuple(map(without_homes, notes)), changed_line=line)


def changed_line(found: Changes) -> str:
    """The changes in a line for the overview."""
    named = (
        (found.models_added, "model", "added"),
        (found.models_removed, "model", "removed"),
        (found.datasets_added, "data set", "added"),
        (found.datasets_removed, "data set", "removed"),
    )
    parts = [f"{counted(len(names), noun)} {verb}" for names, noun, verb in named if names]
    if found.beyond:
        parts.append(f"figures of {counted(len(found.beyond), 'model')} changed beyond their intervals")
    elif any(each.any for each in found.models):
        parts.append("no model's figures changed beyond their intervals")
    if found.settings:
        parts.append("settings or versions changed")
    if not parts:
        parts = ["nothing changed" if found.same_scores else "the scores changed, the figures did not"]
    return f"Since {found.since}: {'; '.join(parts)}."


def _without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    known = set(others)
    return tuple(name for name in names if name not in known)


def _rests_on(found: Snapshot) -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
    return found.settings.configurations, found.settings.examples, found.settings.metrics


def _settings(before: Snapshot, now: Snapshot) -> Iterable[tuple[str, str, str]]:
    texts = [
        (label, getattr(before.settings, name), getattr(now.settings, name)) for name, label in _SETTINGS
    ]
    texts += [
        ("torr-plugin", before.version, now.version),
        ("Study started", before.created, now.created),
    ]
    for name in now.datasets:
        if name in before.datasets:
            for what in ("examples", "configurations", "metrics"):
                pair = [getattr(each.settings, what).get(name) for each in (before, now)]
                texts.append((f"{what.capitalize()} of {name}", *pair))
    for label, old, new in texts:
        if old != new:
            yield label, _text(old), _text(new)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _ABSENT if value in (None, "") else str(value)


def _model(name: str, before: KeptModel, now: KeptModel) -> ModelChange:
    return ModelChange(
        model=name,
        performance=_figure(before.performance, now.performance),
        robustness=_figure(before.robustness, now.robustness),
        rank_before=format_ranks(before.rank),
        rank_now=format_ranks(now.rank),
    )


def _figure(before: KeptFigure, now: KeptFigure) -> FigureChange:
    old, new = interval_text(before), interval_text(now)
    direction = 0
    if before.value is not None and now.value is not None and old != new:
        direction = (now.value > before.value) - (now.value < before.value)
    return FigureChange(old, new, direction, _apart(before, now))


def _apart(one: KeptFigure, other: KeptFigure) -> bool:
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    if drawn_ends(one) == drawn_ends(other) == (None, None):
        return False  # two numbers without a width
    return one.low > other.high or other.low > one.high


@dataclass(frozen=True)
class Publication:
    """A row of the list of publications; ``best`` is a model with its performance, as text."""

    day: str
    time: str
    version: str
    models: int
    datasets: int
    best: str
    figure: str
    fingerprint: str
    same_scores: bool


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and ``history.json``, which the next publication reads."""
    if study.history:
        yield DataFile(f"{study.paths.data}/{NAME}", history_file(study.history))
    yield PageFile(
        path=study.paths.history,
        template="history.html",
        title="History",
        current="history",
        values={
            "changes": _changes(study),
            "publications": list(_publications(study.history)),
            "charts": _charts(study),
        },
    )


def _changes(study: Study) -> Changes | None:
    if len(study.history) < 2:
        return None
    return changes(study.history[-2], study.history[-1], study.models)


def _publications(history: Sequence[Snapshot]) -> Iterator[Publication]:
    """The latest first."""
    for place, found in reversed(list(enumerate(history))):
        values = {name: each.performance.value for name, each in found.models.items()}
        scored = {name: value for name, value in values.items() if value is not None}
        best = max(scored, key=scored.__getitem__, default="")
        yield Publication(
            day=found.day,
            time=found.published[11:16],
            version=found.version,
            models=len(found.models),
            datasets=len(found.datasets),
            best=best,
            figure=interval_text(found.models[best].performance) if best else "",
            fingerprint=found.fingerprint,
            same_scores=place > 0 and history[place - 1].fingerprint == found.fingerprint,
        )


def _charts(study: Study) -> tuple[Chart, ...]:
    if len(study.history) < 2:
        return ()
    return tuple(history_lines(study, figure) for figure in ("performance", "robustness"))
