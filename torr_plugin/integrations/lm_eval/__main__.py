"""``python -m torr_plugin.integrations.lm_eval``: lm-eval's command line with our tasks and models.

What is wrong is one line, where lm-eval ends with a traceback; ``--debug``, anywhere on the line, shows it.
"""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ...cli.command import INPUT_WRONG, INTERNAL_ERROR, INTERRUPTED, say
from ...cli.results import reader_may_leave
from ...core.errors import InputError, described, nearest
from . import as_list, register, tasks_folder
from .folder import holds_all
from .patches import leave_own_tasks_unread
from .task_files import MODULE

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
    folders: list[str] = []
    try:
        register()
        with reader_may_leave():
            _lm_eval(tasks_folder(), folders)
    except KeyboardInterrupt:
        say("torr: interrupted")
        sys.exit(INTERRUPTED)
    except Exception as error:
        if debugging:
            raise
        if isinstance(error, InputError):
            say(f"torr: {error}")
            sys.exit(INPUT_WRONG)
        say(f"torr: {line_of(error, lambda: _task_names(folders))}")
        sys.exit(INTERNAL_ERROR if is_ours(error) else INPUT_WRONG)


def _lm_eval(ours: Path, folders: list[str]) -> None:
    """Run lm-eval's command with our folder of tasks before the user's own; ``folders`` gets them all.

    A folder of the user's that holds our tasks (``torr lm-eval-path``) takes the place of ours, as lm-eval
    warns of each task that it finds twice. A misspelt model, or one whose package is missing, is reported as
    ``torr run`` does.
    """
    from lm_eval._cli import HarnessCLI
    from lm_eval.utils import setup_logging

    from ...running.registry import lm_class

    setup_logging()
    cli = HarnessCLI()
    arguments = cli.parse_args()
    asked = _asked(arguments)
    named = as_list(asked.get("include_path"))
    folders += named if any(Path(each, MODULE).is_file() for each in named) else [str(ours), *named]
    if hasattr(arguments, "include_path"):
        arguments.include_path = folders
    if isinstance(model := asked.get("model"), str):
        lm_class(model)
    if folders == [str(ours)] and holds_all(ours, _tasks(asked)):
        leave_own_tasks_unread()
    cli.execute(arguments)


def _asked(arguments: Namespace) -> dict[str, Any]:
    """The options of the command line and, where it does not say, those of its ``--config`` file."""
    from lm_eval.config.evaluate_config import EvaluatorConfig

    file = getattr(arguments, "config", None)
    config = EvaluatorConfig.load_yaml_config(file) if file else {}
    return {**config, **{name: value for name, value in vars(arguments).items() if value}}


def _tasks(asked: Mapping[str, Any]) -> list[str]:
    tasks = asked.get("tasks") or ()
    return [name for each in ([tasks] if isinstance(tasks, str) else tasks) for name in str(each).split(",")]


def _task_names(folders: list[str]) -> list[str]:
    """The names that ``--tasks`` can have, which takes lm-eval some seconds."""
    from lm_eval.tasks import TaskManager

    return list(TaskManager(include_path=folders).all_tasks)


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
