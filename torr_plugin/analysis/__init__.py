"""Turns scores into figures: how good, how robust, and which differences are real.

In: a frame with a row a score (:func:`read_scores` reads one from a file). Out: a plain dict, the contents of
``analysis.json``, in which every figure has its interval. Imports nothing of the project but ``core``; pure functions
on arrays (models x configurations x examples) are below, :mod:`.figures` puts names to them, a figure an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_package

if TYPE_CHECKING:
    from .added import Analysis as Analysis
    from .added import add_analysis as add_analysis
    from .added import analyses as analyses
    from .compute import analyse as analyse
    from .errors import AnalysisError as AnalysisError
    from .estimates import Options as Options
    from .frame import typed_scores as typed_scores
    from .number_format import format_bounds as format_bounds
    from .number_format import format_interval as format_interval
    from .number_format import format_ranks as format_ranks
    from .number_format import format_value as format_value
    from .number_format import has_width as has_width
    from .scores_file import read_scores as read_scores
    from .summary import findings as findings
    from .summary import ranked_models as ranked_models
    from .summary import summary_rows as summary_rows
    from .writing import TableFile as TableFile
    from .writing import Written as Written
    from .writing import tables_as as tables_as
    from .writing import write_analysis as write_analysis
    from .writing import write_tables as write_tables
    from .writing import write_tables_as as write_tables_as

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        "Analysis": ".added",
        "AnalysisError": ".errors",
        "Options": ".estimates",
        "TableFile": ".writing",
        "Written": ".writing",
        "add_analysis": ".added",
        "analyses": ".added",
        "analyse": ".compute",
        "findings": ".summary",
        "format_bounds": ".number_format",
        "format_interval": ".number_format",
        "format_ranks": ".number_format",
        "format_value": ".number_format",
        "has_width": ".number_format",
        "ranked_models": ".summary",
        "read_scores": ".scores_file",
        "summary_rows": ".summary",
        "tables_as": ".writing",
        "typed_scores": ".frame",
        "write_analysis": ".writing",
        "write_tables": ".writing",
        "write_tables_as": ".writing",
    },
)
