"""Where each page and file of a study lies, from the site's root, in names that are safe in any address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .text import slug


@dataclass(frozen=True)
class StudyPaths:
    """Paths from the site's root, with slashes.

    Attributes:
        overview: ``index.html`` where the site has this study alone, else ``<slug>/index.html``.
        models: model -> its page.
        datasets: data set -> its page.
        data: the folder of what can be downloaded.
        scripts: the folder of what pages load by script (:mod:`.script_data`).
    """

    overview: str
    configurations: str
    reliability: str
    examples: str
    compare: str
    history: str
    method: str
    downloads: str
    models: Mapping[str, str]
    datasets: Mapping[str, str]
    data: str
    scripts: str


def study_paths(name: str, *, alone: bool, models: Iterable[str], datasets: Iterable[str]) -> StudyPaths:
    """The paths of a study.

    Args:
        name: its slug.
        alone: whether the site has no other study.
        models: their names, as they are; two that give one slug are numbered.
        datasets: likewise.
    """
    pages = ("configurations", "reliability", "examples", "compare", "history", "method", "downloads")
    return StudyPaths(
        overview="index.html" if alone else f"{name}/index.html",
        models=_named(f"{name}/models", models),
        datasets=_named(f"{name}/datasets", datasets),
        data=f"data/{name}",
        scripts=f"data/{name}/pages",
        **{page: f"{name}/{page}.html" for page in pages},
    )


def root_of(path: str) -> str:
    """The way from a page to the site's root: ``../`` for each folder that it lies in."""
    return "../" * path.count("/")


def _named(folder: str, names: Iterable[str]) -> dict[str, str]:
    taken: set[str] = set()
    found = {}
    for name in names:
        short = slug(name, taken)
        taken.add(short)
        found[name] = f"{folder}/{short}.html"
    return found
