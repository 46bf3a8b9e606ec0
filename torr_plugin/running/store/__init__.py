"""A run on disk: requests, answers, results, the manifest, the lock; written so that a kill loses nothing.

:class:`.run.Run` is the whole. ``shards`` are its Parquet files; ``predictions`` and ``requests`` know what
is in them; ``manifest`` is study.yaml; ``lock`` admits one writer.
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .run import Run as Run

__getattr__, __dir__, __all__ = lazy_package(__name__, {".run": ["Run"]})
