"""torr-plugin: how well language models read tables, how robustly, and which differences are real.

A study flows one way, a package a stage: ``catalog`` (cards) -> ``tables`` -> ``prompts`` -> ``recipes``
(plans) -> ``running`` (predictions) -> ``scoring`` -> ``analysis`` -> ``leaderboard``. Importing this package
does nothing.
"""

__version__ = "0.1.0"
