"""The errors of the stages above ``tables``; all are one clear line, all end a command with exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .tables.errors import InputError, UnknownNameError, nearest

__all__ = [
    "CardError",
    "DataError",
    "EngineBrokenError",
    "InputError",
    "ModelError",
    "PluginError",
    "PredictionsError",
    "RecipeError",
    "RunError",
    "ServerLostError",
    "UnknownNameError",
    "blamed",
    "described",
    "nearest",
]

OWN = "torr-plugin"
"""The origin of what is no plugin's."""


class CardError(InputError):
    """A card that cannot be read: file, field, what was found, what is expected."""


class DataError(InputError):
    """Data that a card cannot be read from: a split or a column is missing, a table is malformed."""


class RecipeError(InputError):
    """A recipe that cannot be run: file, line, field, what was found, what is expected."""


class RunError(InputError):
    """A run directory that cannot be used: another study's, unwritable, damaged."""


class ModelError(InputError):
    """A model that cannot be loaded: unknown, or its package is not installed."""


class EngineBrokenError(ModelError):
    """A loaded model whose engine broke while it answered; what it answered before is kept."""


class ServerLostError(EngineBrokenError):
    """A server is gone, or refuses or fails all requests: asking from another process would not help."""


class PredictionsError(InputError):
    """A predictions or scores file that does not fit: a missing column, unknown or duplicate examples."""


class PluginError(InputError):
    """A plugin that cannot be used, or whose code failed: the message names it."""


@contextmanager
def blamed(kind: str, name: str, origin: str) -> Iterator[None]:
    """Within it, whatever a plugin's code raises becomes one line that names the plugin.

    Errors that are one line already go through, and so do those of our own code, which are ours to mend.

    Args:
        kind: what the code is, e.g. ``serializer``.
        name: its name.
        origin: the plugin that brought it; ``OWN`` for what is no plugin's.

    Raises:
        PluginError: what the code raised, with kind, name and plugin.
    """
    try:
        yield
    except (InputError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # a third party's code may raise anything, or end the process
        if origin == OWN:
            raise
        raise PluginError(f"{kind} {name!r} of plugin {origin!r} failed: {described(error)}") from error


def described(error: BaseException, most: int = 200) -> str:
    """What a third party's code raised, as one bounded line: its kind and what it says, if it can."""
    kind = type(error).__name__
    try:
        said = " ".join(str(error).split())[:most]
    except Exception:  # its own __str__ may fail too
        return kind
    return f"{kind}: {said}" if said else kind
