"""``python -m torr_plugin.integrations.lm_eval``: lm-eval's command line with our tasks and models.

What is wrong is one line, where lm-eval ends with a traceback; ``--debug``, anywhere on the line, shows it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from ...cli.command import INPUT_WRONG, INTERNAL_ERROR, INTERRUPTED, say
from ...cli.results import reader_may_leave
from ...core.errors import InputError, described, nearest
from . import as_list, register, tasks_folder
from .folder import holds_all

DEBUG = "--debug"
_HINT = f"({DEBUG} shows the traceback)"
_OURS, _LM_EVAL = "torr_plugin", "lm_eval"
_TASKS = re.compile(r"Tasks not found: (.+)", re.DOTALL)
_OPTION = re.compile(r"got multiple values for keyword argument '(device|batch_size|max_batch_size)'")
_MOST = 600


def main() -> None:
    """Run lm-eval's command line on ``sys.argv``.

    Wrong input, and whatever else lm-eval raises, ends with one line and exit code 2; an error of ours with
    70, Ctrl-C with 130. A reader of stdout that goes away (``... | head -1``) is no error.
    """
    debugging = DEBUG in sys.argv[1:]
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument != DEBUG]
    managers: list[Any] = []
    try:
        register()
        _include(str(tasks_folder()), managers)
        _look_models_up_here()
        with reader_may_leave():
            _lm_eval()
    except KeyboardInterrupt:
        say("torr: interrupted")
        sys.exit(INTERRUPTED)
    except Exception as error:
        if debugging:
            raise
        if isinstance(error, InputError):
            say(f"torr: {error}")
            sys.exit(INPUT_WRONG)
        say(f"torr: {line_of(error, lambda: managers[-1].all_tasks if managers else ())}")
        sys.exit(INTERNAL_ERROR if is_ours(error) else INPUT_WRONG)


def _include(folder: str, managers: list[Any]) -> None:
    """Have every ``TaskManager`` of this process include a folder, before those of its own ``include_path``.

    A folder there that holds our tasks (``torr lm-eval-path``) takes its place, as lm-eval warns of each task
    that it finds twice. Where all that is asked for is in this one folder, lm-eval's own 14,000 files, which
    take it longer than all else in a short run, are not read. Each manager is added to ``managers``.
    """
    from lm_eval.tasks import TaskManager

    from .task_files import MODULE

    make, asked = TaskManager.__init__, _tasks_asked_for()

    def made(self: Any, verbosity: str | None = None, include_path: Any = None, **options: Any) -> None:
        named = as_list(include_path)
        ours = any(Path(each, MODULE).is_file() for each in named)
        folders = named if ours else [folder, *named]
        if asked and len(folders) == 1 and holds_all(Path(folders[0]), asked):
            options.setdefault("include_defaults", False)
        make(self, verbosity, folders, **options)
        managers.append(self)

    TaskManager.__init__ = made


def _tasks_asked_for() -> list[str]:
    """The names of ``--tasks``, or of a configuration file, once lm-eval looks them up; empty until then."""
    asked: list[str] = []
    try:
        from lm_eval.config.evaluate_config import EvaluatorConfig
    except ImportError:  # a later lm-eval may look them up elsewhere
        return asked
    look_up = EvaluatorConfig.process_tasks

    def looked_up(self: Any, *given: Any, **options: Any) -> Any:
        named = [self.tasks] if isinstance(self.tasks, str) else self.tasks
        asked[:] = [name for each in named for name in str(each).split(",")]
        return look_up(self, *given, **options)

    EvaluatorConfig.process_tasks = looked_up
    return asked


def _look_models_up_here() -> None:
    """Report a misspelt model, or one whose package is missing, as ``torr run`` does."""
    from lm_eval.api import registry

    from ...running.registry import lm_class

    registry.get_model = lm_class


def _lm_eval() -> None:
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()


def line_of(error: BaseException, tasks: Callable[[], Iterable[str]]) -> str:
    """What is wrong, in one line.

    Args:
        error: raised out of lm-eval's command line.
        tasks: the names that ``--tasks`` can have, asked for where one is not found.
    """
    if is_ours(error):
        return f"internal error: {described(error, _MOST)} {_HINT}"
    twice = _OPTION.search(str(error)) if isinstance(error, TypeError) else None
    if twice is not None:
        return f"--model_args: {twice[1]} is an option of lm-eval's command line; expected --{twice[1]} VALUE"
    missing = _TASKS.fullmatch(str(error)) if isinstance(error, ValueError) else None
    if missing is None:
        return f"lm-eval: {described(error, _MOST)} {_HINT}"
    names = [each.strip() for each in missing[1].split(",")]
    known = list(tasks())
    unknown = "; ".join(f"unknown task {name!r:.120}, {nearest(name, known)}" for name in names[:3])
    more = f"; and {len(names) - 3} more" if len(names) > 3 else ""
    return f"--tasks: {unknown}{more}"


def is_ours(error: BaseException) -> bool:
    """Whether an error was raised by our code, and not by lm-eval's that ours called."""
    return _last_of(error.__traceback__) == _OURS


def _last_of(traceback: TracebackType | None) -> str:
    """The package, ours or lm-eval's, of the innermost function that is of one of them."""
    last = _LM_EVAL
    while traceback is not None:
        package = str(traceback.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        last = package if package in (_OURS, _LM_EVAL) else last
        traceback = traceback.tb_next
    return last


if __name__ == "__main__":
    main()
