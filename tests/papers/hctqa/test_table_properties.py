"""Properties by construction: every one of them is produced, and means what the paper says."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.papers.hctqa import property_names as names
from torr_plugin.papers.hctqa.generator.combinations import combinations
from torr_plugin.papers.hctqa.generator.instance import Aggregate, TableAxis
from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.layout.properties import table_properties
from torr_plugin.papers.hctqa.generator.sampling import sample_instance
from torr_plugin.papers.hctqa.properties import detect

from .benchmark_sample import sampled
from .small import axis, instance, parameters, uneven

DAYS, TILLS, HALLS = ("Day", ("Mon", "Tue")), ("Till", ("T1", "T2")), ("Hall", ("North", "South"))
SEAS = TableAxis(
    ("Sea", "Port", "Pier"),
    ((0, 1, 2),),
    (
        ("High sea", "High sea", "High sea"),
        ("Baltic", "Riga", "Riga"),
        ("Baltic", "Kiel", "P1"),
        ("North", "Ems", "P2"),
    ),
)
UNEVEN = TableAxis(("Sea", "Port"), ((0, 1),), (("Baltic", "Riga"), ("Baltic", "Kiel"), ("North", "Bergen")))
COLUMNS = axis(DAYS, TILLS)


def held(made: dict[str, bool]) -> set[str]:
    return {name for name, value in made.items() if value}


def test_a_plain_table() -> None:
    assert held(table_properties(instance(axis(DAYS), axis(HALLS)))) == {names.STANDARD}


def test_two_levels_of_each_axis() -> None:
    made = table_properties(instance(COLUMNS, axis(HALLS, ("Door", ("A", "B")))))
    assert held(made) == {
        names.MULTI_LEVEL_COLUMN,
        names.BALANCED_COLUMN,
        names.SYMMETRIC_COLUMN,
        names.ROW_NESTING,
        names.BALANCED_ROW,
        names.SYMMETRIC_ROW,
    }


@pytest.mark.parametrize(("leaves", "balanced"), [(SEAS, False), (UNEVEN, True)])
def test_hierarchies_are_asymmetric_and_perhaps_unbalanced(leaves: TableAxis, balanced: bool) -> None:
    above, beside = (
        table_properties(instance(leaves, axis(HALLS))),
        table_properties(instance(axis(HALLS), leaves)),
    )
    assert above[names.ASYMMETRIC_COLUMN]
    assert not above[names.SYMMETRIC_COLUMN]
    assert (above[names.BALANCED_COLUMN], above[names.UNBALANCED_COLUMN]) == (balanced, not balanced)
    assert beside[names.ASYMMETRIC_ROW]
    assert (beside[names.BALANCED_ROW], beside[names.UNBALANCED_ROW]) == (balanced, not balanced)


def test_aggregates() -> None:
    one_level = table_properties(
        instance(axis(DAYS), axis(HALLS), Aggregate("Total", "sum", "right", "none"))
    )
    assert held(one_level) == {names.COLUMN_AGGREGATION, names.GLOBAL_COLUMN, names.EXPLICIT_COLUMN}
    two_levels = table_properties(
        instance(axis(HALLS), COLUMNS, Aggregate("Germany", "sum", "none", "bottom"))
    )
    assert {names.ROW_AGGREGATION, names.GLOBAL_ROW, names.LOCAL_ROW, names.IMPLICIT_ROW} <= held(two_levels)
    assert not two_levels[names.EXPLICIT_ROW]
    assert not two_levels[names.COLUMN_AGGREGATION]


def test_indented_rows() -> None:
    labels = table_properties(instance(axis(HALLS), COLUMNS, row_format="indent"))
    assert labels[names.ROW_GROUP_LABEL]
    assert labels[names.ROW_NESTING]
    total = Aggregate("Total", "sum", "none", "top")
    filled = table_properties(instance(axis(HALLS), COLUMNS, total, row_format="indent"))
    assert not filled[names.ROW_GROUP_LABEL]
    # a group's own row sums the group up without saying so; the last row says Total
    assert filled[names.IMPLICIT_ROW]
    assert filled[names.EXPLICIT_ROW]
    assert filled[names.LOCAL_ROW]
    assert filled[names.GLOBAL_ROW]
    one_level = table_properties(instance(COLUMNS, axis(HALLS), row_format="indent"))
    assert not one_level[names.ROW_GROUP_LABEL]


def test_the_published_sample_is_as_the_paper_says(shared_data: Path) -> None:
    """Table 5, synthetic: nested columns are balanced, rows symmetric where groups repeat."""
    for one in sampled(shared_data):
        made = table_properties(one.instance)
        assert made[names.MULTI_LEVEL_COLUMN] == made[names.BALANCED_COLUMN]
        assert made[names.ROW_NESTING] == made[names.BALANCED_ROW]
        groups = len({leaf[0] for leaf in one.instance.rows.leaves})
        assert made[names.SYMMETRIC_ROW] == (made[names.ROW_NESTING] and groups > 1)
        assert not made[names.ROW_GROUP_LABEL]
        assert not made[names.SPLIT_HEADER_CELL]
        assert not made[names.IMPLICIT_COLUMN]


EXACT = tuple(name for name in names.DETECTED if name not in (names.SYMMETRIC_ROW, names.ASYMMETRIC_ROW))
"""What the drawn table tells without fail."""


@pytest.mark.full
def test_every_property_but_the_drawn_one_is_produced_and_detected() -> None:
    known = parameters(*uneven())
    produced: set[str] = set()
    detected: set[str] = set()
    for family in known.tables.tables:
        for combination in combinations(known.tables, family):
            made = sample_instance(known, combination, 1, seed=4)
            wanted, found = table_properties(made), detect(hct_table(made))
            produced |= held(wanted) & {*names.DETECTED}
            detected |= held(wanted) & held(found)
            assert [name for name in EXACT if wanted[name] != found[name]] == [], made.table_id
    assert produced == detected == set(names.DETECTED)
