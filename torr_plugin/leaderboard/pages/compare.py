"""Two models: one verdict a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...analysis.figures.pairs import MOST, NEXT
from ..files import PageFile, SiteFile, packed_script
from ..study import Study
from ..verdicts import ComparedLine, compared


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and a file of each model with what it is beside the others; nothing of a model alone."""
    if len(study.models) < 2:
        return
    folder = f"{study.paths.scripts}/compare"
    for number, model in enumerate(study.models):
        yield packed_script(f"{folder}/{number}.js", _beside(study, model))
    one, other = study.models[:2]
    yield PageFile(
        path=study.paths.compare,
        template="compare.html",
        title="Compare",
        current="compare",
        values={
            "lines": compared(study, one, other),
            "next": NEXT if len(study.models) > MOST else None,
            "choices": {
                "folder": folder,
                "models": study.models,
                "short": [study.short[model] for model in study.models],
            },
        },
        scripts=("compare.js",),
    )


def _beside(study: Study, model: str) -> dict[str, list[Any]]:
    """Number of another model -> the lines on both."""
    return {
        str(number): [_plain(line) for line in compared(study, model, other)]
        for number, other in enumerate(study.models)
        if other != model
    }


def _plain(line: ComparedLine) -> list[Any]:
    return [line.what, line.said, line.claimed, *line.figures]
