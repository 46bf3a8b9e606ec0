"""Battles: two answers to one question side by side, with what each judge said of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..battles.packing import MOST_ANSWER, BattleFiles
from ..examples.packing import ExampleFiles
from ..files import PageFile, SiteFile
from ..study import Study


def files(study: Study, examples: ExampleFiles) -> Iterator[SiteFile]:
    """The page and all that it loads; nothing for a study without battles.

    The files of its examples are made: they say what a question asks.
    """
    battles = study.source.battles
    if battles is None:
        return
    found = BattleFiles(study, examples.questions)
    yield from found.files(battles)
    yield PageFile(
        path=study.paths.battles,
        template="battles.html",
        title="Battles",
        current="method",
        values={"found": found, "page_data": _page_data(study, found)},
        scripts=("example.js", "paged.js", "battles.js"),
        styles=("battles.css",),
    )


def _page_data(study: Study, found: BattleFiles) -> dict[str, Any]:
    """What the script knows from the beginning."""
    return {
        "models": found.models,
        "judges": found.judges,
        "levels": found.levels,
        "datasets": found.datasets,
        "configs": found.configs,
        "chunks": found.chunks,
        "folder": found.folder,
        "examples": {"page": study.paths.examples, "datasets": list(study.datasets)},
        "most": MOST_ANSWER,
    }
