"""Generators seeded by what they are for, so that a run is the same on any machine and in any order."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def seed(study: int, *names: str) -> int:
    """128 bits from the study's seed and a path of names, e.g. ``(7, "wikitq", "nu-0", "shuffle_rows")``."""
    text = "\x1f".join([str(study), *names])
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], "big")


def generator(study: int, *names: str) -> np.random.Generator:
    """A generator for one use; equal arguments give equal streams."""
    import numpy as np  # here, as all packages import this module and few of them draw

    return np.random.Generator(np.random.PCG64(seed(study, *names)))
