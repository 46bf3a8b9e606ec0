"""Mirrors of the cards' data, for machines without a network: making one, and checking one.

In: cards and a folder. Out: ``FOLDER/<mirror>/<split>.parquet`` as ``TORR_DATA`` wants it, with a manifest
beside the files of each data set; or what such a folder has, lacks, and has in pieces.
"""

from .manifest import MANIFEST
from .pulling import Pulled, pull
from .verifying import Verified, verify
from .wanted import Wanted, mirrored, wanted_files

__all__ = ["MANIFEST", "Pulled", "Verified", "Wanted", "mirrored", "pull", "verify", "wanted_files"]
