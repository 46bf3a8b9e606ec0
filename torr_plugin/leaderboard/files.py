"""What a site is made of: pages that are still to be rendered, and files that are ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PageFile:
    """A page.

    Attributes:
        path: from the site's root.
        template: in ``leaderboard/templates``.
        title: of the browser's tab; the study's name is added.
        current: which entry of the navigation it is (a field of ``StudyPaths``), or "".
        values: of the template, beside ``study``, ``root``, ``page`` (this value) and the globals.
        scripts: files of ``leaderboard/assets`` that it needs beside those that all pages have.
    """

    path: str
    template: str
    title: str
    current: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    scripts: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataFile:
    """A file that is written as it is; ``path`` is from the site's root."""

    path: str
    content: bytes | str


SiteFile = PageFile | DataFile
