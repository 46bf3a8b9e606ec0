"""What a check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

IssueLevel = Literal["error", "warning", "note"]
ISSUE_LEVELS: tuple[IssueLevel, ...] = ("error", "warning", "note")
_NAMED = 3


@dataclass(frozen=True)
class PublishingIssue:
    """One thing that a reader of the site should not have to find out.

    Attributes:
        level: ``error``: do not publish so; ``warning``: publish knowingly; ``note``: more could be said.
        check: which check found it, a short name that stays.
        where: file and field.
        what: what was found.
        advice: what to do about it.
    """

    level: IssueLevel
    check: str
    where: str
    what: str
    advice: str

    def as_dict(self) -> dict[str, str]:
        """The finding as plain data."""
        return asdict(self)


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 score``, ``2 scores``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
