"""A mistyped line of a command, told in one line, whichever version of typer or click saw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def usage_line(error: Exception, args: Sequence[str]) -> str | None:
    """What is wrong with a line, and where its options are explained; None for an error of another kind.

    Args:
        error: what typer raised.
        args: the line, without the program.
    """
    if not hasattr(error, "format_message"):
        return None
    context = getattr(error, "ctx", None)  # not of every error that the parser finds
    program = " ".join(["torr", *args[:1]]) if context is None else context.command_path
    return f"torr: {_wrong(error, args)} ({program} --help)"


def asks_for_help(error: Exception) -> bool:
    """Whether a line was left empty where one is expected, which shows the help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def _wrong(error: Any, args: Sequence[str]) -> str:
    possible = getattr(error, "possibilities", None)
    if getattr(error, "option_name", None) and possible:
        return f"no such option: {error.option_name}; did you mean {' or '.join(sorted(possible))}?"
    names = getattr(getattr(error, "param", None), "opts", None)
    if names and error.message and any(name.startswith("-") for name in names):
        said = _lowered(error.message.removeprefix("Value error, "))
        found = _found(names, args)
        told = "" if found is None or found in said else f"found {found!r}; "
        return f"{max(names, key=len)}: {told}{said}"
    return _lowered(error.format_message().replace(". Did you", "; did you"))


def _found(names: Sequence[str], args: Sequence[str]) -> str | None:
    """What stands behind an option, where it stands on the line last."""
    found = None
    for place, arg in enumerate(args):
        name, equals, value = arg.partition("=")
        if name in names:
            found = value if equals else args[place + 1] if place + 1 < len(args) else None
    return found


def _lowered(text: str) -> str:
    """A sentence as the part of another one."""
    return f"{text[:1].lower()}{text[1:]}".rstrip().removesuffix(".")
