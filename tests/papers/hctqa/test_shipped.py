"""Our own parameter files: enough topics, every type of question in each, and words that are not confused."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from torr_plugin.papers.hctqa.generator.combinations import plan_tables
from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable
from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.layout.properties import table_properties
from torr_plugin.papers.hctqa.generator.parameters.loading import (
    QUESTIONS,
    SEMANTICS,
    SHIPPED,
    TABLES,
    load_parameters,
)
from torr_plugin.papers.hctqa.generator.parameters.models import Attribute, Branch, sql_name
from torr_plugin.papers.hctqa.generator.sampling import sample_instance
from torr_plugin.papers.hctqa.properties import detect
from torr_plugin.papers.hctqa.property_names import DETECTED

PARAMETERS = load_parameters()
FAMILIES = PARAMETERS.families


def labels(branches: tuple[Branch, ...]) -> list[str]:
    return [label for branch in branches for label in (branch.label, *labels(branch.children))]


def attributes(family: str) -> list[Attribute]:
    template = FAMILIES[family]
    return [PARAMETERS.attributes[code] for code in (*template.rowCodes, *template.colCodes)]


def test_how_much_there_is() -> None:
    assert len(FAMILIES) >= 9
    assert {template.agg_fun1 for template in FAMILIES.values()} == {"sum", "avg", "min", "max"}
    assert {PARAMETERS.value_range(template).decimals for template in FAMILIES.values()} == {0, 2}
    depths = {len(each.names) for family in FAMILIES for each in attributes(family)}
    assert depths == {1, 2, 3}
    used = {code for template in FAMILIES.values() for code in (*template.rowCodes, *template.colCodes)}
    assert used == set(PARAMETERS.attributes)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_value_is_another_attributes_too(family: str) -> None:
    said = [label for each in attributes(family) for label in labels(each.values)]
    names = [name for each in attributes(family) for name in each.names]
    assert max(Counter([text.lower() for text in (*said, *names)]).values()) == 1
    assert not [text for text in (*said, *names) if re.search(r"[{}|,;]|\b(and|or)\b", text)]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_year_can_be_taken_for_a_number_of_the_table(family: str) -> None:
    span = PARAMETERS.value_range(FAMILIES[family])
    years = [int(label) for each in attributes(family) for label in labels(each.values) if label.isdecimal()]
    assert not [year for year in years if span.bounds[0] <= year <= span.bounds[1]]


def test_every_template_names_every_attribute_in_one_place() -> None:
    for entry in json.loads((SHIPPED / QUESTIONS).read_text(encoding="utf-8")):
        names = sorted(sql_name(name) for each in attributes(entry["tableName"]) for name in each.names)
        for kind in range(1, 15):
            for text in entry[f"template_{kind}"]:
                found = [name for name in names if re.search(rf"\${name}(?![A-Za-z])", text)]
                assert found == names, text
                assert text.endswith(" ?")


def test_every_topic_is_asked_all_fifteen_types(made: list[GeneratedTable]) -> None:
    asked: dict[str, set[int]] = {family: set() for family in FAMILIES}
    for one in made:
        asked[one.instance.family] |= {question.template for question in one.questions}
    assert asked == {family: set(range(1, 16)) for family in FAMILIES}


def test_questions_read_as_english_sentences(made: list[GeneratedTable]) -> None:
    odd = re.compile(
        r"[$_=]|\(|  | ,| \?|\b(\w+) \1\b(?! (?:and|or))"
        r"|\b(?:of|in|to|by|on|at|with|the) (?:or|and|is|are|for)\b"
        r"|\b(?:of|in|to|by|on|at|with|holding|aged) (?:of|in|to|by|on|at|with|holding|aged)\b"
        r"|\b(?:of|in|to|by|on|at|with|the|holding|aged)[?,]"
    )
    for one in made:
        for question in one.questions:
            assert question.question[0].isupper()
            assert question.question[-1] in "?."
            assert not odd.search(question.question), question.question


def test_the_files_are_there_under_the_benchmarks_names() -> None:
    assert sorted(path.name for path in SHIPPED.iterdir()) == sorted([SEMANTICS, TABLES, QUESTIONS])


def test_every_property_is_produced_and_detected() -> None:
    missing = set(DETECTED)
    for wanted in plan_tables(PARAMETERS, seed=1, tables=5_000):
        instance = sample_instance(PARAMETERS, wanted.combination, wanted.replica, seed=1)
        known = table_properties(instance)
        if any(known[name] for name in missing):
            found = detect(hct_table(instance))
            missing -= {name for name in missing if known[name] and found[name]}
        if not missing:
            break
    assert not missing
