"""Turns scores into figures: how good, how robust, and which differences are real.

In: a frame with a row a score (:func:`read_scores` reads one from a file). Out: a plain dict, the contents of
``analysis.json``, in which every figure has its interval. Imports nothing of the project and is useful on its
own; the modules hold pure functions on arrays (models x configurations x examples), one figure a module, and
``analyse`` puts names to them.
"""

from .added import Analysis, add_analysis, added_analyses, origin_of_analysis, remove_analysis
from .analyse import analyse
from .errors import AnalysisError
from .figures import Options
from .frame import typed_scores
from .output.format import format_bounds, format_interval, format_ranks, format_value, has_width
from .output.summary import findings, ranked_models, summary_rows
from .output.writing import TableFile, Written, tables_as, write_analysis, write_tables, write_tables_as
from .reading import read_scores

__all__ = [
    "Analysis",
    "AnalysisError",
    "Options",
    "TableFile",
    "Written",
    "add_analysis",
    "added_analyses",
    "analyse",
    "findings",
    "format_bounds",
    "format_interval",
    "format_ranks",
    "format_value",
    "has_width",
    "origin_of_analysis",
    "ranked_models",
    "read_scores",
    "remove_analysis",
    "summary_rows",
    "tables_as",
    "typed_scores",
    "write_analysis",
    "write_tables",
    "write_tables_as",
]
