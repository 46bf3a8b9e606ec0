"""Errors that a user's input can cause: each is one clear line and ends a command with exit code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """The user's input is wrong; the message is one line: where, what was found, what is expected.

    Base class of every error that a user's input can cause. The command line prints it and exits with 2.
    """


class TableError(InputError):
    """An invalid table: no rows, rows of different lengths, overlapping spans, no header."""


class SerializationError(TableError):
    """The format cannot hold this table, or cannot be parsed back."""


class ParseError(TableError):
    """The text is not a table in this format."""


class UnknownNameError(InputError, LookupError):
    """A name that is not registered; the message suggests the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        place = f"{where}: " if where else ""
        super().__init__(f"{place}unknown {kind} {name!r}; {nearest(name, self.known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a message: ``did you mean 'html'?``, or the known names where none is close."""
    options = sorted(known)
    lowered = {option.lower(): option for option in options}
    close = [option for option in lowered if option.endswith(f".{name.lower()}")][:3]
    close = close or difflib.get_close_matches(name.lower(), list(lowered), cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(repr(lowered[match]) for match in close) + "?"
    shown = ", ".join(options[:12]) + (f", ... ({len(options)} in all)" if len(options) > 12 else "")
    return f"expected one of: {shown}" if options else "none is registered"


def counted(number: int | str, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 score``, ``2,000 scores``; of ``7 to 35``, the plural."""
    text = f"{number:,}" if isinstance(number, int) else number
    return f"{text} {noun if text == '1' else plural or noun + 's'}"


def elided(text: str, most: int) -> str:
    """A text in at most so many characters; an ellipsis stands for the end that does not fit."""
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


NOT_UTF8 = "not UTF-8; save it as UTF-8, which spreadsheet programs call 'CSV UTF-8'"
"""Why a file of text cannot be read, and what to do about it."""

OWN = "torr-plugin"
"""The origin of everything that comes with this package rather than with a plugin."""


class CardError(InputError):
    """A card that cannot be read: file, field, what was found, what is expected."""


class DataError(InputError):
    """Data that a card cannot be read from: a split or a column is missing, a table is malformed."""


class RecipeError(InputError):
    """A recipe that cannot run: file, line, field, what was found, what is expected."""


class RunError(InputError):
    """A run directory that cannot be used: it belongs to another study, is not writable or is damaged."""


class ModelError(InputError):
    """A model that cannot be loaded: unknown, or its package is not installed."""


class EngineBrokenError(ModelError):
    """A loaded model's engine failed while answering; earlier answers are kept."""


class ServerLostError(EngineBrokenError):
    """A server is gone or fails every request, so that retrying from another process would not help."""


class PredictionsError(InputError):
    """A predictions or scores file that does not fit: a missing column, unknown or duplicate examples."""


class SandboxError(InputError):
    """Programs that models write cannot be contained here: a package or namespaces are missing."""


class PluginError(InputError):
    """A plugin that cannot be used, or whose code raised an error; the message names it."""


def described(error: BaseException, most: int = 500) -> str:
    """An error of third-party code as one line of bounded length: its class and its message, if any."""
    kind = type(error).__name__
    try:
        message = " ".join(str(error).split())[:most]
    except Exception:  # its own __str__ may fail too
        return kind
    return f"{kind}: {message}" if message else kind
