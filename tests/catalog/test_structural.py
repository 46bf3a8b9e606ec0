"""Structural questions about the tables of a data set: right, one a table, and independent of other rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.examples import read_rows
from torr_plugin.catalog.loading import stream_rows
from torr_plugin.catalog.mirroring import mirrored
from torr_plugin.core.errors import CardError, DataError
from torr_plugin.core.seeds import generator
from torr_plugin.integrations.unitxt import register
from torr_plugin.papers.suc.structural_questions import TASKS as TASKS_OF_SUC
from torr_plugin.papers.suc.structural_sample import balanced
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration
from torr_plugin.tables import perturbations, serializers

from ..papers.suc.sheets import READERS
from ..papers.suc.solver import solve
from . import tiny
from .conftest import Changed

TASKS = sorted(set(TASKS_OF_SUC) - {"merged_cell_detection"})
ROW = {"table_id": "t1", "table_text": "boat#seats\ntern#12\ngull#7\n", "table_caption": "boats"}


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", TASKS)
def test_answers_about_real_tables_hold(name: str) -> None:
    card = load_card(f"suc.tab_fact.{name}")
    examples = read_examples(card, "test")
    assert len(examples) == len({example.groups["table"] for example in examples}) > 1000
    builder = PromptBuilder(card, (), shots=0)
    for example in examples[::30]:
        text = builder.build(example, Configuration("html", "none", "suc_question_last"))[0].content
        table = text[text.rindex("<table") :].partition("</table>")[0]
        question = text.rpartition("Question: ")[2].partition("\n")[0]
        assert (solve(READERS["html"](table), question),) == example.references


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., list[tuple[str, str]]]:
    """Ids and questions of a card over TabFact, of a mirror with these rows."""

    def ask(card: str | Path, *rows: dict[str, str]) -> list[tuple[str, str]]:
        mirror = tmp_path / str(len(list(tmp_path.iterdir())))
        whole = [{"id": at, "statement": "so", "label": 1, **row} for at, row in enumerate(rows)]
        for split in ("validation", "test"):
            file = mirror / "tab_fact" / f"{split}.parquet"
            file.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(whole), file)
        found = load_card(card)
        read = stream_rows(found.loader, "test", found.name, mirror)
        examples = read_rows(found.reading, read, split="test", card=found.name)
        return [(example.id, example.fields["question"]) for example in examples]

    return ask


Asked = Callable[..., "list[tuple[str, str]]"]


def test_a_table_is_asked_about_once_and_as_it_would_be_alone(asked: Asked) -> None:
    other = {**ROW, "table_id": "t2", "table_text": "a#b\nc#d\ne#f\ng#h"}
    (alone,) = asked("suc.tab_fact.cell_lookup", ROW)
    both = asked("suc.tab_fact.cell_lookup", other, ROW, {**ROW, "table_caption": "again"}, other)
    assert [name for name, _ in both] == ["t2", "t1"]
    assert both[1] == alone


@pytest.mark.parametrize("text", ["boat#seats\ntern#.\ngull#.", "boat#seats\ntern#1|2\ngull#7"])
def test_tables_without_an_unambiguous_question_are_left_out(asked: Asked, text: str) -> None:
    assert asked("suc.tab_fact.row_retrieval", {**ROW, "table_text": text}) == []


def test_another_seed_asks_other_questions(asked: Asked, changed_card: Changed) -> None:
    other = changed_card("suc/tab_fact/cell_lookup", {"loader.seed": 99})
    rows = [{**ROW, "table_id": f"t{number}"} for number in range(20)]
    assert asked("suc.tab_fact.cell_lookup", *rows) != asked(other, *rows)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"loader.cards.1": "cards.hctqa.reel"},
            "loader.cards.1: unknown card 'cards.hctqa.reel'; did you mean",
        ),
        ({"loader.task": "cell_lokup"}, "loader.task: unknown task 'cell_lokup'; did you mean 'cell_lookup'"),
        ({"loader.splits.test": 5}, "loader.*splits.test"),
        ({"loader.splits.test.of": ""}, "loader.*splits.test.of"),
        ({"loader.cards": []}, "loader.*cards"),
        ({"test_split": "dev"}, "test_split 'dev' is not among the loader's splits: train, test"),
    ],
)
def test_wrong_cards_over_other_cards(changed_card: Changed, changes: dict[str, object], said: str) -> None:
    with pytest.raises(CardError, match=said):
        load_card(changed_card("suc/real/cell_lookup", changes))


@pytest.mark.usefixtures("tiny_mirror")
def test_a_card_over_other_cards_takes_its_tables_from_none_that_does_so(changed_card: Changed) -> None:
    card = load_card(changed_card("suc/real/cell_lookup", {"loader.cards": ["suc.real.size_detection"]}))
    with pytest.raises(CardError, match=r"cards.suc.real.size_detection takes its tables from other cards"):
        read_examples(card, "test")


@pytest.mark.usefixtures("tiny_mirror")
def test_each_table_of_the_cards_is_asked_about_once(changed_card: Changed) -> None:
    changes = {"loader.cards": ["wikitq", "tab_fact", "scigen", "hctqa.real"], "loader.splits.train.count": 1}
    card = load_card(changed_card("suc/real/table_partition", changes))
    train, test = read_examples(card, "train"), read_examples(card, "test")
    found = {example.groups["source"]: example for example in (*train, *test)}
    assert len(train) == 1
    assert len(found) == len(train) + len(test) == 4
    assert {example.groups["size"] for example in found.values()} == {"1-50 cells"}
    facts = found["tab_fact"]
    assert facts.table.title == ""  # it stands around the table
    lines = [line for side in ("before", "after") for line in facts.fields[side].split("\n")]
    assert sorted(lines) == [
        "Description: boats of the bay",
        *(
            f"Statement: {row['statement']}"
            for row in sorted(tiny.TAB_FACT, key=lambda row: row["statement"])
        ),
    ]
    assert found["hctqa.real"].target == "Port | 4"


def test_a_mirror_without_one_of_the_cards_is_named(tiny_mirror: Path, changed_card: Changed) -> None:
    (tiny_mirror / "scigen" / "test.parquet").unlink()
    card = load_card(changed_card("suc/real/cell_lookup", {"loader.cards": ["tab_fact", "scigen"]}))
    with pytest.raises(DataError, match=r"cards.scigen: split 'test': expected .*test.parquet"):
        read_examples(card, "test")


@given(st.integers(0, 60), st.lists(st.integers(0, 20), min_size=1, max_size=6))
def test_numbers_are_balanced(total: int, available: list[int]) -> None:
    taken = balanced(total, available)
    assert sum(taken) == min(total, sum(available))
    assert all(number <= most for number, most in zip(taken, available, strict=True))
    with_more = [number for number, most in zip(taken, available, strict=True) if number < most]
    assert max(taken) - min(with_more, default=max(taken)) <= 1


def test_pulling_or_verifying_a_card_over_other_cards_is_about_those() -> None:
    names = [card.name for card in mirrored(["suc.real.merged_cell_detection", "hctqa.real"])]
    assert names == ["cards.hitab.test", "cards.hctqa.real"]
    assert not any(card.loader.type_ == "load_structural" for card in mirrored([]))


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("task", ["size_detection", "column_retrieval", "column_values"])
def test_labels_are_kept_as_the_cards_say(task: str) -> None:
    card = load_card(f"suc.real.{task}")
    examples = read_examples(card, "test")[::15]
    for name in card.keeps_labels:
        perturbation = perturbations.get(name)
        for example in examples:
            shown = perturbation.perturb(example.table, generator(0, card.dataset, example.id, name))
            sheet = READERS["xml"](serializers.get("xml").serialize(shown))
            assert solve(sheet, example.fields["question"]) == example.target


SOURCES = {"hitab.test": 313, "scigen": 313, "hctqa.real": 312, "tab_fact": 312, "wikitq": 250}


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
def test_the_real_tables_are_as_many_as_docs_say() -> None:
    for task in ("merged_cell_detection", "size_detection", "column_values"):
        card = load_card(f"suc.real.{task}")
        test, train = read_examples(card, "test"), read_examples(card, "train")
        counts = Counter(example.groups["source"] for example in test)
        if task == "merged_cell_detection":
            assert counts == {"hctqa.real": 1036, "hitab.test": 464}
            assert sum(example.target == "None" for example in test) == 327
        else:
            assert all(abs(counts[source] - count) <= 2 for source, count in SOURCES.items())
        assert (len(test), len(train)) == (1500, 100)
        assert not {example.table for example in test} & {example.table for example in train}
        assert {example.groups["source"] for example in test[: len(counts)]} == set(counts)
        first = Counter(example.groups["source"] for example in test[:100])
        assert all(abs(number - counts[source] / 15) <= 2 for source, number in first.items())


@pytest.mark.usefixtures("tiny_mirror")
def test_a_mirror_of_the_data_set_serves_these_cards_too() -> None:
    found = read_examples(load_card("suc.tab_fact.size_detection"), "test")
    assert [example.target for example in found] == [
        f"{tiny.TAB_FACT[0]['table_text'].count(chr(10)) - 1} | 2"
    ]


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("suc.merged_cell_detection", marks=pytest.mark.full),
        "suc.tab_fact.table_partition",
        pytest.param("suc.real.size_detection", marks=pytest.mark.full),
    ],
)
def test_the_cards_are_unitxts_too(name: str) -> None:
    from .test_unitxt import HOW_MANY, assert_same, instances

    register()
    card = load_card(name)
    assert_same(card, instances(card), read_examples(card, "test")[:HOW_MANY])
