"""The studies inside unitxt: recipes, serializers, augmentors, metrics and engines, made by name.

In: a name such as ``recipes.torr.wikitq.html.transpose``. Out: unitxt's artifact, whose prompts, references
and scores are those of ``torr run``. ``python -m torr_plugin.integrations.unitxt`` is unitxt's own command
with this catalog and the embedded models.
"""

from __future__ import annotations

from ...catalog import preserved_global_state

__all__ = ["register"]


def register(override: bool = True) -> None:
    """Register the project's catalog with unitxt.

    Registering again changes ``override`` and nothing else. Importing unitxt seeds the global random
    generator and may change the environment; both are put back.

    Args:
        override: our cards stand before unitxt's of the same name (``cards.wikitq``), for they can be read
            from a mirror and give what our studies ask. False: what unitxt's own catalog has stays unitxt's;
            ours is ``cards.torr.wikitq`` either way.
    """
    with preserved_global_state():
        from unitxt.artifact import Catalogs

        from .catalog import TorrCatalog

        ours = [catalog for catalog in Catalogs().catalogs if isinstance(catalog, TorrCatalog)]
        if not ours:
            ours = [TorrCatalog()]
            Catalogs().register(ours[0])
        for catalog in ours:
            catalog.override = override
