"""ToRR: are tables read well and robustly? (Ashury-Tahan et al., "The Mighty ToRR", 2025).

What the paper asks: how well do models do on ten data sets of tables (Table 1), how much does that depend on
the format and on changes to the layout (robustness, one minus the range of an example's scores over its
prompts), and how many configurations and examples does a steady ranking take?

What is here: what its data sets need beside general metrics. ``finqa/`` is FinQA's language of programs and
its evaluator; ``column_types`` rates types of columns (TURL); ``f1_strings`` is WikiTableQuestions' column as
published; ``unitxt_formats`` has the formats ``torr.*``, unitxt's bytes; ``model_groups`` compares open with
closed models, and families by size (Fig. 9). Changes of layout, robustness, agreement and win rates are the
framework's, as they serve any study; the cards are ``cards/*.json``, the recipe ``recipes/torr.yaml``.

How it was checked: the prompts of the recipe with ``demos: unitxt`` are those of unitxt 1.26.10's
``recipes.torr.*``, byte by byte. FinQA's evaluator gives the official one's verdicts on programs drawn and
damaged by chance; of 1,050 published predictions all but one are read, which names a row with brackets that
the official evaluator cannot read either. Scores of words are unitxt's on the same answers. ROUGE-L of
16,170 published answers to QTSumm is within .0005 of its authors' figures for five models under 0, 1 and 2
shots, whose figures are random by as much.

What differs: demonstrations are the same in every configuration of an example (``demos: unitxt`` draws them
as the paper did), so that a configuration's score is not its luck with them. FinQA's programs are never
evaluated as code, as unitxt's metric does where it can read none, and gold program and answer are compared
in the official order, which unitxt exchanges: our ``program_accuracy`` may differ a little from the paper's.
WikiTableQuestions is rated by ``f1_strings``; ``torr_f1_strings``, with the brackets that give a wrong word
0.8, is the paper's column. The answers behind the paper's tables are not ours to have, so no figure of its
tables is reproduced here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...plugins import hookimpl

if TYPE_CHECKING:
    from ...analysis import Figure
    from ...scoring.metrics import Metric
    from ...tables.serializers import Serializer


@hookimpl
def torr_metrics() -> Sequence[Metric]:
    """Of FinQA's programs, of columns' types, and WikiTableQuestions' as published."""
    from .column_types import ColumnTypes
    from .f1_strings import TorrF1Strings
    from .finqa.metric import FinQa

    return [ColumnTypes(), FinQa(), TorrF1Strings()]


@hookimpl
def torr_serializers() -> Sequence[Serializer]:
    """Those of unitxt."""
    from . import unitxt_formats as formats

    return [
        formats.TorrConcat(),
        formats.TorrCsv(),
        formats.TorrDf(),
        formats.TorrHtml(),
        formats.TorrIndexedRowMajor(),
        formats.TorrJson(),
        formats.TorrMarkdown(),
    ]


@hookimpl
def torr_analyses() -> Sequence[Figure[Any]]:
    """Open against closed models, and families by size (Fig. 9)."""
    from .model_groups import MODEL_GROUPS

    return [MODEL_GROUPS]
