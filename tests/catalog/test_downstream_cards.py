"""The cards of the downstream tasks of "Table Meets LLM", on small files of the hub versions' schemas."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import datasets
import pytest

from torr_plugin.catalog import Example, load_card, read_examples
from torr_plugin.integrations.unitxt import register
from torr_plugin.prompts import Configuration, PromptBuilder
from torr_plugin.recipes import load, plan
from torr_plugin.scoring import score_example
from torr_plugin.tables import serializers

from ..conftest import Torr
from . import downstream
from .test_unitxt import assert_same, instances

NAMES = ("feverous", "hybrid_qa", "sqa", "totto")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All four data sets, written once."""
    return downstream.write_all(tmp_path_factory.mktemp("mirror"))


@pytest.fixture
def mirror(written: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All four data sets, with ``TORR_DATA`` pointing at them; only to be read."""
    monkeypatch.setenv("TORR_DATA", str(written))
    return written


def asked(name: str) -> list[Example]:
    card = load_card(name)
    return read_examples(card, card.test_split)


def prompt(name: str, example: Example, configuration: str = "markdown/none/default") -> str:
    (message,) = PromptBuilder(load_card(name), []).build(example, Configuration.of(configuration))
    return message.content


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", NAMES)
def test_the_right_answer_scores_1_and_another_0(name: str) -> None:
    card = load_card(name)
    for example in asked(name):
        right = score_example(card, example.target, example.references, example.facts)
        wrong = score_example(card, "zebra", example.references, example.facts)
        assert right[card.main_metric] == pytest.approx(1)
        assert wrong[card.main_metric] == 0


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("design", ["suc", "self_augmented+table_size+suc", "suc_question_last"])
def test_every_design_of_the_study_shows_them(name: str, design: str) -> None:
    for example in asked(name):
        builder = PromptBuilder(load_card(name), [])
        text = builder.build(example, Configuration("html", "none", design))[-1].content
        assert "<table>" in text
        assert all(value in text for value in example.fields.values())


@pytest.mark.usefixtures("mirror")
def test_hybrid_qa_shows_each_linked_passage_once_under_the_table() -> None:
    first, second = asked("hybrid_qa")
    assert first.table is second.table
    assert first.table.title == "Boats of the bay"
    assert [[each.text for each in row] for row in first.table.grid] == [
        ["Boat", "Seats"],
        ["Tern", "12"],
        ["Gull", "7"],
    ]
    assert first.fields["passages"] == f"- Tern: {downstream.TERN}\n- Gull: {downstream.GULL}"
    assert dict(first.groups) == {"table": "Boats_0"}
    assert prompt("hybrid_qa", first).endswith(
        f"\n\nPassages, each after the text of its cell:\n{first.fields['passages']}\n\n"
        "Question: Where was the boat with 12 seats built?\nAnswer: "
    )


@pytest.mark.usefixtures("mirror")
def test_sqa_shows_the_earlier_questions_of_the_sequence_with_their_right_answers() -> None:
    last, first, second, other = asked("sqa")
    assert [each.id for each in (first, second, last, other)] == [
        "nt-1-0-0",
        "nt-1-0-1",
        "nt-1-0-2",
        "nt-1-1-0",
    ]
    assert first.fields["history"] == other.fields["history"] == "none"
    assert last.fields["history"] == (
        "- which boats are there? Tern | Gull | Auk\n- which of them have 7 seats? Gull | Auk"
    )
    assert dict(last.groups) == {"table": "table_csv/203_1.csv", "sequence": "nt-1-0", "position": "2"}
    assert second.references == ("Gull | Auk",)
    assert prompt("sqa", second).endswith(
        "Earlier questions and answers:\n- which boats are there? Tern | Gull | Auk\n"
        "Question: which of them have 7 seats?\nAnswer: "
    )


@pytest.mark.usefixtures("mirror")
def test_sqa_takes_back_what_pandas_made_of_a_table() -> None:
    table = asked("sqa")[0].table
    assert [cell.text for cell in table.grid[0]] == ["Boat", "Seats", "Seats", ""]
    assert [cell.text for cell in table.grid[2]] == ["Gull", "7.0", "", "old"]


@pytest.mark.usefixtures("mirror")
def test_totto_shows_merged_cells_and_the_highlighted_ones_with_their_headers() -> None:
    first, second = asked("totto")
    assert (first.table.header_rows, first.table.header_columns, first.table.n_columns) == (2, 0, 3)
    assert [cell.text for cell in first.table.grid[3]] == ["1996", "Jude", "Sue"]
    assert [cell.text for cell in first.table.grid[4]] == ["1997", "Lamb", ""]
    assert first.fields["highlighted"] == (
        "- Film / Title: Emma; Film / Part: Miss Taylor\n- Film / Title: Jude"
    )
    assert second.fields["highlighted"] == "- Year: 1996"
    assert len(first.references) == 2
    assert '<th rowspan="2">Year</th>' in prompt("totto", first, "html/none/default")
    assert [each.id for each in asked("totto.overlap")] == [first.id]
    assert [each.id for each in asked("totto.non_overlap")] == [second.id]


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", [each for each in serializers.text_names() if each != "carried"])
def test_all_formats_hold_the_tables_of_totto(name: str) -> None:
    for example in asked("totto"):
        assert "Miss Taylor" in serializers.get(name).serialize(example.table)


@pytest.mark.usefixtures("mirror")
def test_feverous_shows_the_evidence_after_the_titles_of_pages_and_sections() -> None:
    one, two, three = asked("feverous")
    assert [each.id for each in (one, two, three)] == ["1", "2", "3"]
    assert [each.target for each in (one, two, three)] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    assert one.table.title == "Films with Ada Rowe"
    assert one.table == asked("totto")[0].table.replace(title="Films with Ada Rowe")
    assert one.fields["texts"] == "- Ada Rowe: Ada Rowe is an actress from Ostmouth."
    text = prompt("feverous", one)
    assert f"Texts:\n{one.fields['texts']}\n\nTable, from Ada Rowe, Work, Films:\n" in text
    assert text.endswith("\n\nClaim: Ada Rowe played in 1 films.\nVerdict: ")
    assert two.groups["table"] == "Ostmouth_table_0"
    assert two.fields["texts"].splitlines() == [
        "- Ada Rowe, Work, Films: Order of the Bay, 2004",
        "- Ada Rowe: Ada Rowe is an actress from Ostmouth.",
    ]
    assert (two.table.header_rows, two.table.header_columns) == (0, 1)
    assert three.fields["texts"] == "none"
    assert json.loads(one.facts["evidence"])[0] == ["Ada Rowe_sentence_0"]


def test_the_script_makes_feverous_mirror_and_says_what_it_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims, pages = downstream.write_claims(tmp_path / "c.jsonl"), downstream.write_pages(tmp_path / "p.db")
    to, before = tmp_path / "mirror" / "feverous" / "validation.parquet", pages.read_bytes()
    command = [sys.executable, downstream.FEVEROUS, claims, pages]
    done = subprocess.run([*command, to], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"{to}: 3 claims",
        "left out: 1 (no claim or label)",
        "left out: 1 (no evidence set has a table)",
        "left out: 1 (every evidence set with a table has several)",
        "left out: 1 (a page, or an element of one, is not in the database)",
    ]
    assert pages.read_bytes() == before
    monkeypatch.setenv("TORR_DATA", str(tmp_path / "mirror"))
    assert len(read_examples(load_card("feverous"), "validation")) == 3
    claims.write_text("{")
    done = subprocess.run([*command, tmp_path / "o.parquet"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("feverous.py: JSONDecodeError: ")


@pytest.mark.usefixtures("mirror")
def test_the_shipped_study_asks_them_all_in_the_papers_formats_and_designs() -> None:
    recipe = load("suc_downstream")
    own = tuple(each for each in recipe.cards if each.card != "cards.tab_fact")
    made = plan(recipe.model_copy(update={"cards": own}), limit=1)
    assert {*made.examples} == {*NAMES}
    configurations = {each.id for each in made.configurations}
    tables_5_and_8 = {
        f"{name}/none/suc{without}"
        for name in ("nl_sep", "markdown", "json", "xml", "html")
        for without in ("", "_no_explanation", "_no_marks", "_no_role")
    }
    assert tables_5_and_8 <= configurations
    assert len(configurations) == 28


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "path", "splits"),
    [
        pytest.param(
            "hybrid_qa",
            "wenhu/hybrid_qa",
            {"train[:4000]": "train", "validation": "validation"},
            marks=pytest.mark.full,
        ),
        ("sqa", "microsoft/msr_sqa", {"train": "train", "validation": "train", "test": "test"}),
        pytest.param(
            "totto",
            "google-research-datasets/totto",
            {"train[:5000]": "train", "validation": "validation"},
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_pulled_mirror_reads_as_the_hub_does(
    torr: Torr,
    tmp_path: Path,
    mirror: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    path: str,
    splits: dict[str, str],
) -> None:
    """With features as ``datasets`` has them, which nests as the files do."""
    files = {split: str(mirror / name / f"{file}.parquet") for split, file in splits.items()}
    hub = {split: datasets.Dataset.from_parquet(file, cache_dir=tmp_path) for split, file in files.items()}
    card = load_card(name)
    own = [each for split in card.splits for each in read_examples(card, split)] if name != "sqa" else []
    monkeypatch.delenv("TORR_DATA")
    monkeypatch.setattr("datasets.load_dataset", lambda asked, split, **_: {path: hub}[asked][split])
    assert torr("data", "pull", name, "--to", tmp_path / "pulled").returncode == 0
    assert torr("data", "verify", name, "--to", tmp_path / "pulled").returncode == 0
    monkeypatch.setattr("torr_plugin.catalog.examples._read", {})
    from_hub = [each for split in card.splits for each in read_examples(card, split)]
    monkeypatch.setenv("TORR_DATA", str(tmp_path / "pulled"))
    pulled = [each for split in card.splits for each in read_examples(card, split)]
    assert pulled == from_hub != []
    assert not own or pulled == own


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", NAMES)
def test_cards_give_the_same_examples_in_unitxt(name: str) -> None:
    register()
    card = load_card(name)
    assert_same(card, instances(card), asked(name))
