"""The studies inside unitxt: recipes, serializers, augmentors, metrics and engines, made by name.

In: a name such as ``recipes.torr.wikitq.html.transpose``. Out: unitxt's artifact, whose prompts, references
and scores are those of ``torr run``. ``python -m torr_plugin.integrations.unitxt`` is unitxt's own command
with this catalog and the embedded models.
"""

from __future__ import annotations

from ...catalog import preserved_global_state

__all__ = ["register"]


def register() -> None:
    """Register the project's catalog with unitxt; again changes nothing.

    What unitxt has keeps its names: of a card that both have, ours is ``cards.torr.NAME``. Importing unitxt
    seeds the global random generator and may change the environment; both are put back.
    """
    with preserved_global_state():
        from unitxt.artifact import Catalogs

        from .catalog import TorrCatalog

        if not any(isinstance(catalog, TorrCatalog) for catalog in Catalogs().catalogs):
            Catalogs().register(TorrCatalog())
