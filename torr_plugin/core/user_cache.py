"""The user's cache folder, for files that can be made again."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def user_cache() -> Path:
    """The project's cache folder; it may not exist or be writable."""
    return platformdirs.user_cache_path("torr-plugin", appauthor=False)
