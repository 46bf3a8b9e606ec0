"""Names of array types, and how exactly figures are compared."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]

ROUNDING = 12
"""Decimals of all figures and bounds: what lies below is rounding error, and must not tell models apart."""
