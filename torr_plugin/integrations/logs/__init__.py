"""Readers of what other harnesses log, a file and an object a format.

In: a folder that a harness wrote. Out: a :class:`Log`, whose files give their results one by one; ``torr
import`` makes a run of it. Others wrote these files: they are read within bounds, and what does not fit is
refused.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .helm import HelmLogs as HelmLogs
    from .lm_eval import LmEvalLogs as LmEvalLogs
    from .log import FileResults as FileResults
    from .log import Log as Log
    from .log import LogFile as LogFile
    from .log import LogReader as LogReader
    from .log import OwnScore as OwnScore
    from .log import Result as Result
    from .reading import read_log as read_log
    from .reading import readers as readers
    from .unitxt import UnitxtLogs as UnitxtLogs

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".helm": ["HelmLogs"],
        ".lm_eval": ["LmEvalLogs"],
        ".log": ["FileResults", "Log", "LogFile", "LogReader", "OwnScore", "Result"],
        ".reading": ["read_log", "readers"],
        ".unitxt": ["UnitxtLogs"],
    },
)
