"""What a site is made from: a run directory, or a scores file alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .failures import Failures, failures
from .samples import Sample, samples
from .schema import Analysis, checked

if TYPE_CHECKING:
    import pandas as pd

    from ..running import Run


@dataclass(frozen=True)
class Source:
    """One study to publish.

    Attributes:
        name: the study's, or the scores file's.
        path: the run directory or scores file.
        analysis: its figures, as the site reads them.
        figures: the same as they are in analysis.json, to be published beside the page.
        study: study.yaml; empty for a scores file.
        failures: requests without an answer, a model each; empty for a scores file.
        samples: an example a data set with what the models answered; empty for a scores file.
    """

    name: str
    path: Path
    analysis: Analysis
    figures: Mapping[str, Any]
    study: Mapping[str, Any]
    failures: tuple[Failures, ...] = ()
    samples: tuple[Sample, ...] = ()


def open_source(path: Path) -> Source:
    """The study in a run directory or scores file.

    Raises:
        RunError: the directory is not a run, or its scores are missing or damaged.
        AnalysisError: the file cannot be read as scores.
    """
    return _of_run(path) if path.is_dir() else _of_file(path)


def _of_file(path: Path) -> Source:
    from ..analysis import analyse, read_scores

    figures = analyse(read_scores(path))
    stem = path.name.split(".")[0] or path.name
    return Source(stem, path, checked(figures, str(path)), figures, study={})


def _of_run(path: Path) -> Source:
    from ..running import Run

    run = Run.open(path)
    scores = run.scores()
    figures = _figures(run, scores)
    return Source(
        name=str(run.study.get("name") or path.resolve().name),
        path=path,
        analysis=checked(figures, str(path / "analysis.json")),
        figures=figures,
        study=run.study,
        failures=tuple(failures(run)),
        samples=tuple(samples(run, scores)),
    )


def _figures(run: Run, scores: pd.DataFrame) -> Mapping[str, Any]:
    """The run's own analysis; a new one where there is none, or it is not of the scores there are now."""
    from ..analysis import analyse
    from ..running import model_descriptions

    if (run.path / "analysis.json").exists():
        found = run.analysis()
        if _rests_on(found, scores):
            return found
    recipe = run.study.get("recipe") or {}
    options = {name: value for name, value in (recipe.get("analysis") or {}).items() if name in _OPTIONS}
    return analyse(
        scores,
        **options,
        seed=int(run.study.get("seed") or 0),
        keeps_labels=_keeps_labels(run.study),
        models=model_descriptions(run.study),
        examples=run.examples(),
        lengths=run.lengths(),
    )


def _rests_on(found: Mapping[str, Any], scores: pd.DataFrame) -> bool:
    """Whether an analysis is of these models and of as many scores; a killed run may have newer scores."""
    if set(found.get("performance") or ()) != set(scores["model"].astype(str)):
        return False
    holes = found.get("holes")
    if not isinstance(holes, Mapping):
        return True  # an odd file, which the check of its shape will name
    main = scores[scores["main"].astype(bool)] if "main" in scores else scores
    there = int(main["score"].notna().sum())
    return bool(holes.get("expected", 0) - holes.get("missing", 0) == there)


_OPTIONS = ("resamples", "level", "two_way")


def _keeps_labels(study: Mapping[str, Any]) -> dict[str, list[str]]:
    datasets: Mapping[str, Any] = study.get("datasets") or {}
    return {
        name: list(said["keeps_labels"])
        for name, said in datasets.items()
        if said.get("keeps_labels") is not None
    }
