"""Make a data set from the user's own tables (CSV and HTML files, Excel workbooks) and a file of questions.

In: a folder of tables, a file of questions. Out: the Parquet files of a mirror, a card, and a first recipe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .answer_forms import AnswerMetric as AnswerMetric
    from .data_set import DataAndCard as DataAndCard
    from .data_set import make_data_set as make_data_set
    from .questions import TEST as TEST
    from .questions import TRAIN as TRAIN
    from .tables import UNSURE as UNSURE
    from .tables import Tables as Tables
    from .tables import TableShape as TableShape

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
