"""Groups of commands that plugins bring, found without loading anything else of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ..cli.results import results_apart
from .checks import Named
from .found import Found, found, object_of


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group of commands, ``torr NAME ...``.

    Attributes:
        name: as it is typed.
        target: ``"package.module:app"``, a Typer app; imported when one of its commands is asked for.
        help: one line for ``torr --help``.
    """

    name: str
    target: str
    help: str = ""


@cache
def command_groups() -> dict[str, tuple[CommandGroup, str]]:
    """The groups by name, each with the plugin that brings it; what is wrong with a plugin is said elsewhere.

    Of two groups with one name the first plugin's counts.
    """
    groups: dict[str, tuple[CommandGroup, str]] = {}
    with results_apart():  # what a plugin prints is no result of its commands
        for each in found():
            for name, group in _groups_of(each):
                groups.setdefault(name, (group, each.name))
    return groups


def _groups_of(each: Found) -> Named:
    from .hooks import returned
    from .seams import group_of

    try:
        given = returned(object_of(each), each.name, ("torr_commands",)).get("torr_commands", ())
        return group_of(given, "torr_commands")
    except KeyboardInterrupt:
        raise
    except BaseException:  # load() says it, to every command
        return []
