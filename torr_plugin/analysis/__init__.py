"""Turns scores into figures: how good, how robust, and which differences are real.

In: a frame with a row a score (:func:`read_scores` reads one from a file). Out: a plain dict, the contents of
``analysis.json``, in which every figure has its interval. Imports nothing of the project but ``core``; pure
functions on arrays (models x configurations x examples) are below, :mod:`.figures` puts names to them, a
figure an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .compute import analyse as analyse
    from .compute import analysis_results as analysis_results
    from .figure import Figure as Figure
    from .figure import FigureChart as FigureChart
    from .figure import FigureTable as FigureTable
    from .frame import first_answers as first_answers
    from .frame import typed_scores as typed_scores
    from .number_format import format_bounds as format_bounds
    from .number_format import format_dollars as format_dollars
    from .number_format import format_interval as format_interval
    from .number_format import format_percent as format_percent
    from .number_format import format_percent_bounds as format_percent_bounds
    from .number_format import format_points as format_points
    from .number_format import format_range as format_range
    from .number_format import format_ranks as format_ranks
    from .number_format import format_share as format_share
    from .number_format import format_size as format_size
    from .number_format import format_value as format_value
    from .number_format import has_width as has_width
    from .options import AnalysisError as AnalysisError
    from .options import Options as Options
    from .output import LEFT_OUT as LEFT_OUT
    from .output import MadeTable as MadeTable
    from .output import WrittenAnalysis as WrittenAnalysis
    from .output import tables as tables
    from .output import write_analysis as write_analysis
    from .results import AnalysisResults as AnalysisResults
    from .scores_file import read_scores as read_scores
    from .summary import findings as findings
    from .summary import main_findings as main_findings
    from .summary import ranked_models as ranked_models
    from .summary import remarks as remarks
    from .summary import summary_rows as summary_rows

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
