"""The studies inside unitxt: recipes, serializers, augmentors, metrics and engines, made by name.

In: a name such as ``recipes.torr.wikitq.html.transpose``. Out: unitxt's artifact, whose prompts, references
and scores are those of ``torr run``. ``python -m torr_plugin.integrations.unitxt`` is unitxt's own command
with this catalog and the embedded models.
"""

from __future__ import annotations

from ...catalog import preserved_global_state

__all__ = ["register"]


def register(override: bool = False) -> None:
    """Register the project's catalog with unitxt.

    Registering again changes ``override`` and nothing else. Importing unitxt seeds the global random
    generator and may change the environment; both are put back.

    Args:
        override: whether ``cards.wikitq`` and the other names that both catalogs have are our cards. By
            default they stay unitxt's, on whose fields its published recipes build; ours is
            ``cards.torr.wikitq`` either way.
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
