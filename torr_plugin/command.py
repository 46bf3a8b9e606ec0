"""What every command line of the project shares: exit codes, one line for an error, JSON on stdout."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from typing import Any, ParamSpec

import typer

P = ParamSpec("P")

INPUT_WRONG = 2
INTERRUPTED = 130
INTERNAL_ERROR = 70


class _Settings:
    debug = False


def command_app(help_text: str) -> typer.Typer:
    """A typer application with the project's settings."""
    return typer.Typer(
        help=help_text,
        epilog="--debug, anywhere on the line, shows the traceback of an error.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def emit(result: Any) -> None:
    """Print a result as one JSON object on stdout; what is not a number becomes null."""
    json.dump(result, sys.stdout, ensure_ascii=False, allow_nan=False, default=str)
    sys.stdout.write("\n")


def say(text: str) -> None:
    """One line on stderr, with nothing in it that could drive a terminal."""
    line = " ".join(text.split())
    sys.stderr.write("".join(char if char.isprintable() else "?" for char in line) + "\n")


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """Turn a command's outcome into an exit code and its errors into one line; ``--debug`` shows tracebacks.

    A command returns 0 (done) or 1 (done, with failed requests). Wrong input ends with 2, Ctrl-C with 130, an
    error of our own with 70.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            _load_plugins()
            code = command(*args, **kwargs)
        except KeyboardInterrupt as stop:
            say(f"torr: interrupted{f'; {stop}' if str(stop) else ''}; resume with the same command")
            code = INTERRUPTED
        except Exception as error:
            if _Settings.debug:
                raise
            code = _report(error)
        raise typer.Exit(code)

    return wrapped


def run_app(app: typer.Typer) -> None:
    """Run a command line; ``--debug`` may stand anywhere in it."""
    args = sys.argv[1:]
    _Settings.debug = "--debug" in args
    app(args=[arg for arg in args if arg != "--debug"])


def _load_plugins() -> None:
    from . import plugins

    for plugin in plugins.load():
        if plugin.problem:
            say(f"torr: {plugin.problem}")


def _report(error: Exception) -> int:
    if _is_input_error(error):
        say(f"torr: {error}")
        return INPUT_WRONG
    if isinstance(error, OSError):
        say(f"torr: {error.filename or 'a file'}: {error.strerror or error}")
        return INPUT_WRONG
    say(f"torr: internal error: {type(error).__name__}: {error} (--debug shows the traceback)")
    return INTERNAL_ERROR


def _is_input_error(error: Exception) -> bool:
    from .tables.errors import InputError

    if isinstance(error, InputError):
        return True
    analysis = sys.modules.get("torr_plugin.analysis.errors")
    return analysis is not None and isinstance(error, analysis.AnalysisError)
