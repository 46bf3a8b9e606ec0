"""Makes the cards live in unitxt."""

from __future__ import annotations

from .undisturbed import undisturbed


def register() -> None:
    """Register the project's catalog with unitxt.

    It has ``cards.*`` of all card folders, ``tasks.torr.*`` and ``metrics.torr.*``. Registering again does
    nothing. Importing unitxt seeds the global random generator and may change the environment; both are put
    back.
    """
    with undisturbed():
        from unitxt.artifact import Catalogs

        from .unitxt_artifacts import TorrCatalog

        if not any(isinstance(catalog, TorrCatalog) for catalog in Catalogs().catalogs):
            Catalogs().register(TorrCatalog())
