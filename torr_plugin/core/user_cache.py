"""Where the user's system keeps what can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """The project's folder there; it may not exist, and may not be writable."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        return Path(named) / "torr-plugin"
    home = Path(os.path.expanduser("~"))  # Path.home raises where there is none
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "torr-plugin"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "torr-plugin" / "Cache"
    return home / ".cache" / "torr-plugin"
