"""All checks of a site, and those of completeness: is the run over, are all scores and verdicts there?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ...analysis.ratings import BATTLES_FILE
from ...core.errors import RunError, counted
from ...running import RunStatus
from ..battles import published_battles
from ..source import is_complete, study_groups
from ..theming import SiteText
from .integrity import as_recorded, scores_in_range, shards
from .privacy import named_homes, pictures, secrets
from .provenance import extent, labels, licences, models, served, several, versions, versions_of_site
from .subject import (
    ANALYSIS,
    CELL,
    ISSUE_LEVELS,
    SCORES,
    CheckedRun,
    PublishingIssue,
    read_checked_run,
    shortened,
    without_keys,
)

_ALIKE = 1e-9
"""Two computations of one mean differ by less."""
_MOST_TEXTS = 10_000
_AGAIN = "run the same command again to continue it"


def state(run: CheckedRun) -> Iterator[PublishingIssue]:
    """A run that is being written, or incomplete."""
    if run.status is None:
        return
    status, where = run.status, str(run.path)
    if status.state == "running":
        what = f"is being written by {status.writer} ({status.step})"
        yield PublishingIssue("error", "running", where, what, f"wait until it ends: `torr status {where}`")
    done = status.state == "done"  # then a model that broke is said by itself
    waiting = {
        model.model: model.waiting
        for model in status.models
        if model.waiting and not (done and model.unloaded)
    }
    if status.state != "running" and waiting:
        what = f"{counted(sum(waiting.values()), 'request')} without an answer: {_each(waiting)}"
        yield PublishingIssue("error", "unanswered", run.at("predictions"), what, _AGAIN)
    elif status.state == "stopped" and status.step == "scoring" and run.scores is not None:
        what = "has answers that came after its scores"
        yield PublishingIssue("warning", "stopped", where, what, _AGAIN)
    elif run.scores is None and status.state != "running":
        yield PublishingIssue("error", "scores", where, f"has no {SCORES} yet", _AGAIN)
    yield from _failed(run, status)


def _failed(run: CheckedRun, status: RunStatus) -> Iterator[PublishingIssue]:
    failed = {model.model: model.counts.failed for model in status.models if model.counts.failed}
    if failed:
        kinds = "; ".join(f"{each.count:,} x {without_keys(each.error)}"[:120] for each in status.errors[:2])
        what = f"{counted(sum(failed.values()), 'failed request')}: {_each(failed)}. {kinds}"
        again = "" if run.harness else "`torr run` with --retry-failed asks them again; "
        advice = f"{again}the site names them"
        yield PublishingIssue("warning", "failed", run.at("predictions"), what, advice)
    for model in status.models:
        if model.unloaded is not None:
            advice = "fix the model and run again, or leave it out"
            what = f"{model.model} could not be loaded: {without_keys(model.unloaded)}"
            yield PublishingIssue("warning", "unloaded", run.at("predictions"), what, advice)


_FEWEST = 10
"""Of fewer answers nothing is said."""


def ran_out(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Models most of whose answers ran out of tokens: they say how short answers were, not how good."""
    for model in run.status.models if run.status else ():
        counts = model.counts
        short = counts.unfinished + counts.cut
        if counts.answered < _FEWEST or short <= counts.answered / 2:
            continue
        before = f", {counts.unfinished:,} of them before any text" if counts.unfinished else ""
        what = f"{short:,} of {counts.answered:,} answers of {model.model} ran out of tokens{before}"
        advice = (
            "give the harness's model more tokens and import again"
            if run.harness
            else "`torr run` with --gen max_tokens=N gives more, and only what was cut is asked again"
        )
        yield PublishingIssue("warning", "tokens", run.at("predictions"), what, advice)


def _each(counts: dict[str, int]) -> str:
    return shortened([f"{name} {number:,}" for name, number in counts.items()])


