"""The pages of a study, a module each: ``files(study)`` gives the page and the data that it loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..files import SiteFile
    from ..study import Study


def study_files(study: Study) -> Iterator[SiteFile]:
    """Every page of a study with its data, one after the other, so that no more than one is in memory."""
    for files in _pages():
        yield from files(study)


def _pages() -> tuple[Callable[[Study], Iterator[SiteFile]], ...]:
    from . import (
        compare,
        configurations,
        dataset,
        downloads,
        examples,
        history,
        method,
        model,
        overview,
        reliability,
    )

    modules = (
        overview,
        model,
        dataset,
        configurations,
        examples,
        compare,
        history,
        method,
        # these two wait for the charts to be drawn
        reliability,
        downloads,
    )
    return tuple(module.files for module in modules)
