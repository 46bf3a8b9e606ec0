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
    from .result import POINTS as POINTS
    from .result import Audit as Audit
    from .scores import read_board as read_board
    from .sentences import cell_name as cell_name
    from .sentences import gate_sentence as gate_sentence
    from .sentences import headlines as headlines
    from .sentences import limits_text as limits_text
    from .sentences import more_text as more_text
    from .sentences import place_title as place_title
    from .sentences import ranks_text as ranks_text
    from .sentences import score_text as score_text
    from .sentences import size_text as size_text

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
