"""The keys of one model's requests."""

from __future__ import annotations

from collections.abc import Sequence

from ..store.keyset import KeySet


class AskedKeys:
    """The planned keys, which all models of a run share, and those that follow from one model's answers.

    Args:
        planned: held as it is, not copied.
    """

    def __init__(self, planned: KeySet) -> None:
        self._planned, self._later = planned, KeySet()

    def __len__(self) -> int:
        return len(self._planned) + len(self._later)

    def add(self, keys: Sequence[str]) -> None:
        """Take keys of requests that follow from answers; a planned one is none of them."""
        known = self._planned.contained(keys)
        self._later.add(key for key, planned in zip(keys, known, strict=True) if not planned)

    def common(self, other: KeySet) -> int:
        """How many of them another set has."""
        return self._planned.common(other) + self._later.common(other)
