"""What the prompts stage needs of a configuration, which a stage above defines."""

from __future__ import annotations

from typing import Protocol


class Configured(Protocol):
    """What of a configuration decides a prompt; :class:`torr_plugin.recipes.Configuration` has it."""

    @property
    def serializer(self) -> str:
        """A serializer's name."""

    @property
    def perturbation(self) -> str:
        """A perturbation's name."""

    @property
    def design(self) -> str:
        """A design's name."""

    @property
    def id(self) -> str:
        """The three joined by ``/``."""
