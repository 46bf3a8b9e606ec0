"""Random generators seeded by their purpose, so that results do not depend on machine or order."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def seed(study: int, *names: str) -> int:
    """A 128-bit seed from the study's seed and a path of names: ``(7, "wikitq", "nu-0", "shuffle_rows")``."""
    text = "\x1f".join([str(study), *names])
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], "big")


def generator(study: int, *names: str) -> np.random.Generator:
    """A generator for one purpose; equal arguments give equal streams."""
    import numpy as np  # every package imports this module, and few of them need a generator

    return np.random.Generator(np.random.PCG64(seed(study, *names)))
