"""Themes: a style sheet over the site's own, and a logo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.atomic_files import read_text
from ..core.errors import RunError, nearest
from ..core.versions import shipped_folder
from .files import DataFile

CSS, LOGO = "theme.css", "logo.svg"
_MOST_BYTES = 500_000

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_FETCHES = re.compile(
    r"@import|@font-face|\burl\((?!\s*[\"']?data:image/)[^)]{0,60}|image-set\(", re.IGNORECASE
)


@dataclass(frozen=True)
class Theme:
    """How a site looks beside its own style.

    Attributes:
        css: a style sheet that comes after the site's own; it may set its tokens anew. "" for none.
        logo: an SVG picture for the header; "" for none.
    """

    css: str = ""
    logo: str = ""


def theme_names() -> list[str]:
    """The themes that come with the package."""
    return sorted(path.parent.name for path in (shipped_folder("leaderboard") / "themes").glob(f"*/{CSS}"))


def find_theme(name: str | Path) -> Theme:
    """A theme.

    Args:
        name: of a bundled one, or the path of a folder with ``theme.css``, ``logo.svg`` or both,
            or of a CSS file.

    Raises:
        RunError: there is no such theme, a file of it cannot be read, or its style would fetch something.
    """
    path = Path(name)
    if str(name) in theme_names():
        return _of_folder(shipped_folder("leaderboard") / "themes" / str(name))
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError:  # too long for a name of a file, say
        is_folder = is_file = False
    if is_folder:
        return _of_folder(path)
    if is_file:
        if path.suffix.lower() != ".css":
            raise RunError(f"{path}: theme: found a file *{path.suffix}; expected a CSS file or a folder")
        return Theme(css=_style(path))
    raise RunError(
        f"theme: found {str(name)!r}, which is neither a bundled theme nor a folder or CSS file; "
        f"{nearest(str(name), theme_names())}"
    )


def theme_files(theme: Theme) -> Iterator[DataFile]:
    """What a theme adds to the site's assets."""
    if theme.css:
        yield DataFile(f"assets/{CSS}", theme.css)
    if theme.logo:
        yield DataFile(f"assets/{LOGO}", theme.logo)


def _of_folder(path: Path) -> Theme:
    css, logo = path / CSS, path / LOGO
    if not (css.is_file() or logo.is_file()):
        raise RunError(f"{path}: theme: the folder has neither {CSS} nor {LOGO}; expected one")
    return Theme(_style(css) if css.is_file() else "", _text(logo) if logo.is_file() else "")


def _style(path: Path) -> str:
    """The style sheet; refuses one that fetches anything, as the pages' policy would block that."""
    text = _text(path)
    plain = _COMMENT.sub(" ", text)
    found = _FETCHES.search(plain)
    if found:
        line = plain.count("\n", 0, found.start()) + 1
        raise RunError(
            f"{path}: found {' '.join(found[0].split())!r} (line {line} without its comments); "
            "expected a style that fetches nothing: no @import, no @font-face, url() of data:image/ only"
        )
    return text


def _text(path: Path) -> str:
    return read_text(path, _MOST_BYTES, lambda wrong: RunError(f"{path}: {wrong}"))


@dataclass(frozen=True)
class SiteText:
    """Plain texts, each "" where it is not set; templates see them as ``site``.

    Attributes:
        title: of the site, above the list of several studies, or in the header of one.
        lead: a sentence or two below it.
        contact: an address for questions.
        citation: how the site wants to be cited.
        address: where the site is published, with a slash at its end.
        studies: run directory or scores file -> title of its study.
        descriptions: likewise, what it is.
    """

    title: str = ""
    lead: str = ""
    contact: str = ""
    citation: str = ""
    address: str = ""
    studies: Mapping[Path, str] = field(default_factory=dict)
    descriptions: Mapping[Path, str] = field(default_factory=dict)

    def title_of(self, run: Path) -> str:
        """The title of a run, by whatever path it is named; "" where it has none."""
        return _of(self.studies, run)

    def description_of(self, run: Path) -> str:
        """The description of a run, likewise."""
        return _of(self.descriptions, run)


def _of(texts: Mapping[Path, str], run: Path) -> str:
    wanted = run.resolve()
    return next((text for path, text in texts.items() if path.resolve() == wanted), "")
