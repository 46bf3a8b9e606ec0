"""The fonts of charts: vl-convert's own Liberation Sans, and the system's for letters that it lacks.

vl-convert opens a system font's file anew for each letter, and prefers the system's Liberation Sans to its
own, which is in memory: drawing then takes three to four times as long, and looks as that copy does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from tempfile import TemporaryDirectory

SYSTEM = Path("/etc/fonts/fonts.conf")
"""Names the folders of fonts, on systems with fontconfig."""

_CHOSEN = "FONTCONFIG_FILE"
_OWN = "LiberationSans-"
_ENDINGS = (".ttf", ".otf", ".ttc", ".otc")
_USUAL = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_FOLDER = re.compile(r"<dir([^>]*)>\s*([^<]+?)\s*</dir>")


@contextmanager
def own_fonts_first(system: Path = SYSTEM) -> Iterator[None]:
    """Hide the system's Liberation Sans from a library that first reads fontconfig's files within the body.

    Nothing is hidden where the user names a file of fontconfig's, or the fonts cannot be gone through.

    Args:
        system: fontconfig's file, which need not be there.
    """
    with TemporaryDirectory(prefix="torr-", ignore_cleanup_errors=True) as made:
        file = None if _CHOSEN in os.environ else _without_own(Path(made), system)
        if file is None:
            yield
            return
        os.environ[_CHOSEN] = str(file)
        try:
            yield
        finally:
            os.environ.pop(_CHOSEN, None)


def _without_own(made: Path, system: Path) -> Path | None:
    """A file of fontconfig's, in ``made``, without Liberation Sans; None where the system lacks it."""
    try:
        fonts = [path for folder in _folders(system) for path in _fonts(folder)]
        others = [path for path in fonts if not path.name.startswith(_OWN)]
        if len(others) == len(fonts):
            return None
        for number, path in enumerate(others):
            (made / f"{number}{path.suffix}").symlink_to(path)
        included, file = escape(str(system.parent / "conf.d")), made / "fonts.conf"
        folders = f'<dir>{escape(str(made))}</dir><include ignore_missing="yes">{included}</include>'
        file.write_text(f"<fontconfig>{folders}</fontconfig>\n", encoding="utf-8")
    except OSError:
        return None
    return file


def _fonts(folder: Path) -> Iterator[Path]:
    """The fonts in a folder and those in it, and linked folders, which are not entered."""
    for place, folders, files in os.walk(folder):
        yield from (path for name in folders if (path := Path(place, name)).is_symlink())
        yield from (path for name in files if (path := Path(place, name)).suffix.lower() in _ENDINGS)


def _folders(system: Path) -> list[Path]:
    """The folders of fonts that a file of fontconfig's names, or those that are usual."""
    try:
        text = system.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return [Path(os.path.expanduser(each)) for each in _USUAL]
    at_home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    named = [
        (at_home if "xdg" in how else system.parent, unescape(name))
        for how, name in _FOLDER.findall(_COMMENT.sub("", text))
    ]
    return [Path(*map(os.path.expanduser, parts)) for parts in named]
