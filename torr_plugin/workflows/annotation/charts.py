"""What the charts show that models wrote programs for; the programs run in the sandbox."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from typing import get_args

from ...core.errors import InputError
from ...scoring.metrics.charts import reference_values, run_answer
from ...scoring.sandbox.reports import Kind
from ...tables import Table, workbooks

_KINDS: Mapping[str, Kind] = {f"{kind.capitalize()}Chart Generation": kind for kind in get_args(Kind)}


def drawn_values(program: str, subtype: str, workbook: bytes) -> str:
    """The y values that a program's chart shows, as a list.

    Empty where it fails, draws another kind, or draws what can be no reference: infinite values, or too many.

    Args:
        program: a model's.
        subtype: of the question, e.g. ``LineChart Generation``.
        workbook: what the program finds as ``table.xlsx``.

    Raises:
        SandboxError: programs cannot be contained here.
    """
    run = run_answer(program, workbook)
    values = str(list(run.values.get(_KINDS[subtype], ()))) if run.ran else ""
    with suppress(InputError):
        return values if reference_values(values) else ""
    return ""


def values_key(values: str) -> str:
    """What equal charts share: their values to two decimals, sorted, as the metric compares them."""
    return str(sorted((value is None, round(value or 0.0, 2)) for value in reference_values(values)))


def chart_facts(subtype: str, table: Table) -> dict[str, str]:
    """What the metric ``charts`` needs of a question."""
    workbook = base64.b64encode(workbooks.to_bytes(table)).decode()
    return {"chart_type": subtype, "workbook": workbook}
