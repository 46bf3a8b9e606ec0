"""The studies inside unitxt: recipes, serializers, augmentors and engines, made on the fly by name.

In: a name such as ``recipes.torr.wikitq.html.transpose``. Out: unitxt's artifact, whose prompts, references
and scores are those of ``torr run``. ``python -m torr_plugin.integrations.unitxt`` is unitxt's own command
with this catalog and the embedded models.
"""

from .registering import register

__all__ = ["register"]
