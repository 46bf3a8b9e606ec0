"""Turns scores into figures: how good, how robust, and which differences are real.

In: a frame with a row a score (:func:`read_scores` reads one from a file). Out: a plain dict, the contents of
``analysis.json``, in which every figure has its interval. Imports nothing of the project and is useful on its
own; the modules hold pure functions on arrays (models x configurations x examples), one figure a module, and
``analyse`` puts names to them.
"""

from .analyse import analyse
from .errors import AnalysisError
from .output.format import format_interval, format_ranks, format_value
from .output.summary import findings, ranked_models, summary_rows
from .output.writing import Written, write_analysis, write_tables
from .reading import read_scores

__all__ = [
    "AnalysisError",
    "Written",
    "analyse",
    "findings",
    "format_interval",
    "format_ranks",
    "format_value",
    "ranked_models",
    "read_scores",
    "summary_rows",
    "write_analysis",
    "write_tables",
]
