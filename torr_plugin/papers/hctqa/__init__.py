"""HCT-QA: questions on human-centric tables, real and generated (Ahmad et al., 2025).

What the paper asks: how well do models answer natural-language questions about tables as people lay them out
(nested headers, row groups, totals), on 2,188 real tables and on generated ones (appendix C), how much does
each property of table and question cost (Tables 6 and 7), and are text or pictures read better (appendix D)?

What is here: ``reader`` for the published CSV, in which ``__`` marks an empty or merged cell; ``canonical``,
the format ``canonical_csv`` and its reader; ``nonsense``, the perturbation of its third question; ``metric``,
the published scores of value sets; ``properties`` and ``symmetry``, which of the paper's table properties a
table's headers show; ``generator/``, tables with questions, SQL and answers from three parameter files
(``torr synth hctqa``); ``small_tables``, ``statements`` and ``structure_comprehending``, the bundled cards
over such tables; ``figures/``, what properties cost (Tables 4 and 9) and how many values answers hold
(Fig. 35). The cards are ``cards/hctqa`` and ``cards/bundled``, the recipes ``recipes/hctqa*.yaml``.

How it was checked: on the 9,835 published answers of gemma-2-9b-it the metric, which follows the published
scorer, gives precision .3687, recall .3953 and complete containment .2905. The paper prints .373, .351 and
.247 for that model (appendix, row ALL), over the same numbers of questions by source; no way of scoring the
published answers that we tried gives these (``benchmarks/RESULTS.md``), so they may be of another run.
All 1,733 SQL queries of the published sample
give the published answers here, and 116 of its 120 tables come out equal cell by cell, span by span. Answers
agree with those worked out from the grid alone, without SQL, on more than 30,000 questions.

What differs (``docs/hctqa.md``): the parameter files are our own, and so are topics and words; a sentence
writes each product of rows and columns as a whole phrase; types 4 and 7 never ask for the function that the
table shows; averages are exact and rounded half to even; no question's answer depends on a tie; braces and
``|`` in a label are refused; aggregation is not detected, it takes the data set's own annotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...plugins import hookimpl

if TYPE_CHECKING:
    from ...analysis import Figure
    from ...catalog.generated import DataSetMaker, Generator, TableMaker
    from ...scoring.metrics import Metric
    from ...tables.perturbations import Perturbation
    from ...tables.readers import Reader
    from ...tables.serializers import Serializer


@hookimpl
def torr_readers() -> Mapping[str, Reader]:
    """The published CSV, and the canonical one."""
    from .canonical import canonical_csv
    from .reader import hctqa_csv

    return {"canonical_csv": canonical_csv, "hctqa_csv": hctqa_csv}


@hookimpl
def torr_serializers() -> Sequence[Serializer]:
    """The canonical CSV."""
    from .canonical import CanonicalCsv

    return [CanonicalCsv()]


@hookimpl
def torr_perturbations() -> Sequence[Perturbation]:
    """Tables in made-up words."""
    from .nonsense import Nonsense

    return [Nonsense()]


@hookimpl
def torr_metrics() -> Sequence[Metric]:
    """The published scores, of answers and of vision models' answers."""
    from .metric import HctQa, HctQaVision

    return [HctQa(), HctQaVision()]


@hookimpl
def torr_generators() -> Mapping[str, Generator]:
    """All fifteen types of questions, and the small tables of the bundled cards."""
    from .small_tables import aggregation, cell_lookup, hctqa
    from .statements import fact_verification
    from .structure_comprehending import structure_comprehending

    return {
        "aggregation": aggregation,
        "cell_lookup": cell_lookup,
        "fact_verification": fact_verification,
        "hctqa": hctqa,
        "structure_comprehending": structure_comprehending,
    }


@hookimpl
def torr_table_makers() -> Mapping[str, TableMaker]:
    """The tables of the bundled cards."""
    from .small_tables import human_centric_table

    return {"human_centric": human_centric_table}


@hookimpl
def torr_data_sets() -> Mapping[str, DataSetMaker]:
    """``torr synth hctqa``."""
    from .generator.making import make_hctqa

    return {"hctqa": make_hctqa}


@hookimpl
def torr_analyses() -> Sequence[Figure[Any]]:
    """Regressions on properties (Tables 4 and 9), and how many values answers hold (Fig. 35)."""
    from .figures.regression import REGRESSION
    from .figures.verbosity import VERBOSITY

    return [REGRESSION, VERBOSITY]
