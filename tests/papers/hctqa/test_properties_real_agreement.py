"""Agreement with the annotation of HCT-QA's real tables, which are read where they lie."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.papers.hctqa import property_names as names
from torr_plugin.papers.hctqa.properties import detect
from torr_plugin.papers.hctqa.property_names import DETECTED
from torr_plugin.tables.readers.documents import html

AGREEMENT = {
    names.MULTI_LEVEL_COLUMN: (1122, 11, 34),
    names.BALANCED_COLUMN: (1011, 16, 76),
    names.UNBALANCED_COLUMN: (62, 44, 6),
    names.SYMMETRIC_COLUMN: (516, 9, 96),
    names.ASYMMETRIC_COLUMN: (510, 98, 33),
    names.ROW_NESTING: (250, 18, 12),
    names.BALANCED_ROW: (247, 16, 14),
    names.UNBALANCED_ROW: (1, 4, 0),
    names.SYMMETRIC_ROW: (147, 3, 23),
    names.ASYMMETRIC_ROW: (84, 34, 8),
    names.ROW_GROUP_LABEL: (168, 13, 51),
}
"""Of benchmarks/RESULTS.md: both say yes, only the detector does, only the annotation does."""


@pytest.mark.release
@pytest.mark.usefixtures("mirror")
def test_detection_agrees_with_the_annotation_of_all_real_tables() -> None:
    card, tables = load_card("cards.hctqa.real"), {}
    for example in read_examples(card, card.test_split):
        tables.setdefault(example.groups.get("table") or example.id, example)
    assert len(tables) == 1880
    counts = {name: Counter[tuple[bool, bool]]() for name in DETECTED}
    for example in tables.values():
        annotated, found = example.properties.get("table", {}), detect(example.table)
        for name in DETECTED:
            # the kinds of row nesting were annotated only where nesting was
            asked = names.ROW_NESTING if "Row Nesting" in name else name
            if name in annotated and asked in annotated:
                counts[name][bool(annotated[name]), found[name]] += 1
    assert counts[names.ROW_NESTING].total() == 1337
    assert {
        name: (found[True, True], found[False, True], found[True, False]) for name, found in counts.items()
    } == AGREEMENT


@pytest.mark.full
@pytest.mark.usefixtures("shared_data")
def test_the_synthetic_sample_shows_what_it_was_made_with(shared_data: Path) -> None:
    import pandas as pd

    sample = pd.read_parquet(shared_data / "hctqa" / "synthetic_sample.parquet").drop_duplicates("table_id")
    for text in sample.table_html:
        table = html(text)
        answer = detect(table)
        assert answer[names.MULTI_LEVEL_COLUMN] == (table.header_rows > 1)
        assert answer[names.ROW_NESTING] == (table.header_columns > 1)
