"""Errors that a user's input can cause: each is one clear line and ends a command with exit code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """The input is wrong: the message is one line that says where, what was found and what is expected.

    Every error that a user's input can cause derives from this class; the command line prints it and exits
    with 2.
    """


class TableError(InputError):
    """A table that cannot be: no rows, rows of different lengths, spans that overlap, no header."""


class SerializationError(TableError):
    """A format that cannot hold this table, or a dialect that has no inverse."""


class ParseError(TableError):
    """A text that is not a table in this format."""


class UnknownNameError(InputError, LookupError):
    """A name that is not registered; the message gives the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        place = f"{where}: " if where else ""
        super().__init__(f"{place}unknown {kind} {name!r}; {nearest(name, self.known)}")


def nearest(name: str, known: Iterable[str], most: int = 3) -> str:
    """The known names closest to ``name`` in words: ``did you mean 'html'?`` or the list of what there is."""
    options = sorted(known)
    lowered = {option.lower(): option for option in options}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=most, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(repr(lowered[match]) for match in close) + "?"
    shown = ", ".join(options[:12]) + (f", ... ({len(options)} in all)" if len(options) > 12 else "")
    return f"expected one of: {shown}" if options else "none is registered"


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
