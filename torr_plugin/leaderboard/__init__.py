"""Publishes studies: run directories (or scores files) in, a static site out.

The site needs no server and no network: ``index.html`` opens from the disk. Templates, style and script are
the files in the top-level folder ``leaderboard/``; the modules here turn figures into what the templates
show. Everything that came from a model or a user is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .site import build_site as build_site
    from .site import check_site_folder as check_site_folder

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
