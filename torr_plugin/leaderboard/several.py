"""Several studies in one site: their names told apart, the models that they share, scores given twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..analysis import format_interval, format_ranks
from ..core.errors import RunError
from .study import Study


def refuse_repeats(runs: Sequence[Path]) -> None:
    """Each run is to be given once.

    Raises:
        RunError: one is given twice, be it under two names.
    """
    seen: dict[Path, Path] = {}
    for run in runs:
        place = run.resolve()
        if place in seen:
            other = seen[place]
            found = "it is given twice" if other == run else f"it is {other} under another name"
            raise RunError(f"{run}: {found}; expected each run once")
        seen[place] = run


def with_unique_titles(studies: Sequence[Study]) -> tuple[Study, ...]:
    """The studies with titles that differ: by date, by harness, by what was given, at last by number."""
    found = list(studies)
    for more in (_date, _harness, _given):
        found = _with(found, more)
    seen: Counter[str] = Counter()
    titles = Counter(study.title for study in found)
    for place, study in enumerate(found):
        if titles[study.title] > 1:
            seen[study.title] += 1
            found[place] = replace(study, title=f"{study.title} ({seen[study.title]})")
    return tuple(found)


def _with(studies: Sequence[Study], more: Callable[[Study], str]) -> list[Study]:
    """The studies, those of one title with more of what tells them apart; unless it is the same of all."""
    shared: dict[str, list[Study]] = {}
    for study in studies:
        shared.setdefault(study.title, []).append(study)
    changed = []
    for study in studies:
        group = shared[study.title]
        told = more(study) if len({more(each) for each in group}) > 1 else ""
        changed.append(replace(study, title=f"{study.title} ({told})") if told else study)
    return changed


def _date(study: Study) -> str:
    return str(study.source.study.get("created") or "")[:10]


def _harness(study: Study) -> str:
    return harness(study.source.study)


def _given(study: Study) -> str:
    return study.source.path.name


def harness(study: Mapping[str, Any]) -> str:
    """Where an imported study's answers are from: ``HELM 0.5.16``; "" for one that was run here."""
    imported = study.get("imported")
    if not isinstance(imported, Mapping):
        return ""
    return f"{imported.get('harness') or ''} {imported.get('version') or ''}".strip()


def same_scores(studies: Sequence[Study]) -> Mapping[str, tuple[str, ...]]:
    """Slug -> titles of the other studies that rest on the same scores, by their fingerprints."""
    marks = {study.slug: study.history[-1].fingerprint for study in studies if study.history}
    return {
        study.slug: tuple(
            other.title
            for other in studies
            if other is not study and marks.get(other.slug, "") == marks.get(study.slug)
        )
        for study in studies
    }


@dataclass(frozen=True)
class StudyStanding:
    """A model in one study, as texts; ``sort`` is its performance, "" where there is none."""

    rank: str
    models: int
    performance: str
    robustness: str
    sort: str


@dataclass(frozen=True)
class SharedModel:
    """A model of several studies: its standing in each of the site's, None where it is not in one."""

    model: str
    standings: tuple[StudyStanding | None, ...]


def shared_models(studies: Sequence[Study]) -> tuple[SharedModel, ...]:
    """The models that two studies or more have, by name alone, those in the most studies first."""
    counts = Counter(model for study in studies for model in study.models)
    names = [model for model, count in counts.most_common() if count > 1]
    return tuple(SharedModel(model, tuple(_standing(study, model) for study in studies)) for model in names)


def _standing(study: Study, model: str) -> StudyStanding | None:
    analysis = study.analysis
    if model not in analysis.performance:
        return None
    figures = [found[model].overall for found in (analysis.performance, analysis.robustness)]
    texts = [format_interval(each.value, each.low, each.high) for each in figures]
    value = figures[0].value
    return StudyStanding(
        rank=format_ranks(analysis.rank_intervals.get(model)),
        models=len(study.models),
        performance=texts[0],
        robustness=texts[1],
        sort="" if value is None else repr(value),
    )
