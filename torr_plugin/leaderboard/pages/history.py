"""What a site published of a study, one publication a row, and what each changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...analysis.result import OVERALL
from ...core.errors import counted
from ...core.redaction import without_homes
from ..files import DataFile, PageFile, SiteFile
from ..history import (
    NAME,
    KeptFigure,
    KeptSettings,
    Snapshot,
    continued,
    earlier_history,
    history_file,
    snapshot_of,
)
from ..study import Study
from ..text import listed, sentence
from ..views import View, ViewCell, drawn_ends, interval_text


def with_history(study: Study, earlier: Path) -> Study:
    """The study with what a site published of it before, which need not be there, and this publication."""
    now = snapshot_of(study.source, study.tied_groups[OVERALL].ranks)
    before, notes = earlier_history(earlier, study.slug, now)
    history = continued(before, now)
    line = f"Since {history[-2].day}: {changes(*history[-2:])}." if len(history) > 1 else None
    return study.having(history=history, history_notes=tuple(map(without_homes, notes)), changed_line=line)


def files(study: Study) -> Iterator[SiteFile]:
    """``history.json``, which the next publication reads, and the page where there are several."""
    if study.history:
        yield DataFile(f"{study.paths.data}/{NAME}", history_file(study.history), lasting=True)
    if len(study.history) > 1:
        yield PageFile(
            path=study.paths.history,
            template="history.html",
            title="History",
            current="history",
            values={"publications": publications(study.history)},
        )


def changes(before: Snapshot, now: Snapshot) -> str:
    """What changed from one publication to a later one, as the end of a sentence."""
    parts = [
        f"{counted(len(names), noun)} {verb}"
        for noun, old, new in (
            ("model", set(before.models), set(now.models)),
            ("data set", set(before.datasets), set(now.datasets)),
        )
        for names, verb in ((new - old, "added"), (old - new, "removed"))
        if names
    ]
    both = [(before.models[name], now.models[name]) for name in now.models if name in before.models]
    beyond = sum(
        _apart(old.performance, new.performance) or _apart(old.robustness, new.robustness)
        for old, new in both
    )
    if beyond:
        parts.append(f"figures of {counted(beyond, 'model')} left their intervals")
    elif any(old != new for old, new in both):
        parts.append("no model's figures left their intervals")
    if before.version != now.version or _settings_differ(before.settings, now.settings):
        parts.append("settings or versions changed")
    same = before.fingerprint == now.fingerprint
    return "; ".join(parts) or ("nothing changed" if same else "the scores changed, the figures did not")


def _settings_differ(before: KeptSettings, now: KeptSettings) -> bool:
    """Whether they do for what both have: a data set that only one of them has is no other setting."""
    one, other = before.model_dump(), now.model_dump()
    return any(
        any(old[name] != new[name] for name in old.keys() & new.keys())
        if isinstance(old, dict)
        else old != new
        for old, new in zip(one.values(), other.values(), strict=True)
    )


def _apart(one: KeptFigure, other: KeptFigure) -> bool:
    """Whether the intervals do not overlap; two numbers without a width say nothing."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    if drawn_ends(one) == drawn_ends(other) == (None, None):
        return False
    return one.low > other.high or other.low > one.high


def publications(history: Sequence[Snapshot]) -> View:
    """What was published, and what had changed since the publication before; the latest first."""
    rows = [
        (
            ViewCell(found.day, found.published[11:16]),
            ViewCell(
                "", sentence(changes(history[place - 1], found)) if place else "First published", "names"
            ),
            ViewCell(*_best(found), "furthest"),
            ViewCell("", found.version),
            ViewCell("", found.fingerprint),
        )
        for place, found in enumerate(history)
    ]
    head = ("Published", "What changed", "Highest mean", "torr-plugin", "Fingerprint of the scores")
    return View(head, tuple(rows[::-1]))


def _best(found: Snapshot) -> tuple[str, str]:
    """The model of the highest mean, or those that share it, and the figure."""
    scored = {name: each.performance for name, each in found.models.items()}
    most = max((one.value for one in scored.values() if one.value is not None), default=None)
    best = [name for name, one in scored.items() if most is not None and one.value == most]
    return (listed(best), interval_text(scored[best[0]])) if best else ("", "")
