"""All that is changed in lm-eval itself; a test fails where a release has these places no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import as_list, tasks_folder
from .task_files import MODULE

IN_STEPS = "generate_in_steps"
"""The type of requests that take several calls, and the name of the method that answers them."""


def give_models_a_method(answer: Callable[[Any, Sequence[Any]], list[str | None]]) -> None:
    """Have lm-eval's models answer requests of :data:`IN_STEPS`; doing it again changes nothing.

    lm-eval answers requests by the model's method that their type names, and has no types of other packages.
    """
    from lm_eval.api.model import LM

    setattr(LM, IN_STEPS, answer)


def know_our_tasks_alone() -> None:
    """Have lm-eval's commands know our tasks and those of ``--include_path``, and leave its own unread.

    Its commands have no option for it, and take 8.0 s of a processor for three examples with its 14,000 task
    files, 2.9 s without.
    """
    from lm_eval.tasks import TaskManager

    init = TaskManager.__init__

    def known(self: Any, verbosity: Any = None, include_path: Any = None, **options: Any) -> None:
        given = as_list(include_path)
        ours = [] if any(Path(each, MODULE).is_file() for each in given) else [str(tasks_folder())]
        init(self, verbosity, [*ours, *given], **{**options, "include_defaults": False})

    TaskManager.__init__ = known
