"""Renders some pages of a study and no others, which is quicker than a whole site."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from torr_plugin.analysis import AnalysisResults
from torr_plugin.leaderboard.files import PageFile, SiteFile, root_of
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of


def opened(run: Path) -> Study:
    """The study of a run or scores file that is alone in its site."""
    return study_of(open_source(run), set(), alone=True)


def rendered(files: Callable[[Study], Iterator[SiteFile]], study: Study, out: Path) -> Path:
    """Write the pages of a module of ``pages/`` into a folder, which is given back."""
    renderer = Renderer()
    for file in files(study):
        if isinstance(file, PageFile):
            values = {"study": study, "page": file, "root": root_of(file.path), **file.values}
            path = out / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(renderer.render(file.template, **values), encoding="utf-8")
    return out


def with_results(analysis: StudyResults, **changed: Any) -> StudyResults:
    """An analysis with other results under some keys of ``analysis.json``; None takes a key away."""
    found = {**analysis.results.to_json(), **TypeAdapter(dict[str, Any]).dump_python(changed, mode="json")}
    return StudyResults(AnalysisResults.from_json(found))


Score = Callable[[str, int, str, str], "float | None"]
COLUMNS = ("model", "dataset", "example", "config", "serializer", "perturbation", "design", "metric", "score")


def scored(
    path: Path,
    score: Score,
    models: Iterable[str] = "abc",
    formats: tuple[str, ...] = ("html", "csv"),
    changes: tuple[str, ...] = ("none", "transpose"),
) -> Study:
    """A scores file of one data set of 60 examples, with these scores; a row each that is not None."""
    rows = [
        (
            model,
            "towns",
            f"e{example}",
            f"{fmt}/{change}/default",
            fmt,
            change,
            "default",
            "exact_match",
            value,
        )
        for model in models
        for example in range(60)
        for fmt in formats
        for change in changes
        if (value := score(model, example, fmt, change)) is not None
    ]
    file = path / "scores.parquet"
    pd.DataFrame(rows, columns=COLUMNS).to_parquet(file)
    return opened(file)


def noise(model: str, example: int, fmt: str, change: str) -> float:
    """Between 0 and 1, another one for each cell."""
    return np.random.default_rng(list(f"{model}{example}{fmt}{change}".encode())).random()
