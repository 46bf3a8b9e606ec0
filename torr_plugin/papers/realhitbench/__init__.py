"""RealHiTBench: questions about realistic hierarchical tables, and TreeThinker (Wu et al., 2025).

What the paper asks: can models answer five types of questions about complex tables (Table 2), in which text
format (Figure 4), as text, picture or both (Table 5), and does it help to have the model write the tree of
the headers down first and reason along it (TreeThinker, section 4, Tables 4, 6 and 7)?

What is here: TreeThinker, as designs for any card. ``tree_thinker`` takes two calls; ``tree_thinker_no_tree``
and ``tree_thinker_no_reasoning`` are the paper's ablations; ``tree_thinker_gold`` gives the model the table's
own tree, which the paper does not have. ``metrics`` has the published scores, ``charts`` those of chart
programs, ``header_tree_metric`` how near a model's tree is to the table's; ``exchange`` are the changes to a
table that structure comprehending compares answers under; ``complexity`` measures what the paper has a model
rate. The cards are ``cards/realhitbench``, the recipes ``recipes/realhitbench*.yaml``.

How it was checked: the scores agree with the publisher's rules on 49,984 answers made from the published
ones, but for 18 to the three questions whose answer is the letter A, which those rules remove as an article.
Of the 198 published programs of charts 121 give their published values here, 72 draw from workbooks that are
not published with them, and 5 draw other values than those given for them. The trees that people marked on
1,002 of HiTab's tables score a mean ``tree_f1`` of .984 against those of our reader. A run of TreeThinker is
stopped in each call and resumed, with the same scores.

What differs (``docs/realhitbench.md``): prompts follow Tables 17 and 18 in our own
words; each call is one message and no conversation, so that models without a chat template can be asked; an
empty tree makes the second call that of ``tree_thinker_no_tree``; rows and columns are counted from 0, of
which the paper says nothing; the part after the last ``Final Answer:`` is scored. The answers
of models behind the paper's tables are not ours to have, so that none of its figures is reproduced here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...plugins import hookimpl

if TYPE_CHECKING:
    from ...prompts import Design
    from ...scoring.metrics import Metric
    from ...tables import Table
    from ...tables.perturbations import Perturbation


@hookimpl
def torr_designs() -> Sequence[Design]:
    """TreeThinker, and without or with the right half of it."""
    from .tree_thinker import (
        TreeThinkerDesign,
        TreeThinkerGoldDesign,
        TreeThinkerNoReasoningDesign,
        TreeThinkerNoTreeDesign,
    )

    return [
        TreeThinkerDesign(),
        TreeThinkerNoTreeDesign(),
        TreeThinkerNoReasoningDesign(),
        TreeThinkerGoldDesign(),
    ]


@hookimpl
def torr_metrics() -> Sequence[Metric]:
    """Of answers, pairs of answers, charts and header trees."""
    from .charts import Charts
    from .header_tree_metric import HeaderTreeMatch
    from .metrics import RealHiTBench, RealHiTBenchConsistency, RealHiTBenchRouge

    return [Charts(), HeaderTreeMatch(), RealHiTBench(), RealHiTBenchConsistency(), RealHiTBenchRouge()]


@hookimpl
def torr_perturbations() -> Sequence[Perturbation]:
    """The exchange of groups of columns, of rows, of sub-tables."""
    from .exchange import ExchangeColumnGroups, ExchangeRowGroups, ExchangeSubTables

    return [ExchangeColumnGroups(), ExchangeRowGroups(), ExchangeSubTables()]


@hookimpl
def torr_measures() -> Mapping[str, Callable[[Table], str]]:
    """The level of complexity, alone and with the class of length."""
    from ...tables.measures import length
    from .complexity import Complexity

    return {
        "complexity": lambda table: Complexity.of(table).level,
        "complexity and length": lambda table: f"{Complexity.of(table).level}, {length(table)}",
    }
