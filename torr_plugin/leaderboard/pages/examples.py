"""Examples: every prompt as it was sent, every answer and its score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..examples.packing import ExampleFiles
from ..examples.shortening import MOST_TEXT
from ..files import PageFile, SiteFile
from ..study import Study
from . import battles

MOST_NAMED = 20
"""Of the metrics that are not shown."""


def files(study: Study) -> Iterator[SiteFile]:
    """The page, an index of each data set, the examples themselves, and battles about them."""
    found = ExampleFiles(study)
    yield from found.files()
    yield PageFile(
        path=study.paths.examples,
        template="examples.html",
        title="Examples",
        current="examples",
        values={
            "found": found,
            "most_text": MOST_TEXT,
            "page_data": _page_data(study, found),
            "kinds": any(index.kinds for index in found.datasets.values()),
            "varied_parts": [
                part
                for part, asked in (
                    ("format", len({config.serializer for config in found.configs}) > 1),
                    ("perturbation", len({config.perturbation for config in found.configs}) > 1),
                    ("design", study.several_designs),
                )
                if asked
            ],
        },
        scripts=("example.js", "flip.js", "paged.js", "examples.js"),
    )
    yield from battles.files(study, found)


def _page_data(study: Study, found: ExampleFiles) -> dict[str, Any]:
    """What the script knows from the beginning."""
    metrics = study.analysis.settings.metrics
    return {
        "models": list(study.models),
        "configs": [
            {
                **asdict(config),
                "short": study.short.get(config.name, config.name),
                "format": study.short.get(config.serializer, config.serializer),
            }
            for config in found.configs
        ],
        "datasets": [
            {
                "name": name,
                "chunks": index.chunks,
                "changing": [change for change, where in study.changing.items() if name in where],
                "metric": metrics.get(name, ""),
                "others": index.others,
                "kinds": index.kinds,
                "hidden": index.hidden[:MOST_NAMED],
                "more": max(0, len(index.hidden) - MOST_NAMED),
            }
            for name, index in found.datasets.items()
        ],
        "folder": found.folder,
        "prompts": found.prompts,
        "flips": found.flips,
    }
