"""One thing that was looked at, and all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["good", "optional", "wrong"]
"""``optional``: not there, and needed by nothing that was asked for. ``wrong``: to be mended."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what it is.
        state: how it stands.
        found: what is there, in few words.
        advice: how to mend it; empty where nothing is to be done.
    """

    name: str
    state: State
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Findings by part: ``versions``, ``extras``, ``data``, ``machine``, ``plugins``."""

    parts: Mapping[str, tuple[Finding, ...]]

    @property
    def wrong(self) -> list[Finding]:
        """What has to be mended."""
        return [each for part in self.parts.values() for each in part if each.state == "wrong"]

    def as_dict(self) -> dict[str, Any]:
        """The report as ``torr doctor --json`` prints it."""
        return {
            "good": not self.wrong,
            **{
                part: [
                    {"name": each.name, "state": each.state, "found": each.found, "advice": each.advice}
                    for each in found
                ]
                for part, found in self.parts.items()
            },
        }
