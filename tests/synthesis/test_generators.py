"""Every answer is worked out again from the table as printed and the question as asked, by other code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.synthesis import generate, generators
from torr_plugin.synthesis.nested_topics import NESTED_TOPICS
from torr_plugin.synthesis.topics import TOPICS
from torr_plugin.tables import Table, UnknownNameError

SEEDS = st.integers(0, 10_000)


def made(name: str, seed: int = 7, size: int = 120) -> list[dict[str, object]]:
    return [dict(row) for row in generate(name, seed=seed, sizes={"test": size})["test"]]


def figures(table: Table) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Column names, and for each column its values by row name."""
    plain = table.to_unitxt()
    columns = {
        header: {row[0]: row[at] for row in plain["rows"]} for at, header in enumerate(plain["header"]) if at
    }
    return plain["header"], columns


PHRASES = {measure.phrase: measure.header for topic in TOPICS for measure in topic.measures}


def values_of(phrase: str, table: Table) -> dict[str, int]:
    # one phrase can be a column of several topics under one header each; the table says which it has
    headers = {m.header for topic in TOPICS for m in topic.measures if m.phrase == phrase}
    _, columns = figures(table)
    (header,) = headers & set(columns)
    return {name: int(value) for name, value in columns[header].items()}


def keep(values: dict[str, int], side: str, threshold: str) -> list[int]:
    return [
        value
        for value in values.values()
        if (value > int(threshold)) == (side == "above") and value != int(threshold)
    ]


def answer_of_aggregation(table: Table, question: str) -> str:
    def match(pattern: str) -> re.Match[str] | None:
        return re.fullmatch(pattern, question)

    if found := match(r"What is the sum of the (.+) over the .+ where it is above (\d+)\?"):
        return str(sum(keep(values_of(found[1], table), "above", found[2])))
    if found := match(r"What is the sum of the (.+) over all .+\?"):
        return str(sum(values_of(found[1], table).values()))
    if found := match(r"What is the mean (.+) of all .+\?"):
        values = values_of(found[1], table).values()
        return str(Fraction(sum(values), len(values)))
    if found := match(r"Which .+ has the (highest|lowest) (.+)\?"):
        values = values_of(found[2], table)
        order = sorted(values, key=values.__getitem__, reverse=found[1] == "highest")
        assert values[order[0]] != values[order[1]]
        return order[0]
    if found := match(r"For how many .+ is the (.+) (above|below) (\d+)\?"):
        return str(len(keep(values_of(found[1], table), found[2], found[3])))
    return count_of_kind(table, question)


def count_of_kind(table: Table, question: str) -> str:
    header, columns = figures(table)
    (topic,) = [topic for topic in TOPICS if topic.label == header[0]]
    asked = re.fullmatch(
        rf"How many {topic.plural} {re.escape(topic.kind_phrase).replace(re.escape('{}'), '(.+)')}\?",
        question,
    )
    assert asked, question
    return str(Counter(columns[topic.kind].values())[asked[1]])


def truth_of(table: Table, statement: str) -> bool:
    def match(pattern: str) -> re.Match[str] | None:
        return re.fullmatch(pattern, statement)

    if found := match(r"The (.+) is (above|below) (\d+) for exactly (\d+) .+\."):
        return len(keep(values_of(found[1], table), found[2], found[3])) == int(found[4])
    if found := match(r"The (.+) is (\d+)\."):
        for phrase in PHRASES:
            name = found[1].removeprefix(f"{phrase} of ")
            if name != found[1] and name in next(iter(figures(table)[1].values())):
                return values_of(phrase, table)[name] == int(found[2])
    if found := match(r"(.+) has a (higher|lower) (.+) than (.+)\."):
        values = values_of(found[3], table)
        one, other = values[found[1]], values[found[4]]
        return one > other if found[2] == "higher" else one < other
    if found := match(r"(.+) has the (highest|lowest) (.+) of all the .+\."):
        values = values_of(found[3], table)
        return values[found[1]] == (max if found[2] == "highest" else min)(values.values())
    raise AssertionError(statement)


def cell_asked_for(table: Table, question: str) -> str:
    """The one cell all of whose headers are named in the question, with the topic's own words taken out."""
    (topic,) = [topic for topic in NESTED_TOPICS if topic.title == table.title]
    pattern = re.escape(topic.question)
    for part in ("group", "row", "outer", "inner"):
        pattern = pattern.replace(re.escape(f"{{{part}}}"), f"(?P<{part}>.+)", 1)
    asked = re.fullmatch(pattern, question)
    assert asked, question
    found = [
        table.grid[r][c].text
        for r in range(table.header_rows, table.n_rows)
        for c in range(table.header_columns, table.n_columns)
        if [table.grid[r][0].text, table.grid[r][1].text] == [asked["group"], asked["row"]]
        and table.column_paths[c] == (asked["outer"], asked["inner"])
    ]
    (answer,) = found
    return answer


