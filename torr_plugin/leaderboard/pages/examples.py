"""Examples: every prompt as it was sent, every answer and its score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..examples import ExampleFiles, example_files
from ..files import PageFile, SiteFile
from ..study import Study

MOST_NAMED = 20
"""Of the metrics that are not shown."""


def files(study: Study) -> Iterator[SiteFile]:
    """The page, an index of each data set, and the examples themselves."""
    found = example_files(study)
    yield from found.files()
    yield PageFile(
        path=study.paths.examples,
        template="examples.html",
        title="Examples",
        current="examples",
        values={
            "found": found,
            "page_data": _page_data(study, found),
            "summary": found.summary,
            "several_metrics": any(index.others for index in found.datasets.values()),
        },
        scripts=("example.js", "examples.js"),
    )


def _page_data(study: Study, found: ExampleFiles) -> dict[str, Any]:
    """What the script knows from the beginning."""
    metrics = study.analysis.settings.metrics
    return {
        "models": list(study.models),
        "configs": [asdict(config) for config in found.configs],
        "datasets": [
            {
                "name": name,
                "chunks": index.chunks,
                "metric": metrics.get(name, ""),
                "others": [{"name": metric, "chunks": chunks} for metric, chunks in index.others.items()],
                "hidden": index.hidden[:MOST_NAMED],
                "more": max(0, len(index.hidden) - MOST_NAMED),
            }
            for name, index in found.datasets.items()
        ],
        "folder": found.folder,
        "prompts": found.prompts,
    }
