"""What the tests of tables share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import numpy as np


@pytest.fixture(scope="module")
def rng() -> np.random.Generator:
    """A generator for perturbations whose result does not depend on it."""
    import numpy as np

    return np.random.default_rng(0)
