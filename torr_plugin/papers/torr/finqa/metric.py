"""FinQA's two accuracies of programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec

from ....core.errors import InputError
from ....core.versions import install_hint
from ....scoring.metrics.base import Metric
from . import Answer, equivalent, execute, parse

_parsed = lru_cache(maxsize=16_384)(parse)  # gold programs recur in every configuration of an example


class FinQa(Metric):
    """1 for the right program, and its result.

    Formulas: ``program_accuracy = [the answer is symbolically equal to a reference]``, ``execution_accuracy =
    [the answer's result over the original table = the gold answer]``, both 0 or 1. Reading: the share of
    questions solved by right steps, and by any steps with the right result, which chance and rounding help;
    hence program accuracy is the main one. Special cases: text that is no program, or one without bounds,
    scores 0; the table is the data set's own, whatever perturbation the prompt showed; numbers are compared
    after rounding to five decimals; without the fact ``answer`` the first reference's own result is taken.

    Source: Chen et al., EMNLP 2021, section 5, whose official evaluator's verdicts it gives (see
    :mod:`torr_plugin.papers.torr.finqa` for the few that differ); the main metric of FinQA in ToRR (Table 1).
    unitxt's ``metrics.fin_qa_metric`` differs: it exchanges gold program and answer in the symbolic
    comparison, so that an answer may hold arguments that the gold program lacks; it hands the table over in a
    form in which no operation over a row can be executed; it compares with the answer as people wrote it
    (``14.1%``) instead of the executed one; and it falls back to evaluating the answer as Python, which this
    project never does.
    """

    name = "finqa"
    main = "program_accuracy"
    needs = ("answer", "table")
    score_names = ("program_accuracy", "execution_accuracy")
    source = "FinQA"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"program_accuracy": 0.0 or 1.0, "execution_accuracy": 0.0 or 1.0}``.

        Args:
            prediction: a program.
            references: gold programs; any one is right.
            facts: ``answer``, the gold program's result, and ``table``, the original table's rows as JSON,
                with the header.

        Raises:
            InputError: sympy is not installed.
        """
        if not _sympy_is_here():  # also for an empty answer, which a study tries before models are asked
            hint = install_hint(".[finqa]")
            raise InputError(f"metric {self.name!r} needs sympy, which is not installed: {hint}")
        given = facts or {}
        table = _rows(given.get("table", "[]"))
        answered = parse(prediction)
        golds = [_parsed(reference) for reference in references]
        expected = _answer(given["answer"]) if "answer" in given else execute(golds[0], table)
        result = execute(answered, table)
        return {
            "program_accuracy": float(any(equivalent(gold, answered) for gold in golds)),
            "execution_accuracy": float(result is not None and result == expected),
        }


@cache
def _sympy_is_here() -> bool:
    return find_spec("sympy") is not None


def _answer(text: str) -> Answer:
    try:
        return float(text)
    except ValueError:
        return text.strip()


@lru_cache(maxsize=256)
def _rows(table: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(cell) for cell in row) for row in json.loads(table))
