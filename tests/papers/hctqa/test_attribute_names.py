"""The attributes' names in the headers: where they stand, and that nothing else changes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from torr_plugin.papers.hctqa.generator.dataset import generate
from torr_plugin.papers.hctqa.generator.instance import HctInstance
from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.parameters.loading import load_parameters
from torr_plugin.tables import Table, serializers

POSITIONS = list(itertools.product(("none", "left", "top"), repeat=2))
PARAMETERS = load_parameters()


@pytest.fixture(scope="module")
def instances() -> list[HctInstance]:
    return [made.instance for made in generate(PARAMETERS, tables=24, seed=6, kinds=[1])]


def texts(table: Table) -> list[str]:
    return [cell.text for line in table.rows for cell in line if cell.text]


def body(table: Table) -> list[tuple[str, ...]]:
    lines = table.grid[table.header_rows :]
    return [tuple(cell.text for cell in line[table.header_columns :]) for line in lines]


def shown(instance: HctInstance, above: str, beside: str) -> list[str]:
    columns, rows = instance.columns.attributes, instance.rows.attributes
    how = {"none": lambda _: [], "left": list, "top": lambda names: [" / ".join(names)]}
    other = {"none": lambda _: [], "top": list, "left": lambda names: [" / ".join(names)]}
    return [*how[above](columns), *other[beside](rows)]


@pytest.mark.full
@pytest.mark.parametrize(("above", "beside"), POSITIONS)
def test_the_names_join_the_headers_and_the_rest_stays(
    above: str, beside: str, instances: list[HctInstance]
) -> None:
    for instance in instances:
        plain = hct_table(replace(instance, name_positions=("none", "none")))
        named = hct_table(replace(instance, name_positions=(above, beside)))
        names = shown(instance, above, beside)
        assert sorted(texts(named)) == sorted([*texts(plain), *names])
        group_rows = {at for at, line in enumerate(body(plain)) if len(set(line)) == 1}
        for at, (one, other) in enumerate(zip(body(plain), body(named), strict=True)):
            assert one == other or at in group_rows
        assert named.header_columns == plain.header_columns + (beside == "left")
        assert serializers.get("html").parse(serializers.get("html").serialize(named)).grid == named.grid


def test_each_name_stands_beside_its_level(instances: list[HctInstance]) -> None:
    for instance in instances:
        table = hct_table(replace(instance, name_positions=("left", "top")))
        columns, rows = instance.columns.attributes, instance.rows.attributes
        assert [line[0].text for line in table.grid[: len(columns)]] == list(columns)
        assert [cell.text for cell in table.grid[table.header_rows - 1][: len(rows)]] == list(rows)


def test_the_benchmark_s_key_is_heeded_only_where_it_is_asked_for(
    instances: list[HctInstance],
) -> None:
    asked = [made.instance for made in generate(PARAMETERS, tables=24, seed=6, kinds=[1], names=True)]
    assert {each.name_positions for each in instances} == {("none", "none")}
    assert {each.name_positions for each in asked} == set(PARAMETERS.tables.col_row_name_pos)
    assert [replace(each, name_positions=("none", "none")) for each in asked] == instances
