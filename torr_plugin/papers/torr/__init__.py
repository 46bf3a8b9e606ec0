"""ToRR: are tables read well and robustly? (Ashury-Tahan et al., "The Mighty ToRR", 2025).

What the paper asks: how well do models do on ten data sets of tables, how much does that depend on the format
and on changes to the layout, and how many configurations and examples does a steady ranking take?

What is here: what its data sets need beside general metrics. ``finqa/`` is FinQA's language of programs and
its evaluator; ``column_types`` rates types of columns (TURL); ``model_groups`` compares open with closed
models, and families by size (Fig. 9). The formats ``torr.*`` (unitxt's bytes), changes of layout, robustness,
agreement and win rates are the framework's, as they serve any study; the cards are ``cards/*.json``, the
recipe ``recipes/torr.yaml``.

How it was checked: prompts beside unitxt 1.26.10's, byte by byte; FinQA's evaluator beside the official one;
the metrics beside unitxt's on the same answers.

What differs: demonstrations are the same in every configuration of an example (``demos: unitxt`` draws them
as the paper did); FinQA's programs are never evaluated as code; each function says where it departs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...plugins import hookimpl

if TYPE_CHECKING:
    from ...analysis import Figure
    from ...scoring.metrics import Metric


@hookimpl
def torr_metrics() -> Sequence[Metric]:
    """Of FinQA's programs and of columns' types."""
    from .column_types import ColumnTypes
    from .finqa.metric import FinQa

    return [ColumnTypes(), FinQa()]


@hookimpl
def torr_analyses() -> Sequence[Figure[Any]]:
    """Open against closed models, and families by size (Fig. 9)."""
    from .model_groups import MODEL_GROUPS

    return [MODEL_GROUPS]
