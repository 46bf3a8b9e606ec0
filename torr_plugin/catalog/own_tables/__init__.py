"""A data set of one's own: tables that are CSV files and a file of questions become what a study can ask.

In: a folder of tables, a file of questions. Out: the Parquet files of a mirror, a card, and a first recipe.
"""

from .making import Made, make
from .questions import ASKED, SHOWN

__all__ = ["ASKED", "SHOWN", "Made", "make"]
