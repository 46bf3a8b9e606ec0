"""Every answer is worked out again from the table as laid out and the question as asked, by other code."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog.generated import Generator, Row, generate, generators
from torr_plugin.core.errors import DataError
from torr_plugin.papers.hctqa.small_tables import sample_table, single_value
from torr_plugin.papers.hctqa.statements import LABELS
from torr_plugin.tables import Table, UnknownNameError

SEEDS = st.integers(0, 10_000)
SMALL = ("aggregation", "cell_lookup", "fact_verification")
AGGREGATES = {"All", "Total", "Average", "Minimum", "Maximum"}
FUNCTIONS: dict[str, Callable[[list[Decimal]], Decimal]] = {
    "total": lambda values: sum(values, Decimal(0)),
    "average": lambda values: (sum(values, Decimal(0)) / len(values)).quantize(
        Decimal("0.01"), ROUND_HALF_EVEN
    ),
    "minimum": min,
    "maximum": max,
}


def made(name: str, seed: int = 7, size: int = 120) -> list[dict]:
    return [dict(row) for row in generate(name, seed=seed, sizes={"test": size})["test"]]


def cells(table: Table) -> list[tuple[tuple[str, ...], tuple[str, ...], Decimal]]:
    """(row path, column path, value) of every cell of the body, aggregates left out."""
    found = []
    for r in range(table.header_rows, table.n_rows):
        row = tuple(table.grid[r][c].text for c in range(table.header_columns))
        for c in range(table.header_columns, table.n_columns):
            column = tuple(table.grid[at][c].text for at in range(table.header_rows))
            if not AGGREGATES & {*row, *column}:
                found.append((row, column, Decimal(table.grid[r][c].text.strip())))
    return found


def phrase_names(phrase: str, label: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(label)}(?![\w-])", phrase) is not None


def selected(table: Table, phrase: str) -> list[Decimal]:
    """The cells whose headers a phrase names: at each level one of those named, where any is."""
    body = cells(table)
    rows, columns = (named_paths(list(dict.fromkeys(cell[side] for cell in body)), phrase) for side in (0, 1))
    return [value for row, column, value in body if row in rows and column in columns]


def named_paths(paths: list[tuple[str, ...]], phrase: str) -> set[tuple[str, ...]]:
    """A label that fills two levels, having none below it, is named by either of them, and so apart."""
    levels = range(len(paths[0]) if paths else 0)
    named = [
        {path[at] for path in paths if not fills(path, at) and phrase_names(phrase, path[at])}
        for at in levels
    ]

    def holds(path: tuple[str, ...], at: int) -> bool:
        joint = {at, *(other for line in paths for other in filled_with(line, at))}
        apart = {line[at] for line in paths if fills(line, at)}
        alone = {label for label in apart if phrase_names(phrase, label)}
        some = any(named[level] for level in joint)
        if fills(path, at):
            return path[at] in alone or not (alone or some)
        if alone and not some:
            return False
        return not named[at] or path[at] in named[at]

    return {path for path in paths if all(holds(path, at) for at in levels)}


def fills(path: tuple[str, ...], at: int) -> bool:
    return bool(filled_with(path, at))


def filled_with(path: tuple[str, ...], at: int) -> list[int]:
    """The levels beside this one that a label fills, too."""
    return [other for other in (at - 1, at + 1) if 0 <= other < len(path) and path[other] == path[at]]


def said(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def one_product(phrase: str) -> bool:
    """Whether a phrase says each of its prepositions once, so that it selects rows x columns."""
    return not re.search(r"\bor (of|in|to|by|on|at|from|with|holding|aged|filed|admitted)\b", phrase)


@settings(max_examples=4, deadline=None)
@given(seed=SEEDS)
def test_every_cell_looked_up_is_the_one_that_the_question_names(seed: int) -> None:
    for row in made("cell_lookup", seed, 48):
        assert [said(value) for value in selected(row["table"], row["question"])] == [row["answer"]]


@settings(max_examples=4, deadline=None)
@given(seed=SEEDS)
def test_every_aggregate_comes_out(seed: int) -> None:
    checked = 0
    for row in made("aggregation", seed, 48):
        question = row["question"]
        if not one_product(question):
            continue
        values = selected(row["table"], question)
        named = sorted(
            (question.index(name), name) for name in FUNCTIONS if re.search(rf"\b{name}\b", question)
        )
        assert " || ".join(said(FUNCTIONS[name](values)) for _, name in named) == row["answer"], question
        checked += 1
    assert checked >= 24


@pytest.mark.full
@settings(max_examples=4, deadline=None)
@given(seed=SEEDS)
def test_every_statement_is_as_true_as_its_label_says(seed: int) -> None:
    judged: Counter[str] = Counter()
    for row in made("fact_verification", seed, 96):
        truth = judge(row["table"], row["statement"], row["kind"])
        if truth is not None:
            judged[row["kind"]] += 1
            assert LABELS[truth] == row["answer"], row["statement"]
    assert set(judged) == {"lookup", "comparison", "count", "aggregate"}
    assert sum(judged.values()) >= 72


def judge(table: Table, statement: str, kind: str) -> bool | None:
    if kind == "count":
        return judged_count(table, statement)
    if not one_product(statement):
        return None
    if kind == "comparison":
        before, word, after = re.split(r" is (greater|lower) than ", statement.removesuffix("."))
        ((one,), (other,)) = selected(table, before), selected(table, after)
        return one > other if word == "greater" else one < other
    phrase, numbers = re.fullmatch(r"The (.+) (?:is|are) ([-\d.]+(?: and [-\d.]+)?)\.", statement).groups()
    values = selected(table, phrase)
    named = sorted(
        (phrase.index(name), name) for name in FUNCTIONS if re.match(rf"(.+ and )?{name}\b", phrase)
    )
    wanted = [FUNCTIONS[name](values) for _, name in named] if kind == "aggregate" else values
    return [said(value) for value in wanted] == numbers.split(" and ")


def judged_count(table: Table, statement: str) -> bool:
    pattern = (
        r"There (?:is|are) exactly (\d+) (?:combination|value)s? of .+ "
        r"for which the (.+) is (greater|lower) than ([-\d.]+)\."
    )
    count, phrase, word, bound = re.fullmatch(pattern, statement).groups()
    values = selected(table, phrase)
    kept = [
        value for value in values if (value > Decimal(bound) if word == "greater" else value < Decimal(bound))
    ]
    return len(kept) == int(count)


def test_half_of_the_statements_are_true_of_every_kind() -> None:
    rows = made("fact_verification", size=240)
    assert Counter(row["answer"] for row in rows) == {"entailed": 120, "refuted": 120}
    assert set(Counter((row["kind"], row["answer"]) for row in rows).values()) == {30}


@pytest.fixture(scope="module", params=[name for name in generators.names() if name != "filings"])
def splits(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, Sequence[Row]]]:
    """A generator's name, and two splits that it makes."""
    return request.param, generate(request.param, seed=3, sizes={"train": 24, "test": 180})


