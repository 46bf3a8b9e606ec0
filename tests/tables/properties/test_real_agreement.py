"""Agreement with the annotation of HCT-QA's real tables, which are read where they lie."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.properties_agreement import annotated_tables, compared
from torr_plugin.tables.properties import names

# below what is measured (docs/properties.md) by about the width of the interval
LEAST_KAPPA = {
    names.STANDARD: 0.70,
    names.MULTI_LEVEL_COLUMN: 0.92,
    names.BALANCED_COLUMN: 0.87,
    names.SYMMETRIC_COLUMN: 0.83,
    names.COLUMN_AGGREGATION: 0.77,
    names.GLOBAL_COLUMN: 0.87,
    names.LOCAL_COLUMN: 0.79,
    names.EXPLICIT_COLUMN: 0.82,
    names.IMPLICIT_COLUMN: 0.60,
    names.UNBALANCED_COLUMN: 0.60,
    names.ROW_NESTING: 0.89,
    names.SYMMETRIC_ROW: 0.86,
    names.ROW_AGGREGATION: 0.82,
    names.GLOBAL_ROW: 0.84,
    names.LOCAL_ROW: 0.68,
    names.EXPLICIT_ROW: 0.87,
    names.ROW_GROUP_LABEL: 0.75,
}


@pytest.mark.release
@pytest.mark.usefixtures("mirror")
def test_detection_agrees_with_the_annotation_of_all_real_tables() -> None:
    tables = annotated_tables("cards.hctqa.real")
    assert len(tables) == 1880
    lines = {line.name: line for line in compared(tables)}
    assert lines[names.ROW_NESTING].n == 1337
    kappas = {name: line.kappa for name, line in lines.items()}
    assert {name: kappas[name] for name, least in LEAST_KAPPA.items() if kappas[name] < least} == {}
    assert not any(map(math.isnan, kappas.values()))


@pytest.mark.full
@pytest.mark.usefixtures("shared_data")
def test_the_synthetic_sample_shows_what_it_was_made_with(shared_data: Path) -> None:
    """Its tables sum by Total or average by Average; every such row and column is explicit."""
    import pandas as pd

    from torr_plugin.tables.properties import detect
    from torr_plugin.tables.readers import html

    sample = pd.read_parquet(shared_data / "hctqa" / "synthetic_sample.parquet").drop_duplicates("table_id")
    for text in sample.table_html:
        table = html(text)
        answer = detect(table)
        side = [row[c].text for row in table.body for c in range(table.header_columns)]
        head = [cell.text for row in table.grid[: table.header_rows] for cell in row]
        assert answer[names.MULTI_LEVEL_COLUMN] == (table.header_rows > 1)
        assert answer[names.ROW_NESTING] == (table.header_columns > 1)
        for words, explicit, overall in (
            (side, names.EXPLICIT_ROW, names.GLOBAL_ROW),
            (head, names.EXPLICIT_COLUMN, names.GLOBAL_COLUMN),
        ):
            has_total = any(word in ("Total", "Average") for word in words)
            assert answer[explicit] == has_total
            assert answer[overall] or not has_total
