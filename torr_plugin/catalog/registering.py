"""Makes the cards live in unitxt."""

from __future__ import annotations

from .undisturbed import undisturbed


def register(override: bool = True) -> None:
    """Register the project's catalog with unitxt.

    It has ``cards.*`` of all card folders, ``tasks.torr.*`` and ``metrics.torr.*``;
    :func:`torr_plugin.register` adds what the later stages have. Registering again changes ``override`` and
    nothing else. Importing unitxt seeds the global random generator and may change the environment; both are
    put back.

    Args:
        override: our cards stand before unitxt's of the same name (``cards.wikitq``), for they can be read
            from a mirror and give what our studies ask. False: what unitxt's own catalog has stays unitxt's;
            ours is ``cards.torr.wikitq`` either way.
    """
    with undisturbed():
        from unitxt.artifact import Catalogs

        from .unitxt_catalog import TorrCatalog

        ours = [catalog for catalog in Catalogs().catalogs if isinstance(catalog, TorrCatalog)]
        if not ours:
            ours = [TorrCatalog()]
            Catalogs().register(ours[0])
        for catalog in ours:
            catalog.override = override
