"""TableQuest: questions about tables in annual reports (Pan et al., 2024).

What the paper asks: can models extract what a cell of a long financial document says, calculate with several,
and analyse what that means (three levels, section 2), and how do models rank by a judge of pairs (section 3)?

What is here: ``metric``, how answers of extraction and calculation, and of analysis, are rated; ``filings``,
twenty reports of companies that do not exist with nine questions each, for the bundled cards. The cards are
``cards/tablequest`` and ``cards/bundled/filings_*``, the recipe ``recipes/filings.yaml``. Documents, the
writing and filtering of questions (``torr synth qa``) with the recall of their answers, and judges of pairs
with their ratings are the framework's, as they serve any data.

How it was checked: answers of the bundled reports hold by construction; the metric's reading of numbers,
units and JSON stands in a table of cases.

What differs (``docs/tablequest.md``): we found no copy of the 240 published questions, so that the cards come
without data and no figure of the paper is reproduced; prompts are our own words after appendices A, B and F;
ratings have intervals, and every pair is judged in both orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...plugins import hookimpl

if TYPE_CHECKING:
    from ...catalog.generated import Generator
    from ...scoring.metrics import Metric


@hookimpl
def torr_metrics() -> Sequence[Metric]:
    """Of extraction and calculation, and of analysis."""
    from .metric import TableQuest, TableQuestAnalysis

    return [TableQuest(), TableQuestAnalysis()]


@hookimpl
def torr_generators() -> Mapping[str, Generator]:
    """The bundled reports."""
    from .filings import filing_rows

    return {"filings": filing_rows}
