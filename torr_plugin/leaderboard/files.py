"""The files of a site: pages, data for scripts, their paths and links, and how they are written."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from pydantic_core import to_json

from ..core.atomic_files import write_file as write_whole
from ..core.errors import RunError
from .text import slugs, visible


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
        styles: likewise.
        description: what it shows, in a sentence for those who see a link to it; by default the study's.
    """

    path: str
    template: str
    title: str
    current: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    scripts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class DataFile:
    """A file that is written as it is.

    Attributes:
        path: from the site's root.
        content: of it.
        examples: how many it holds.
    """

    path: str
    content: bytes | str
    examples: int = 0


SiteFile = PageFile | DataFile


@dataclass(frozen=True)
class StudyPaths:
    """Paths from the site's root, with slashes.

    Attributes:
        overview: ``index.html`` where the site has this study alone, else ``<slug>/index.html``.
        models: model -> its page.
        datasets: data set -> its page.
        data: the folder of what can be downloaded.
        scripts: the folder of what pages load by script.
    """

    overview: str
    formats: str
    examples: str
    ratings: str
    battles: str
    compare: str
    method: str
    models: Mapping[str, str]
    datasets: Mapping[str, str]
    data: str
    scripts: str


def study_paths(name: str, *, alone: bool, models: Iterable[str], datasets: Iterable[str]) -> StudyPaths:
    """The paths of a study of this slug; ``alone``: whether the site has no other."""
    own: dict[str, Any] = {
        "overview": "index.html" if alone else f"{name}/index.html",
        "models": _named(f"{name}/models", models),
        "datasets": _named(f"{name}/datasets", datasets),
        "data": f"data/{name}",
        "scripts": f"data/{name}/pages",
    }
    return StudyPaths(**{page.name: f"{name}/{page.name}.html" for page in fields(StudyPaths)} | own)


def root_of(path: str) -> str:
    """The way from a page to the site's root: ``../`` for each folder that it lies in."""
    return "../" * path.count("/")


def _named(folder: str, names: Iterable[str]) -> dict[str, str]:
    return {name: f"{folder}/{short}.html" for name, short in slugs(names).items()}


def with_choice(path: str, **chosen: str) -> str:
    """A page with what is chosen on it, as state.js reads it."""
    return f"{path}#{urlencode({name: visible(value) for name, value in chosen.items()}, quote_via=quote)}"


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file beside its place and rename it; its folder is made.

    Raises:
        RunError: it cannot be written.
    """
    try:
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        write_whole(path, data, flush=False)
    except (FileExistsError, NotADirectoryError):
        raise RunError(
            f"{path}: a file is in the way; expected a folder for the site, or a name that is free"
        ) from None
    except OSError as error:
        raise RunError(f"{path}: the site cannot be written: {error.strerror or error}") from error


_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"}


def script(path: str, value: Any) -> DataFile:
    """A value as a file that a page gets with ``await torr.load(path)``.

    Args:
        path: from the site's root.
        value: plain values, ready for JSON; NaN is not.

    Raises:
        ValueError: a number that JSON has not.
    """
    # parsed, not a literal: there a key "__proto__" would set the prototype and be lost
    text = _literal(value).replace("\\", "\\\\")
    return DataFile(path, f"torr.put({_literal(path)},JSON.parse('{text}'));\n")


def packed_script(path: str, value: Any) -> DataFile:
    """As :func:`script`, compressed: for text that repeats itself."""
    raw = gzip.compress(_json(value).encode("utf-8"), compresslevel=4, mtime=0)
    return DataFile(path, f'torr.packed({_literal(path)},"{base64.b64encode(raw).decode("ascii")}");\n')


def embedded(value: Any) -> Markup:
    """A value as JSON for a ``<script type="application/json">`` in a page."""
    return Markup(_literal(value))  # noqa: S704 - no character of it ends the element or begins another


def _literal(value: Any) -> str:
    """JSON that is also a literal of JavaScript, and holds nothing that HTML would read as its own."""
    return _json(value).translate(_ESCAPED)


_CONTROLS = re.compile(r"\\[bfru]")
"""Characters that are none to look at, as JSON writes them."""


def _json(value: Any) -> str:
    text = _dumped(value)
    # most values hold nothing that is to be shown otherwise, and to go through all their texts takes long
    plain = (text.isascii() and "\x7f" not in text) or visible(text) == text
    return text if plain and not _CONTROLS.search(text) else _dumped(_shown(value))


def _dumped(value: Any) -> str:
    """JSON by pydantic, three times as fast as Python's own."""
    with suppress(ValueError):  # of broken text, and NaN may be a number: Python decides
        text = to_json(value).decode()
        if "NaN" not in text and "Infinity" not in text:
            return text
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _shown(value: Any) -> Any:
    """Texts as :func:`visible` shows them, wherever they stand."""
    if isinstance(value, str):
        return str(visible(value))
    if isinstance(value, dict):
        return {str(visible(str(key))): _shown(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(inner) for inner in value]
    return value