def holes(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Cells of configurations and examples without a score: of one model, or that no model was asked."""
    if run.scores is None:
        return
    rows, names = _cells(run.main), ["config", "example"]
    missing, not_asked = dict[str, int](), dict[str, int]()
    for dataset, found in rows.groupby("dataset", observed=True):
        asked = len(found[names].drop_duplicates())
        known = found[found["score"].notna()]
        for model in run.scores["model"].astype(str).unique():
            there = int((known["model"] == model).sum())
            if there < asked:
                missing[f"{model} on {dataset}"] = asked - there
        shape = found["config"].nunique() * found["example"].nunique()
        if asked < shape:
            not_asked[str(dataset)] = shape - asked
    if not_asked:
        what = f"{counted(sum(not_asked.values()), 'cell')} that no model was asked: {_each(not_asked)}"
        advice = "configurations are compared over the examples that all of them have; the site names them"
        yield PublishingIssue("warning", "not_asked", run.at(SCORES), what, advice)
    if missing:
        what = f"{counted(sum(missing.values()), 'score is', 'scores are')} missing: {_each(missing)}"
        advice = "complete the run, or publish with --anyway: each figure then says what is missing"
        yield PublishingIssue("error", "holes", run.at(SCORES), what, advice)


def alike(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Models all of whose scores are one number, which rather says something of metric or answers."""
    if run.scores is None:
        return
    found = run.main.dropna(subset=["score"]).groupby("model")["score"].agg(["size", "min", "max"])
    for model, size, low, high in found.itertuples():
        if size >= _FEWEST and low == high:
            what = f"all {size:,} scores of {model} are {low:g}"
            advice = "look at its answers, and at how the metric reads them, before the site ranks it"
            yield PublishingIssue("warning", "alike", run.at(SCORES), what, advice)


def analysed(run: CheckedRun) -> Iterator[PublishingIssue]:
    """An analysis that is absent, or of other scores than there are."""
    if run.run is None or run.scores is None:
        return
    command = f"torr analyse {run.path} --out {run.path} --no-charts"
    renew = f"`{command}` writes a new one; the site computes its own"
    if run.figures is None:
        yield PublishingIssue("warning", "analysis", run.at(ANALYSIS), "is missing", renew)
        return
    other = _other_scores(run.figures.get("performance"), run)
    if other:
        what = f"does not match the current scores: {other}"
        yield PublishingIssue("warning", "analysis", run.at(ANALYSIS), what, renew)
    elif not is_complete(run.figures):
        what = "is from an earlier version: it lacks the verdicts that the pages show"
        yield PublishingIssue("warning", "analysis", run.at(ANALYSIS), what, renew)


def _cells(main: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell that was asked, with its score."""
    once: pd.DataFrame = main.sort_values("score", kind="stable").drop_duplicates(CELL)
    return once


def _other_scores(performance: object, run: CheckedRun) -> str:
    """Which model's figure is not its scores' mean, with both; "" where none is.

    Compared are data sets without a hole, where performance is the plain mean; elsewhere it is over the cells
    that all models have.
    """
    if not isinstance(performance, dict):
        return "it has no 'performance'"
    there = set(run.main["model"])
    if set(performance) != there:
        return f"it has other models ({shortened(sorted(set(performance) ^ there))})"
    found: Any = run.main.groupby(["model", "dataset"])["score"].mean()
    figures = {model: own.get("datasets") or {} for model, own in performance.items()}
    holed = {
        dataset
        for own in figures.values()
        for dataset, figure in own.items()
        if not figure.get("complete", True)
    }
    for (model, dataset), mean in found.items():
        value = (figures[model].get(dataset) or {}).get("value")
        if dataset not in holed and value is not None and abs(value - mean) > _ALIKE:
            return f"{model} on {dataset} has {value:.4g}, its scores' mean is {mean:.4g}"
    return ""


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


EACH = (
    shards,
    as_recorded,
    scores_in_range,
    state,
    ran_out,
    holes,
    alike,
    analysed,
    battles,
    versions,
    served,
    extent,
    licences,
    secrets,
    named_homes,
    pictures,
    labels,
    models,
)
TOGETHER = (several, versions_of_site)


def _issues(run: CheckedRun) -> Iterator[PublishingIssue]:
    """What all checks find in a run; those that a damaged file stops say nothing, as it was named before."""
    damaged = False
    for each in EACH:
        try:
            for issue in each(run):
                damaged = damaged or issue.check == "damaged"
                yield issue
        except (RunError, OSError, pa.ArrowException):
            if not damaged:
                raise


def check(
    runs: Sequence[Path],
    described: Mapping[str, Mapping[str, Any]] | None = None,
    words: SiteText | None = None,
) -> list[PublishingIssue]:
    """All issues of publishing these as one site, errors first.

    Args:
        runs: run directories and scores files.
        described: model -> any of ``family``, ``size`` and ``open``, known from elsewhere.
        words: the site's; its titles distinguish studies of one name.

    Raises:
        RunError: no run is given, a directory is no run, or damaged.
        AnalysisError: a scores file cannot be read.
    """
    if not runs:
        raise RunError("no run to check; expected run directories or scores files")
    texts = words or SiteText()
    read = [read_checked_run(path, described or {}, texts.title_of(path)) for path in runs]
    once = {run.path.resolve(): run for run in read}
    found: list[PublishingIssue] = []
    for group in study_groups([run.path for run in once.values()], texts.title_of):
        issues = [issue for path in group for issue in _issues(once[path.resolve()])]
        unique = dict[tuple[str, str], PublishingIssue]()
        for issue in issues:  # what two runs of a study share is one thing to fix
            unique.setdefault((issue.check, issue.what), issue)
        found += unique.values()
    found += [issue for together in TOGETHER for issue in together(read)]
    return sorted(found, key=lambda issue: ISSUE_LEVELS.index(issue.level))
