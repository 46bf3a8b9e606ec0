"""Puts the catalog into unitxt, with what the stages after ``catalog`` bring."""

from __future__ import annotations

from ... import catalog


def register(override: bool = True) -> None:
    """Register everything with unitxt; registering again changes ``override`` and nothing else.

    Args:
        override: as :func:`torr_plugin.catalog.register`.
    """
    catalog.register(override)
    with catalog.undisturbed():
        from ...catalog.unitxt_catalog import add_maker
        from .makers import MAKERS

        for maker in MAKERS:
            add_maker(maker)