def test_sizes_names_and_topics(splits: tuple[str, Mapping[str, Sequence[Row]]]) -> None:
    name, rows = splits[0], splits[1]["test"]
    tables = {row["table_id"]: row["table"] for row in rows}
    assert len(rows) == len({row["id"] for row in rows}) == 180
    titles = {str(row["before"]).split(".")[0] if "before" in row else row["table"].title for row in rows}
    assert len(titles) == 12
    asked = [(row["table_id"], row.get("question") or row["statement"]) for row in rows]
    assert len(set(asked)) == len(asked)
    if name in SMALL:
        assert max(len(cells(table)) for table in tables.values()) <= 64
        assert all(
            max(Counter(value for *_, value in cells(table)).values()) == 1 for table in tables.values()
        )


@pytest.mark.full
def test_splits_share_no_table_and_a_smaller_one_begins_a_larger_one(
    splits: tuple[str, Mapping[str, Sequence[Row]]],
) -> None:
    name, made_splits = splits
    train, test = ({row["table"] for row in made_splits[split]} for split in ("train", "test"))
    assert not train & test
    assert len(test) == len({row["table_id"] for row in made_splits["test"]})
    fewer = generate(name, seed=3, sizes={"train": 10, "test": 5})
    assert tuple(fewer["train"]) == tuple(made_splits["train"][:10])
    assert tuple(fewer["test"]) == tuple(made_splits["test"][:5])
    assert generate(name, seed=4, sizes={"test": 5})["test"] != fewer["test"]


