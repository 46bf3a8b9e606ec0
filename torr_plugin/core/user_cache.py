"""The user's cache: the folder for what can be made again."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def user_cache() -> Path:
    """The project's folder there; it may not exist, and may not be writable."""
    return platformdirs.user_cache_path("torr-plugin", appauthor=False)
