"""One of several views of the same thing, by choice; without script all are read one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Panel(Generic[T]):
    """A view: ``value`` is its name in the address and ``label`` in the choice; ``chosen`` at first."""

    value: str
    label: str
    chosen: bool
    content: T


def panels(named: Iterable[tuple[str, str, T]]) -> tuple[Panel[T], ...]:
    """Panels of (value, label, content), the first of them chosen."""
    return tuple(
        Panel(value, label, place == 0, content) for place, (value, label, content) in enumerate(named)
    )
