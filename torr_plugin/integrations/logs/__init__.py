"""Readers of what other harnesses log, a file and an object a format.

In: a folder that a harness wrote. Out: a :class:`Log`, whose files give their results one by one; ``torr
import`` makes a run of it. Others wrote these files: they are read within bounds, and what does not fit is
refused.
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .helm import HELM as HELM
    from .lm_eval import LM_EVAL as LM_EVAL
    from .log import Log as Log
    from .log import LogFile as LogFile
    from .log import LogReader as LogReader
    from .log import OwnScore as OwnScore
    from .log import Result as Result
    from .unitxt import UNITXT as UNITXT

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
