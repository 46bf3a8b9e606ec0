"""Parameter files: the benchmark's load unchanged; what is wrong is one line with file, template and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.papers.hctqa.generator.combinations import combinations
from torr_plugin.papers.hctqa.generator.parameters.json_file import ParameterError, read_json
from torr_plugin.papers.hctqa.generator.parameters.loading import check
from torr_plugin.papers.hctqa.generator.parameters.models import (
    Branch,
    ValueRange,
    read_semantics,
    read_table_templates,
    value_range,
)
from torr_plugin.papers.hctqa.generator.sampling import sample_instance

from .small import documents, parameters

Change = Callable[[dict[str, Any], dict[str, Any]], object]


def test_the_benchmark_s_own_files_load_unchanged(shared_data: Path) -> None:
    folder = shared_data / "hctqa" / "generator_params"
    words = read_semantics(folder / "PARAM_semantics.json")
    tables = read_table_templates(folder / "PARAM_tableTemplates.json")
    check(tables, words, "tables")
    assert len(words.data) == len(read_json(folder / "PARAM_semantics.json")["data"])
    assert len(tables.tables) == 7
    three_levels = words.attributes["Countries"].values[0]
    assert three_levels.children[1] == Branch("West", (Branch("Dukhan"),))  # one text is one child
    assert words.values["realUnit"] == ValueRange(0, 100, 2)
    assert words.values["int"] == ValueRange(0, 100, 0)
    students = tables.tables[1]
    assert students.colSamples == (None, (2, 4), None)


def test_a_decimal_point_makes_reals() -> None:
    assert value_range([0, 5]) == ValueRange(0, 5, 0)
    assert value_range([0, 5.0]) == ValueRange(0, 500, 2)
    assert value_range([0.07, 0.29]) == ValueRange(7, 29, 2)
    assert value_range([-1.005, 1.0]).low == -100


def _set(path: str, value: Any) -> Change:
    def change(words: dict[str, Any], tables: dict[str, Any]) -> None:
        *steps, last = path.split(".")
        at: Any = {"words": words, "tables": tables, "first": tables["tables"][0], "shop": words["data"][0]}
        for step in steps:
            at = at[int(step)] if step.isdigit() else at[step]
        if value is KeyError:
            del at[last]
        else:
            at[int(last) if last.isdigit() else last] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("first.rowCodes", ["Shopp", "Hall"]), ["tables.json", "Goods sold", "rowCodes", "'Shopp'"]),
        (_set("first.values", "integer"), ["tables.json", "Goods sold", "values", "'integer'", "int"]),
        (_set("first.rowSamples", [0]), ["Goods sold", "rowSamples", "1 samples", "expected 2"]),
        (_set("first.rowSamples", [[3, 2], 0]), ["Goods sold", "rowSamples", "[3, 2]", "empty range"]),
        (_set("first.rowSamples", [[0, 2], 0]), ["Goods sold", "rowSamples", "[0, 2]", "empty range"]),
        (_set("first.rowSamples", [[], 0]), ["Goods sold", "rowSamples", "[]", "[m, M]"]),
        (_set("first.values", [9, 2]), ["Goods sold", "values", "[9, 2]", "m <= M"]),
        (_set("first.values", [0.001, 0.002]), ["Goods sold", "values", "no number of 2 decimals"]),
        (_set("first.values", KeyError), ["Goods sold", "values", "missing"]),
        (_set("first.agg_fun1", "median"), ["Goods sold", "agg_fun1", "'median'", "avg"]),
        (_set("first.rowcodes", []), ["Goods sold", "rowcodes", "unknown key", "rowCodes"]),
        (_set("first.colCodes", ["Day", "Shop"]), ["Goods sold", "'Shop'", "Aisle", "different names"]),
        (_set("tables.shuffle", ["none", "alll"]), ["tables.json", "shuffle", "'alll'", "rowscols"]),
        (_set("tables.col_row_levels", ["4_1"]), ["tables.json", "col_row_levels", "'4_1'", "C_R"]),
        (_set("tables.col_row_agg_pos", ["top_left"]), ["col_row_agg_pos", "'top_left'", "right"]),
        (_set("tables.col_row_name_pos", ["none"]), ["col_row_name_pos", "'none'", "C_R"]),
        (_set("tables.row_format", ["newer"]), ["row_format", "'newer'", "indent"]),
        (_set("tables.row_format", []), ["row_format", "at least one"]),
        (_set("tables.replica", 0), ["replica", "0"]),
        (_set("shop.values", []), ["words.json", "attribute 'Shop'", "values", "at least one"]),
        (_set("shop.values", ["Pear", "Pear"]), ["words.json", "attribute 'Shop'", "'Pear'", "twice"]),
        (_set("shop.values", [{"a": {"b": {"c": "d"}}}]), ["attribute 'Shop'", "4 levels", "at most 2"]),
        (_set("shop.values", ["a|b"]), ["attribute 'Shop'", "a|b"]),
        (_set("shop.values", [None]), ["attribute 'Shop'", "nothing", "text"]),
        (_set("words.data.1.code", "Shop"), ["words.json", "'Shop'", "2 times"]),
        (_set("words.data.1.names", ["Value"]), ["tables.json", "Goods sold", "'Value'", "different"]),
        (_set("words.values.int", [0, "9"]), ["words.json", "values.int", "two numbers"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_with_file_template_and_key(change: Change, said: list[str]) -> None:
    words, tables = documents()
    change(words, tables)
    with pytest.raises(ParameterError) as error:
        parameters(words, tables)
    message = str(error.value)
    assert "\n" not in message
    assert [part for part in said if part not in message] == []


def test_broken_json_is_reported_with_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "PARAM_semantics.json"
    file.write_text('{"data": [\n  {"code": }]}', encoding="utf-8")
    with pytest.raises(ParameterError, match=r"PARAM_semantics\.json:2:12: broken JSON"):
        read_semantics(file)
    with pytest.raises(ParameterError, match="cannot be read"):
        read_semantics(tmp_path / "none.json")


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[NaN]", "[" * 100_000, '{"a": 1' + "0" * 5000 + "}"])
def test_hostile_json_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match="expected a JSON file of parameters"):
        read_json(tmp_path / "file.json")


def test_a_table_too_large_is_refused_before_it_is_made() -> None:
    words, tables = documents()
    for code in ("Day", "Till", "Hall"):
        place = next(place for place, one in enumerate(words["data"]) if one["code"] == code)
        words["data"][place]["values"] = [f"{code} {number}" for number in range(2000)]
    tables["tables"][0] = {
        **tables["tables"][0],
        "rowCodes": ["Hall"],
        "rowSamples": [0],
        "colSamples": [0, 0],
    }
    known = parameters(words, tables)
    wide = list(combinations(known.tables, known.tables.tables[0]))[-1]
    with pytest.raises(
        ParameterError, match="'Goods sold': rowSamples, colSamples: a table of 8000000000 cells"
    ):
        sample_instance(known, wide, 1, seed=0)


def test_comments_are_put_up_with() -> None:
    words, tables = documents()
    tables["comment"] = "ours"
    tables["tables"][0]["comment2"] = ["any", {"thing": 1}]
    assert parameters(words, tables).families.keys() == {"Goods sold", "Share of catch"}
