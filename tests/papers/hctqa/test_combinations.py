"""Individual templates: all combinations, numbered as the benchmark numbers them."""

from __future__ import annotations

import itertools
from pathlib import Path

from torr_plugin.papers.hctqa.generator.combinations import Combination, combinations
from torr_plugin.papers.hctqa.generator.parameters.json_file import read_json
from torr_plugin.papers.hctqa.generator.parameters.models import TableTemplates, read_table_templates

from .benchmark_sample import COLUMNS, POSITIONS, sampled


def all_combinations(templates: TableTemplates) -> list[Combination]:
    return [one for template in templates.tables for one in combinations(templates, template)]


def test_the_benchmark_s_file_gives_all_its_combinations(shared_data: Path) -> None:
    path = shared_data / "hctqa" / "generator_params" / "PARAM_tableTemplates.json"
    document, templates = read_json(path), read_table_templates(path)
    made = all_combinations(templates)
    lists = ("shuffle", "col_row_name_pos", "col_row_agg_pos", "col_row_levels", "row_format")
    wanted = {
        (table["valueName"], *combination)
        for table in document["tables"]
        for combination in itertools.product(*(document[key] for key in lists))
    }
    found = [
        (
            one.template.valueName,
            one.shuffle,
            "_".join(one.name_positions),
            "_".join(one.aggregate_positions),
            "_".join(map(str, one.levels)),
            one.row_format,
        )
        for one in made
    ]
    assert len(found) == len(set(found)) == 7 * 360
    assert set(found) == wanted
    assert len({one.name for one in made}) == 7 * 360


def test_set_numbers_mean_what_they_mean_in_the_published_sample(shared_data: Path) -> None:
    path = shared_data / "hctqa" / "generator_params" / "PARAM_tableTemplates.json"
    templates = read_table_templates(path)
    by_name = {one.name: one for one in all_combinations(templates)}
    for one in sampled(shared_data):
        combination = by_name[one.instance.table_id.rsplit("_", 1)[0]]
        above = COLUMNS[one.instance.family]
        shown = [name for name in one.relational.names[:-1] if name in above]
        assert len(combination.columns) == len(shown)
        assert len(combination.rows) == len(one.relational.names) - 1 - len(shown)
        assert combination.aggregate_positions == POSITIONS[(combination.number - 1) // 6 % 6]
        if combination.shuffle == "none":
            assert one.instance.columns.attributes + one.instance.rows.attributes == one.relational.names[:-1]
