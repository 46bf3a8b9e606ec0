"""The card that tests of scoring have."""

from ...scoring.conftest import card

__all__ = ["card"]
