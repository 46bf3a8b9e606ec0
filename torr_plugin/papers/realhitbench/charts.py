"""Charts that models write programs for: does the program run, and does its chart show the right values?"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ...core.errors import InputError, ParseError
from ...scoring.chart_programs import reference_values, run_answer
from ...scoring.metrics.base import Metric
from ...scoring.sandbox import ChartRun, Kind
from ...tables import Table, workbooks

_KINDS: dict[str, Kind] = {
    "LineChart": "line",
    "BarChart": "bar",
    "ScatterChart": "scatter",
    "PieChart": "pie",
}


class Charts(Metric):
    """1 for a chart of the right values.

    Formulas: ``chart_ecr = [the program runs to its end without an error]`` (the paper's executable code
    rate) and ``chart_pass = [it does, and its chart's y values, rounded to two decimals and sorted, are the
    reference's]`` (its PASS@1). Reading: ``chart_ecr`` is the ceiling of ``chart_pass``; a program that draws
    nothing can have it. The values are those of the current axes when the program first calls ``plt.show()``,
    or when it ends: of a line chart all lines' y, of a bar chart the bars' lengths (heights, or widths where
    they lie), of a scatter chart the points' y, of a pie chart each wedge's share of the circle.

    Special cases: missing values (NaN, masked) are equal to each other; a reference of a pie chart may be
    shares, or values that are divided by their sum; an answer without a program scores 0 twice. The program
    is the last fenced block with an import, else the text from the first import to the last ``plt.show()``;
    every workbook that it names is the example's. It runs in a sandbox (:mod:`torr_plugin.scoring.sandbox`),
    for at most 15 seconds, which is the publisher's limit.

    Source: Wu et al., Findings of ACL 2025 (RealHiTBench), section 5.1, after TableBench. The publisher's
    evaluation differs: it strips every line of its spaces, so that programs with blocks fail; it ends a
    program at its first ``plt.show()``; and it divides a pie chart's reference by its sum although it holds
    rounded shares, so that 7 of 28 references would not pass themselves.
    """

    name = "charts"
    main = "chart_pass"
    needs = ("chart_type",)
    optional = ("workbook", "table")
    score_names = ("chart_pass", "chart_ecr")
    answer_form = "whole"
    source = "RealHiTBench"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"chart_pass": 0.0 or 1.0, "chart_ecr": 0.0 or 1.0}``.

        Args:
            prediction: an answer with a program.
            references: lists of y values, as Python writes them; any one is right.
            facts: ``chart_type`` (``LineChart``, ``BarChart``, ``ScatterChart`` or ``PieChart``; what follows
                the first word is not read); ``workbook``, the XLSX file in base64, else ``table``, a table's
                rows as JSON, header first, of which one is made.

        Raises:
            SandboxError: programs cannot be contained here; the message says what to do.
            InputError: a fact or a reference cannot be read.
        """
        given = facts or {}
        kind = _kind(given.get("chart_type", ""))
        expected = [reference_values(reference) for reference in references]
        run = run_answer(prediction, _workbook(given))
        passed = any(is_right(run, kind, each) for each in expected)
        return {"chart_pass": float(passed), "chart_ecr": float(run.ran)}


def is_right(run: ChartRun, kind: Kind, expected: Sequence[float | None]) -> bool:
    """Whether a chart shows the expected values: rounded to two decimals, in any order."""
    if not run.ran or kind not in run.values:
        return False
    shown = _rounded(run.values[kind])
    return bool(shown) and any(shown == _rounded(each) for each in _readings(kind, expected))


def _readings(kind: Kind, expected: Sequence[float | None]) -> Iterator[Sequence[float | None]]:
    """What a reference may stand for: of a pie chart, shares or the values that they are made of."""
    yield expected
    total = sum(value or 0 for value in expected)
    if kind == "pie" and total:
        yield [(value or 0) / total for value in expected]


def _rounded(values: Sequence[float | None]) -> list[tuple[bool, float]]:
    """The values to compare: missing ones last."""
    return sorted((value is None, 0.0 if value is None else round(value, 2)) for value in values)


def _kind(chart_type: str) -> Kind:
    word = next(iter(chart_type.split()), "")
    if word not in _KINDS:
        raise InputError(
            f"charts: the fact 'chart_type' is {chart_type!r}; expected one of: {', '.join(_KINDS)}"
        )
    return _KINDS[word]


def _workbook(facts: Mapping[str, str]) -> bytes:
    if "workbook" in facts:
        try:
            return base64.b64decode(facts["workbook"], validate=True)
        except ValueError as error:  # binascii.Error is one, and so is a character beyond ASCII
            raise InputError(f"charts: the fact 'workbook' is no base64: {error}") from None
    return _workbook_of_table(facts["table"]) if "table" in facts else b""


@lru_cache(maxsize=64)
def _workbook_of_table(text: str) -> bytes:
    try:
        header, *rows = json.loads(text)
        table = Table.flat(
            header=[str(cell) for cell in header], rows=[[str(cell) for cell in row] for row in rows]
        )
    except (ValueError, TypeError, ParseError) as error:
        raise InputError(f"charts: the fact 'table' is no table of rows in JSON: {error}") from None
    return workbooks.to_bytes(table)