GOLDEN = {
    "aggregation": "ca3784e973f1ed5c",
    "cell_lookup": "d2b62c2e9f7371e7",
    "fact_verification": "e984e763d798f83a",
    "hctqa": "709da22e1967e887",
    "suc_cell_lookup": "f8e22789e2038c6d",
    "suc_column_retrieval": "f92891f032949426",
    "suc_column_values": "c4c86b46c5e53c49",
    "suc_merged_cell_detection": "d2f1ea42efc70f9f",
    "suc_reverse_lookup": "b9d59e28d6923c4d",
    "suc_row_retrieval": "c3b3bd82452aec40",
    "suc_size_detection": "46158b249a28fb4c",
    "suc_table_partition": "c3899a5b9447af78",
}


def plain(value: str | Table) -> object:
    return value if isinstance(value, str) else [[cell.text for cell in line] for line in value.grid]


@pytest.mark.parametrize(("name", "expected"), GOLDEN.items())
def test_rows_are_the_same_on_every_machine(name: str, expected: str) -> None:
    digest = hashlib.sha256()
    for row in generate(name, seed=11, sizes={"train": 5, "test": 15})["test"]:
        for key, value in row.items():
            if not callable(value):
                digest.update(json.dumps([key, plain(value)]).encode())
    assert digest.hexdigest()[:16] == expected


def test_the_stored_reports_are_rows_of_any_seed() -> None:
    rows = generate("filings", seed=1, sizes={"test": 180})["test"]
    assert len({row["table_id"] for row in rows}) == 20
    assert {row["company"] for row in rows} == {str(row["document"].title).split(":")[0] for row in rows}
    digest = hashlib.sha256()
    for row in rows:
        texts = {key: value for key, value in row.items() if isinstance(value, str)}
        digest.update(json.dumps([texts, row["document"].to_json()], sort_keys=True).encode())
    assert digest.hexdigest()[:16] == "25b9aa4759ad6495"
    with pytest.raises(DataError, match="gave no table beyond the first 20"):
        generate("filings", seed=1, sizes={"test": 181})


@pytest.mark.full
@pytest.mark.parametrize("name", SMALL)
def test_row_groups_are_merged_cells_that_shuffled_rows_keep_together(name: str) -> None:
    nested = 0
    for row in made(name):
        table = row["table"]
        groups = [cell for line in table.rows[table.header_rows :] for cell in line if cell.rowspan > 1]
        nested += bool(groups)
        first = [table.grid[r][0].text for r in range(table.header_rows, table.n_rows)]
        assert len({text for text in first if text.strip()}) == len(
            [text for at, text in enumerate(first) if text.strip() and (at == 0 or first[at - 1] != text)]
        )
    assert nested > 60


@pytest.mark.full
def test_the_generators_rows_carry_all_that_the_card_reads() -> None:
    rows = made("hctqa", size=400)
    assert {row["template"] for row in rows} == {str(kind) for kind in range(1, 16)}
    for row in rows:
        assert row["sql"].startswith("SELECT ")
        assert row["answer"].startswith("{")
        assert isinstance(json.loads(row["table_properties"]), dict)
        assert json.loads(row["question_properties"])
    assert len({row["family"] for row in rows}) == 12


def test_a_table_gives_different_questions_until_it_has_no_more() -> None:
    drawn = sample_table(Random(5), 0)
    found = list(drawn.questions((1,)))
    assert len({each.question for each in found}) == len(found) > 4
    assert all(single_value(each) is not None for each in found)
    assert {single_value(each) for each in sample_table(Random(5), 0).questions((6,))} == {None}


def test_an_unknown_generator_gets_the_nearest_names() -> None:
    with pytest.raises(
        UnknownNameError, match="unknown generator 'aggregations'; did you mean 'aggregation'"
    ):
        generate("aggregations", seed=1, sizes={"test": 1})


def test_another_generator_under_a_name_makes_its_own_rows() -> None:
    def making(text: str) -> Generator:
        def rows(random: Random, number: int) -> Iterator[Row]:
            table = Table.flat(header=["a"], rows=[[f"{text}{number}"]])
            yield {"table": table, "question": "?", "answer": text, "kind": "k"}

        return rows

    found = []
    for text in ("one", "two"):
        generators.register("exchanged", making(text), origin="theirs")
        found += [row["answer"] for row in generate("exchanged", seed=1, sizes={"test": 1})["test"]]
        generators.remove("exchanged")
    assert found == ["one", "two"]
