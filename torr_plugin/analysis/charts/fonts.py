"""The fonts of charts: vl-convert's own Liberation Sans, and the system's for what that one cannot write.

Of the system's fonts vl-convert opens the file anew for each letter, and it prefers their copy of Liberation
Sans to its own, which is in memory: charts would take four times as long, and look as that copy does.
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
_LIBERATION = "Liberation"
_FOLDER = re.compile(r"<dir([^>]*)>([^<]+)</dir>")
_ENDINGS = (".ttf", ".otf", ".ttc", ".otc")


@contextmanager
def own_fonts_first(system: Path = SYSTEM) -> Iterator[None]:
    """Hide the system's Liberation fonts from a library that reads fontconfig's files within the body.

    Nothing is hidden where they share a folder with others, or the user names a file of fontconfig's.

    Args:
        system: fontconfig's file, which need not be there.
    """
    folders = [] if _CHOSEN in os.environ else _folders(system)
    others = [each for folder in folders for each in without_liberation(folder)]
    if others == folders:
        yield
        return
    with TemporaryDirectory(prefix="torr-") as made:
        file = Path(made) / "fonts.conf"
        listed = "".join(f"<dir>{escape(str(folder))}</dir>" for folder in (*others, file.parent))
        file.write_text(f'<?xml version="1.0"?>\n<fontconfig>{listed}</fontconfig>\n', encoding="utf-8")
        os.environ[_CHOSEN] = str(file)
        try:
            yield
        finally:
            del os.environ[_CHOSEN]


def without_liberation(folder: Path) -> list[Path]:
    """A folder of fonts; its folders instead, without those of Liberation alone, where it has such."""
    fonts = [path for path in folder.rglob("*") if path.suffix.lower() in _ENDINGS]
    others = [path for path in fonts if not path.name.startswith(_LIBERATION)]
    if len(others) == len(fonts) or any(path.parent == folder for path in others):
        return [folder]
    inner = sorted(path for path in folder.iterdir() if path.is_dir())
    return [each for path in inner for each in without_liberation(path)]


def _folders(system: Path) -> list[Path]:
    try:
        text = system.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    at_home = Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share")
    named = [
        (at_home if 'prefix="xdg"' in how else Path()) / unescape(name.strip())
        for how, name in _FOLDER.findall(text)
    ]
    return [path.expanduser() for path in named]
