"""The base of every command line of the project: exit codes, one line for an error, JSON on stdout."""

from __future__ import annotations

import atexit
import dataclasses
import functools
import inspect
import json
import logging
import os
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import wrap
from typing import Any, NoReturn, ParamSpec

import typer
from typer.core import TyperCommand, TyperGroup

from .. import plugins, running
from ..core.atomic_files import check_result_folder
from ..core.errors import InputError
from .results import MOST_COLUMNS, clean, columns, flush_results, results, results_apart

P = ParamSpec("P")

INPUT_WRONG = 2
INTERRUPTED = 130
INTERNAL_ERROR = 70
_ORDER = "torr.order"


class _Settings:
    debug = False
    stopped = False
    ending = False


def debugging() -> bool:
    """Whether the command line has ``--debug``."""
    return _Settings.debug


def command_app(help_text: str, *, cls: type[TyperGroup] | None = None) -> typer.Typer:
    """A typer application with the project's settings; ``cls`` is another class of its group."""
    return typer.Typer(
        cls=cls,
        help=help_text,
        epilog="--debug, anywhere on the line, shows the traceback of an error.",
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


class OrderedCommand(TyperCommand):
    """A command that also records the order in which its options were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and record the name of each option as often as it was given."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = [parameter.name for parameter in given]
        return list(super().parse_args(ctx, args))


def paired(ctx: typer.Context, first: str, second: str) -> list[bool]:
    """Pair two repeatable options of an :class:`OrderedCommand`: which ``first`` has a ``second``.

    Given equally often, they pair up in order; otherwise a ``second`` belongs to the ``first`` before it.

    Raises:
        InputError: a ``second`` without a ``first`` before it.
    """
    given = [name for name in ctx.meta[_ORDER] if name in (first, second)]
    if given.count(first) == given.count(second):
        return [True] * given.count(first)
    follows: list[bool] = []
    for name in given:
        if name == first:
            follows.append(False)
        elif not follows or follows[-1]:
            raise InputError(f"{_option(second)}: expected {_option(first)} before each of them")
        else:
            follows[-1] = True
    return follows


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def emit(result: Any) -> None:
    """Print a result as one JSON object on stdout."""
    stream = results()
    plain = "utf" not in (stream.encoding or "utf-8").lower()  # a terminal that cannot show all signs
    stream.write(json.dumps(result, ensure_ascii=plain, allow_nan=False, default=str) + "\n")


def say(text: str) -> None:
    """Print one line on stderr, without control characters."""
    flush_results()
    if sys.stderr is not None:  # closed by the caller
        sys.stderr.write(f"{clean(text)}\n")


def say_in_columns(*texts: str) -> None:
    """Print long texts on stderr, each wrapped to the terminal and to at most 80 columns.

    A word longer than a line, such as a path, stays whole, so that it can be copied.
    """
    width = min(columns(sys.stderr), MOST_COLUMNS)
    for text in texts:
        for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
            say(line)


def say_error(text: str, mark: str = "torr: ") -> None:
    """Print what is wrong on stderr: wrapped in a terminal, one line elsewhere."""
    in_terminal = sys.stderr is not None and sys.stderr.isatty()
    (say_in_columns if in_terminal else say)(f"{mark}{text}")


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """Turn a command's outcome into an exit code and its errors into one line; ``--debug`` shows tracebacks.

    A command returns 0 (done) or 1 (done, with failed requests). Wrong input ends with 2, Ctrl-C and SIGTERM
    with 130, an error of our own with 70. While models are asked, the first Ctrl-C or SIGTERM
    goes to :func:`torr_plugin.running.stoppable`, which finishes the requests in flight.

    A dataclass among the command's parameters stands for its fields: each is an option that several commands
    share.
    """
    parameters, groups = _parameters(command)

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        with _stoppable():
            try:
                logging.lastResort = _WARNINGS
                with results_apart():
                    load_plugins()
                    code = command(*args, **_grouped(kwargs, groups))
            except KeyboardInterrupt as stop:
                _Settings.ending = True
                code = _interrupted(stop)
            except Exception as error:
                if _Settings.debug:
                    raise
                _Settings.ending = True
                # an interruption within an import, or a function that SQLite calls, becomes another error
                code = _interrupted(None) if _Settings.stopped else _report(error)
        raise typer.Exit(code)

    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
    return wrapped


def _parameters(command: Callable[..., Any]) -> tuple[list[inspect.Parameter], dict[str, type]]:
    """The parameters of a command with those of its dataclasses, and these dataclasses by name."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for each in inspect.signature(command, eval_str=True).parameters.values():
        fields = [each]
        if isinstance(each.annotation, type) and dataclasses.is_dataclass(each.annotation):
            groups[each.name] = each.annotation
            fields = list(inspect.signature(each.annotation, eval_str=True).parameters.values())
        parameters += [field.replace(kind=inspect.Parameter.KEYWORD_ONLY) for field in fields]
    return parameters, groups


def _grouped(values: Mapping[str, Any], groups: Mapping[str, type]) -> dict[str, Any]:
    """The values of a line, those of a dataclass put together in one."""
    left = dict(values)
    found = {
        name: kind(**{field.name: left.pop(field.name) for field in dataclasses.fields(kind)})
        for name, kind in groups.items()
    }
    return {**left, **found}


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let SIGTERM, which schedulers send, end a command as Ctrl-C does; record that either came.

    What comes while the command says how it ended changes nothing, and does not cut it off.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Settings.stopped = _Settings.ending = False
    before = {number: signal.signal(number, _interrupt) for number in _interrupting_signals()}
    try:
        yield
    finally:
        _Settings.ending = True
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _interrupting_signals() -> list[signal.Signals]:
    """SIGTERM, and Ctrl-C unless it is ignored, as by a process in the background of a shell."""
    return [signal.SIGTERM, *[signal.SIGINT] * (signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)]


class _WarningHandler(logging.Handler):
    """Prints warnings as errors, without control characters: they may quote a file or a server."""

    def emit(self, record: logging.LogRecord) -> None:
        say_error(record.getMessage(), mark="")


_WARNINGS = _WarningHandler(logging.WARNING)


def _interrupt(number: int, frame: object) -> None:
    if not _Settings.ending:
        _Settings.stopped = True
        raise KeyboardInterrupt


def end_at_once_when_signalled() -> None:
    """Let Ctrl-C and SIGTERM before a command, or after it, end the process at once, with 130.

    They are ignored while the interpreter shuts down, so that they do not change the exit code.
    """
    for number in _interrupting_signals():
        signal.signal(number, _end_at_once)
        atexit.register(signal.signal, number, signal.SIG_IGN)


def _end_at_once(number: int, frame: object) -> NoReturn:
    with suppress(Exception):  # a stream that is closed, or that this signal interrupted
        sys.stdout.flush()
    os._exit(INTERRUPTED)


def _interrupted(stop: KeyboardInterrupt | None) -> int:
    detail = f"; {stop}" if stop is not None and str(stop) else ""
    say_error(f"interrupted{detail}; resume with the same command")
    return INTERRUPTED


def check_folder(out: Path) -> None:
    """Check before the work that the folder for its result can be made, and written to.

    Raises:
        InputError: it, or a folder above it, is a file, or may not be written.
    """
    there = next(place for place in (out, *out.parents) if place.exists())
    if not there.is_dir():
        raise InputError(f"{there}: is a file; expected a folder, or a name that is free")
    try:
        with TemporaryFile(dir=there):  # root may write anywhere, says os.access, also in /proc
            pass
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from error


def check_out(out: Path, own: Sequence[Path], file: str, earlier: str) -> None:
    """Refuse to write results into another run than their ``own``, or among other files.

    Args:
        out: the folder for them.
        own: the run that they are of, if it is one.
        file: marks a folder of earlier results, which may be replaced ...
        earlier: ... and what these are called.
    """
    running.refuse_foreign_run(out, own)
    if out.resolve() not in {run.resolve() for run in own}:
        check_result_folder(out, file, earlier)
    check_folder(out)


def run_app(app: typer.Typer) -> NoReturn:
    """Run a command line, in which ``--debug`` may be anywhere."""
    _Settings.debug = "--debug" in sys.argv[1:]
    app(args=[arg for arg in sys.argv[1:] if arg != "--debug"])
    raise AssertionError("typer ends the process")


def load_plugins() -> None:
    """Load all plugins, and print the problems of those that cannot be used."""
    for plugin in plugins.load():
        if plugin.problem:
            say_error(f"{plugin.problem}")
        if plugin.error is not None and _Settings.debug:
            traceback.print_exception(plugin.error)


def _report(error: Exception) -> int:
    if isinstance(error, InputError):
        say_error(f"{error}")
        return INPUT_WRONG
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        say_error(f"{where}{error.strerror or error}")
        return INPUT_WRONG
    say_error(f"internal error: {type(error).__name__}: {error} (--debug shows the traceback)")
    return INTERNAL_ERROR


def next_command(mirror: Path) -> str:
    """Begins the line that says which command reads a mirror."""
    there = os.environ.get("TORR_DATA") == str(mirror)
    return "Next: " if there else f"Next: TORR_DATA={shlex.quote(str(mirror))} "