CHECKS: dict[str, Callable[[Table, str], str]] = {
    "aggregation": answer_of_aggregation,
    "cell_lookup": cell_asked_for,
    "fact_verification": lambda table, statement: "entailed" if truth_of(table, statement) else "refuted",
}


def test_every_generator_is_checked() -> None:
    assert set(CHECKS) == set(generators.names())


@pytest.mark.parametrize("name", CHECKS)
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_every_answer_holds(name: str, seed: int) -> None:
    for row in made(name, seed, 40):
        table = row["table"]
        assert isinstance(table, Table)
        asked = str(row.get("question", row.get("statement")))
        assert CHECKS[name](table, asked) == row["answer"], asked


@pytest.mark.parametrize("name", CHECKS)
def test_sizes_names_and_topics(name: str) -> None:
    rows = made(name, size=400)
    tables = {str(row["table_id"]): row["table"] for row in rows}
    assert len(rows) == len({row["id"] for row in rows}) == 400
    heights, titles = set(), set()
    for table in tables.values():
        assert isinstance(table, Table)
        heights.add(table.n_rows - table.header_rows)
        titles.add(table.title)
        names = [line[max(0, table.header_columns - 1)].text for line in table.body]
        assert len(set(names)) == len(names)
        assert 3 <= table.n_columns <= 8
    assert min(heights) >= 4
    assert max(heights) == 10
    assert len(titles) >= 6


def test_headers_of_cell_lookup_are_nested_and_merged_on_both_axes() -> None:
    for row in made("cell_lookup"):
        table = row["table"]
        assert isinstance(table, Table)
        assert (table.header_rows, table.header_columns) == (2, 2)
        assert any(cell.colspan > 1 for cell in table.rows[0])
        assert any(line[0].rowspan > 1 for line in table.rows[2:])


def test_half_of_the_statements_are_true_of_every_kind() -> None:
    rows = made("fact_verification", size=240)
    assert Counter(row["answer"] for row in rows) == {"entailed": 120, "refuted": 120}
    assert set(Counter((row["kind"], row["answer"]) for row in rows).values()) == {30}
    for start in range(0, 240, 4):
        assert Counter(row["answer"] for row in rows[start : start + 4]) == {"entailed": 2, "refuted": 2}


def test_aggregation_has_every_kind_of_question() -> None:
    kinds = Counter(row["kind"] for row in made("aggregation", size=200))
    assert set(kinds) == {"sum", "mean", "highest", "lowest", "count", "count_kind", "sum_above"}
    assert min(kinds.values()) >= 8


@pytest.mark.parametrize("name", CHECKS)
def test_splits_share_no_table_and_a_smaller_one_begins_a_larger_one(name: str) -> None:
    splits = generate(name, seed=3, sizes={"train": 200, "test": 200})
    train, test = ({row["table"] for row in splits[split]} for split in ("train", "test"))
    assert not train & test
    assert len(train) == len(test) == 50
    fewer = generate(name, seed=3, sizes={"train": 10, "test": 5})
    assert tuple(fewer["train"]) == tuple(splits["train"][:10])
    assert tuple(fewer["test"]) == tuple(splits["test"][:5])
    assert generate(name, seed=4, sizes={"test": 5})["test"] != fewer["test"]


PROBE = """
import hashlib, json
from torr_plugin.synthesis import generate, generators
digests = {}
for name in generators.names():
    rows = generate(name, seed=11, sizes={"train": 40, "test": 40})
    text = json.dumps([[{k: str(v) for k, v in row.items()} for row in part] for part in rows.values()])
    digests[name] = hashlib.sha256(text.encode()).hexdigest()
print(json.dumps(digests))
"""


def test_other_processes_make_the_same_rows() -> None:
    def run(hash_seed: str) -> dict[str, str]:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", PROBE], env=environment, capture_output=True, text=True, check=True
        )
        return dict(json.loads(done.stdout))

    assert run("1") == run("2")


def test_an_unknown_generator_gets_the_nearest_names() -> None:
    with pytest.raises(
        UnknownNameError, match="unknown generator 'aggregations'; did you mean 'aggregation'"
    ):
        generate("aggregations", seed=1, sizes={"test": 1})
