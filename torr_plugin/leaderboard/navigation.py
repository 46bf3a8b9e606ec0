"""Which pages a study has, in the order of its navigation: what says nothing of it is absent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    absent = set(_absent(study))
    paths = {name: getattr(study.paths, name, "") for name, _ in LABELS if name not in absent}
    return tuple(_entry(name, label, paths[name]) for name, label in LABELS if paths.get(name))


def _absent(study: Study) -> Iterator[str]:
    """Pages that would have nothing to say."""
    if study.analysis.designs is None:
        yield "designs"
    if study.source.battles is None:
        yield from ("ratings", "battles")
    if study.analysis.table_kinds is None:
        yield "tables"
    if len(study.history) < 2:
        yield "history"


def _entry(name: str, label: str, found: str | Mapping[str, str]) -> NavigationEntry:
    if isinstance(found, str):
        return NavigationEntry(name, label, found)
    if len(found) == 1:
        return NavigationEntry(name, label.removesuffix("s"), next(iter(found.values())))
    return NavigationEntry(name, label, pages=found)
