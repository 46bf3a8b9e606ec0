"""A run on disk: requests, answers, frames, the manifest, the lock; written so that a kill loses nothing.

:class:`.run.Run` is the whole; ``shards`` and ``atomic`` are how files are written, ``predictions`` and
``requests`` what is in them, ``study`` the manifest, ``lock`` who may write.
"""

from .run import Run

__all__ = ["Run"]
