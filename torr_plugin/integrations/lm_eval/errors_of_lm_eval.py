"""What lm-eval raises, as one line: it ends with a traceback where a name is misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from types import TracebackType

from ...core.errors import described, nearest

DEBUG = "--debug"
_HINT = f"({DEBUG} shows the traceback)"
_OURS, _LM_EVAL = "torr_plugin", "lm_eval"
_TASKS = re.compile(r"Tasks not found: (.+)", re.DOTALL)
_MOST = 600


def line_of(error: BaseException, tasks: Callable[[], Iterable[str]]) -> str:
    """What is wrong, in one line.

    Args:
        error: raised out of lm-eval's command line.
        tasks: the names that ``--tasks`` can have, asked for where one is not found.
    """
    if is_ours(error):
        return f"internal error: {described(error, _MOST)} {_HINT}"
    missing = _TASKS.fullmatch(str(error)) if isinstance(error, ValueError) else None
    if missing is None:
        return f"lm-eval: {described(error, _MOST)} {_HINT}"
    names = [each.strip() for each in missing[1].split(",")]
    known = list(tasks())
    said = "; ".join(f"unknown task {name!r:.120}, {nearest(name, known)}" for name in names[:3])
    more = f"; and {len(names) - 3} more" if len(names) > 3 else ""
    return f"--tasks: {said}{more}"


def is_ours(error: BaseException) -> bool:
    """Whether it was raised below a function of ours, and not of lm-eval's that ours called."""
    return _last_of(error.__traceback__) == _OURS


def _last_of(traceback: TracebackType | None) -> str:
    """Which of both packages the innermost function belongs to that belongs to either."""
    last = _LM_EVAL
    while traceback is not None:
        package = str(traceback.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        last = package if package in (_OURS, _LM_EVAL) else last
        traceback = traceback.tb_next
    return last
