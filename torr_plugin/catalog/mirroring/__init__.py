"""Mirrors of the cards' data, for machines without a network: making one, and checking one.

In: cards and a folder. Out: ``FOLDER/<mirror>/<split>.parquet``, for ``TORR_DATA``, and a manifest beside the
files of each data set; or a report of good, missing and broken files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .manifest import MANIFEST as MANIFEST
    from .manifest import MirrorFile as MirrorFile
    from .manifest import mirrored as mirrored
    from .manifest import wanted_files as wanted_files
    from .pulling import Pulled as Pulled
    from .pulling import pull as pull
    from .verifying import Verified as Verified
    from .verifying import verify as verify

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".manifest": ["MANIFEST", "MirrorFile", "mirrored", "wanted_files"],
        ".pulling": ["Pulled", "pull"],
        ".verifying": ["Verified", "verify"],
    },
)
