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
    ("overview", "Models"),
    ("formats", "Formats"),
    ("examples", "Examples"),
    ("compare", "Compare"),
    ("method", "Method & data"),
)
"""The pages that a reader needs."""

MORE = (
    ("reliability", "Reliability"),
    ("designs", "Designs"),
    ("ratings", "Ratings"),
    ("battles", "Battles"),
    ("downloads", "Downloads"),
)
"""What else there is, in a menu."""


def navigation(study: Study) -> tuple[NavigationEntry, ...]:
    """The pages that the study has, those of single models aside, which open from their rows."""
    battles = study.source.battles is not None
    says = {
        "formats": study.analysis.varied,
        "designs": study.analysis.designs is not None,
        "ratings": battles,
        "battles": battles,
        "compare": len(study.models) > 1,
    }
    more = {label: str(getattr(study.paths, name)) for name, label in MORE if says.get(name, True)}
    of_datasets = {f"Data set {study.short[name]}": path for name, path in study.paths.datasets.items()}
    return (
        *(
            NavigationEntry(name, label, getattr(study.paths, name))
            for name, label in LABELS
            if says.get(name, True)
        ),
        NavigationEntry("more", "More", pages={**more, **of_datasets}),
    )
