"""SUC: "Table Meets LLM", a benchmark of the structure of tables and of prompts (Sui et al., WSDM 2024).

What the paper asks: does a model know how a table is built (sections 3.2 and 3.3, seven structural tasks),
how much do the format and each part of the prompt matter (section 3.4, Tables 2 and 3), and do notes that the
model makes about the table first, or facts about it, help with downstream tasks (section 4, Tables 4 to 8)?

What is here: the designs. ``suc`` is the prompt with role, format explanation, partition marks, the question
first and demonstrations; ``suc_no_role`` and so on leave one of them out. ``self_augmented``, its three
variants, ``table_size`` and ``merged_cells`` add notes or a fact, over ``default`` or in front of any
design's name (``table_size+suc``). ``structural_questions`` asks the tasks about any table,
``structural_sample`` about those of other cards, ``generators`` makes tables for them, ``metrics/`` rates the
answers, and those of three data sets of the downstream tasks. The cards are ``cards/suc.json``, the recipes
``recipes/suc*.yaml``.

How it was checked: all words but the paper's names are our own, so prompts are tested part by part and not
against the paper's. Typed in as scores, its Table 9 gives its differences in our analysis: HTML 6.76 ahead of
NL + Sep, 30.38 lost without a demonstration, 6.81 where the question stands last, over the five formats. Of
its 175 printed differences those of HTML without role prompting do not follow from its scores.

What differs (``docs/suc.md`` has all): tables are generated, or those of five public data sets; the sentences
also say from where indices count; demonstrations and sampled rows are the same in every configuration; notes
are asked for without demonstrations, which would show answers, and may take 400 tokens; Table 4's "w/o table
size" is ``suc`` beside ``table_size+suc``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...plugins import hookimpl

if TYPE_CHECKING:
    from ...catalog.generated import Generator, TableQuestions
    from ...prompts import Design
    from ...scoring.metrics import Metric


@hookimpl
def torr_designs() -> Sequence[Design]:
    """The prompt with all parts and without each; notes and facts."""
    from .augmented import AUGMENTED_DESIGNS
    from .designs import SUC_DESIGNS

    return [*SUC_DESIGNS, *AUGMENTED_DESIGNS]


@hookimpl
def torr_table_questions() -> Mapping[str, TableQuestions]:
    """The structural tasks, asked about the tables of other cards."""
    from .structural_questions import TASKS
    from .structural_sample import structural_rows

    return dict.fromkeys(TASKS, structural_rows)


@hookimpl
def torr_generators() -> Mapping[str, Generator]:
    """A generator a task."""
    from .generators import GENERATORS

    return GENERATORS


@hookimpl
def torr_metrics() -> Sequence[Metric]:
    """Of the structural tasks, and of FEVEROUS, HybridQA and SQA."""
    from .metrics.feverous import Feverous
    from .metrics.hybrid_qa import HybridQa
    from .metrics.sqa import Sqa
    from .metrics.structure import MergedColumns, Positions, ValueList

    return [Feverous(), HybridQa(), MergedColumns(), Positions(), Sqa(), ValueList()]
