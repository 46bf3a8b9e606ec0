"""Says what the scores of a leaderboard show, and what they do not.

In: :class:`~torr_plugin.integrations.logs.board.BoardScores`, which the readers of logs and tables give. Out:
an :class:`Audit` (scores, ranks, groups and pairs, with intervals) or a :class:`Gate` (is a model worse than
another by more than a margin). Every verdict is that of :mod:`torr_plugin.analysis`; nothing is computed here
but which scores are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .comparing import audit_board as audit_board
    from .gating import MARGIN as MARGIN
    from .gating import Gate as Gate
    from .gating import gate as gate
    from .gating import with_base as with_base
    from .output import RECORD as RECORD
    from .output import audit_record as audit_record
    from .output import gate_record as gate_record
    from .output import write_files as write_files
    from .result import Audit as Audit
    from .scores import model_names as model_names

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
