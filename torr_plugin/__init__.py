"""torr-plugin: how well language models read tables, how robustly, and which differences are real.

A study flows one way, a package a stage: ``catalog`` (cards) -> ``tables`` -> ``prompts`` -> ``recipes``
(plans) -> ``running`` (predictions) -> ``scoring`` -> ``analysis`` -> ``leaderboard``. Importing this package
does nothing.
"""

from .core.registry import Papers

__version__ = "0.1.0"


def _load_papers(hook: str) -> None:
    from .plugins.loading import load_papers

    load_papers(hook)


Papers.load = _load_papers


def register() -> None:
    """Make the project, and all that plugins bring, known to unitxt; ``docs/harnesses.md`` has it.

    No name of unitxt's own catalog means anything else than before. Registering again does nothing. A plugin
    that fails is warned of; the rest works.
    """
    import warnings

    from . import plugins
    from .integrations.unitxt import register as register_with_unitxt

    for plugin in plugins.load():
        if plugin.problem is not None:
            warnings.warn(plugin.problem, stacklevel=2)
    register_with_unitxt()
