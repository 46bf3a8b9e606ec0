"""What can be wrong with a table, a name or a text; each error is one clear line."""

from __future__ import annotations

from collections.abc import Iterable


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
    import difflib

    options = sorted(known)
    lowered = {option.lower(): option for option in options}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=most, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(repr(lowered[match]) for match in close) + "?"
    shown = ", ".join(options[:12]) + (f", ... ({len(options)} in all)" if len(options) > 12 else "")
    return f"expected one of: {shown}" if options else "none is registered"
