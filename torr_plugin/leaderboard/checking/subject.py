"""The input of the checks (a run or scores file, loaded once), and what they report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ...analysis import read_scores, typed_scores
from ...analysis.cube import refuse_scores
from ...core.errors import RunError
from ...core.redaction import masked
from ...running import Run, RunStatus, model_descriptions, run_status
from ..source import main_rows

IssueLevel = Literal["error", "warning", "note"]
ISSUE_LEVELS: tuple[IssueLevel, ...] = ("error", "warning", "note")
_NAMED = 3


@dataclass(frozen=True)
class PublishingIssue:
    """A problem to know before publishing.

    Attributes:
        level: ``error``: do not publish so; ``warning``: publish knowingly; ``note``: information is missing.
        check: which check found it, a short name that stays.
        where: file and field.
        what: what was found.
        advice: what to do about it.
    """

    level: IssueLevel
    check: str
    where: str
    what: str
    advice: str


def shortened(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


# long and random enough to be no word
_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|xox[abpr]-[\w-]{10,}"
    r"|AIza[\w-]{30,}|glpat-[\w-]{20,})|\bBearer\s+[\w.~+/-]{16,}"
)


def without_keys(text: str) -> str:
    """The text with ``...`` in place of each key."""
    return _SHAPES.sub("...", masked(text))


CELL = ("model", "dataset", "config", "example")
STUDY, SCORES, ANALYSIS = "study.yaml", "scores.parquet", "analysis.json"


@dataclass(frozen=True)
class CheckedRun:
    """A run or a scores file.

    Attributes:
        path: of either, as it was given.
        study: study.yaml; empty for a scores file.
        run: the run directory; None for a scores file.
        status: where the run stands; None for a scores file.
        scores: None where there are none yet.
        figures: analysis.json; None where there is none.
        described: model -> any of ``family``, ``size`` and ``open``, from the run and from elsewhere.
        title: what the site calls its study; "" where it does not say.
    """

    path: Path
    study: Mapping[str, Any] = field(default_factory=dict)
    run: Run | None = None
    status: RunStatus | None = None
    scores: pd.DataFrame | None = None
    figures: Mapping[str, Any] | None = None
    described: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    title: str = ""

    @cached_property
    def main(self) -> pd.DataFrame:
        """The scores of first answers by each data set's main metric, with names as texts."""
        found = main_rows(pd.DataFrame(self.scores))
        named: pd.DataFrame = found.assign(**{name: found[name].astype(str) for name in CELL})
        return named

    @property
    def name(self) -> str:
        """The study's name, as the site shows it."""
        if self.title:
            return self.title
        stem = self.path.name.split(".")[0] or self.path.name
        return str(self.study.get("name") or self.path.resolve().name) if self.run else stem

    @property
    def harness(self) -> str:
        """The harness of an imported run; "" for others."""
        return str(self.study.get("imported", {}).get("harness") or "")

    @property
    def datasets(self) -> Mapping[str, Mapping[str, Any]]:
        """Each data set's entry in study.yaml; {} where it is missing."""
        known: dict[str, Mapping[str, Any]] = dict(self.study.get("datasets") or {})
        if self.run is None or self.scores is None:
            return known
        return {**{name: {} for name in self.scores["dataset"].astype(str).unique()}, **known}

    def at(self, file: str, *fields: str) -> str:
        """A place: ``RUN/FILE: FIELD.FIELD``; of a scores file the file itself."""
        if self.run is None:
            return str(self.path)
        return f"{self.path / file}: {'.'.join(fields)}" if fields else str(self.path / file)


def read_checked_run(path: Path, models: Mapping[str, Mapping[str, Any]], title: str = "") -> CheckedRun:
    """Read a run or a scores file; what is known of models from elsewhere overrules what a run says.

    Raises:
        RunError: the directory is no run, or damaged.
        AnalysisError: the file cannot be read as scores, or no figures can be made of them.
    """
    if not path.is_dir():
        return CheckedRun(path, scores=_scores(path), described=models, title=title)

    run, known = Run.open(path), dict[str, Any]()
    for label, description in model_descriptions(run.study).items():
        known[label] = {**description, **models.get(label, {})}
    return CheckedRun(
        path,
        study=run.study,
        run=run,
        status=run_status(path),
        scores=_numbers(run.scores(), path) if (path / SCORES).exists() else None,
        figures=_figures(run),
        described={**models, **known},
        title=title,
    )


def _scores(path: Path) -> pd.DataFrame:
    """The scores of a file, checked as the site's analysis checks them."""
    given = read_scores(path)
    refuse_scores(given)
    return typed_scores(given)


def _numbers(scores: pd.DataFrame, run: Path) -> pd.DataFrame:
    """The scores of a run, if they are numbers."""
    kind = scores["score"].dtype if "score" in scores else "no such column"
    if not pd.api.types.is_float_dtype(kind):
        raise RunError(f"{run / SCORES}: score: found {kind}; expected numbers from 0 to 1")
    return scores


def _figures(run: Run) -> Mapping[str, Any] | None:
    if not (run.path / ANALYSIS).exists():
        return None
    found: Any = run.analysis()
    if not isinstance(found, Mapping):
        raise RunError(f"{run.path / ANALYSIS}: found {type(found).__name__}; expected an object")
    return found
