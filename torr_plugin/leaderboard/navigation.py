"""Which pages a study has, in the order of its navigation: what says nothing of it is absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .study import Study


@dataclass(frozen=True)
class NavigationEntry:
    """An entry of the navigation: a page, or a menu of several.

    Attributes:
        name: as pages name it in ``current``.
        label: what one gets there.
        path: of the page, from the site's root; "" for a menu.
        pages: of a menu: what is shown there -> its path.
    """

    name: str
    label: str
    path: str = ""
    pages: Mapping[str, str] | None = None


LABELS = (
    ("overview", "Overview"),
    ("models", "Models"),
    ("datasets", "Data sets"),
    ("formats", "Formats"),
    ("designs", "Designs"),
    ("reliability", "Reliability"),
    ("examples", "Examples"),
    ("tables", "Tables like mine"),
    ("compare", "Compare"),
    ("ratings", "Ratings"),
    ("battles", "Battles"),
    ("history", "History"),
    ("method", "Method"),
    ("downloads", "Downloads"),
)


def navigation(study: Study) -> tuple[NavigationEntry, ...]:
    """The pages that the study has; a menu of one page is that page."""
    battles = study.source.battles is not None
    says = {
        "formats": study.analysis.varied,
        "designs": study.analysis.designs is not None,
        "ratings": battles,
        "battles": battles,
        "compare": len(study.models) > 1,
        "tables": study.analysis.table_kinds is not None,
        "history": len(study.history) > 1,
    }
    paths = {name: getattr(study.paths, name, "") for name, _ in LABELS if says.get(name, True)}
    return tuple(_entry(name, label, paths[name]) for name, label in LABELS if paths.get(name))


def _entry(name: str, label: str, found: str | Mapping[str, str]) -> NavigationEntry:
    if isinstance(found, str):
        return NavigationEntry(name, label, found)
    if len(found) == 1:
        return NavigationEntry(name, label.removesuffix("s"), next(iter(found.values())))
    return NavigationEntry(name, label, pages=found)
