"""Battles that a site would show: whether judging is over, and of which models it is."""

from __future__ import annotations

from collections.abc import Iterator

from ...analysis.ratings import BATTLES_FILE
from ...core.errors import counted
from ..battles import published_battles
from .subject import CheckedRun, PublishingIssue, shortened, without_keys

_MOST_TEXTS = 10_000


def battles(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Verdicts that are missing, models without scores, and keys in what judges said.

    Raises:
        RunError: the file is damaged.
    """
    frame = published_battles(run.path) if run.run is not None else None
    if frame is None:
        return
    where = run.at(BATTLES_FILE)
    failed = int(frame["verdict"].isna().sum())
    if failed:
        what = f"{counted(failed, 'verdict')} of {len(frame):,} failed; ratings leave them out"
        advice = "`torr judge` with --retry-failed asks them again"
        yield PublishingIssue("warning", "battles", where, what, advice)
    scored = set() if run.scores is None else set(run.scores["model"].astype(str))
    strangers = sorted({*frame["model_a"], *frame["model_b"]} - scored)
    if strangers and run.scores is not None:
        what = f"rates {counted(len(strangers), 'model')} without scores: {shortened(strangers)}"
        advice = "remove the file, and `torr judge` writes the battles of the run's own models"
        yield PublishingIssue("warning", "battles", where, what, advice)
    reasons = frame["reason"].drop_duplicates().head(_MOST_TEXTS)
    keys = sum(without_keys(text) != text for text in reasons)
    if keys:
        what = f"{counted(keys, 'reason holds', 'reasons hold')} what looks like a key or a password"
        advice = "revoke the key; reasons are published as judges gave them"
        yield PublishingIssue("error", "secrets", run.at(BATTLES_FILE, "reason"), what, advice)
