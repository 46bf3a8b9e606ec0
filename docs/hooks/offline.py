"""Refuses a page that would load anything from a network: the site is read without one."""

from __future__ import annotations

import re
from typing import Any

LOADED = re.compile(
    r"<(?:script|link|img|iframe|source|video|audio)\b[^>]*?"
    r"\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)"
)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Look through a page's HTML.

    Raises:
        PluginError: it loads a script, a style, a picture or a frame from elsewhere.
    """
    from mkdocs.exceptions import PluginError

    if loaded := loaded_from_elsewhere(output):
        raise PluginError(f"{page.file.src_uri}: loads {loaded[0]}; expected a copy of it in docs/assets")
    return output


def loaded_from_elsewhere(html: str) -> list[str]:
    """The addresses from which a browser would load a part of the page; links are not loaded."""
    return LOADED.findall(html)
