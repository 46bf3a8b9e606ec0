"""Examples: every prompt as it was sent, every answer and its score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..examples import ExampleFiles, example_files
from ..files import PageFile, SiteFile
from ..study import Study


def files(study: Study) -> Iterator[SiteFile]:
    """The page, an index of each data set, and the examples themselves."""
    found = example_files(study)
    yield from found.files()
    yield PageFile(
        path=study.paths.examples,
        template="examples.html",
        title="Examples",
        current="examples",
        values={"found": found, "page_data": _page_data(study, found), "summary": found.summary},
        scripts=("example.js", "examples.js"),
    )


def _page_data(study: Study, found: ExampleFiles) -> dict[str, Any]:
    """What the script knows from the beginning."""
    metrics = study.analysis.settings.metrics
    return {
        "models": list(study.models),
        "configs": [asdict(config) for config in found.configs],
        "datasets": [
            {"name": name, "chunks": chunks, "metric": metrics.get(name, "")}
            for name, chunks in found.datasets.items()
        ],
        "folder": found.folder,
        "prompts": found.prompts,
    }
