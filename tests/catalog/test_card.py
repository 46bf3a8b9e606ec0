from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import card_names, folders, load_card
from torr_plugin.core.errors import CardError, InputError, RecipeError, UnknownNameError
from torr_plugin.core.versions import shipped_folder
from torr_plugin.recipes import load, plan
from torr_plugin.scoring.metrics import metrics
from torr_plugin.tables import perturbations

from . import tiny
from .conftest import Changed


def test_the_shipped_cards() -> None:
    assert set(card_names()) >= {f"cards.{name}" for name in (*tiny.REAL, *tiny.MADE, *tiny.BUNDLED)}


@pytest.mark.parametrize("name", [*tiny.REAL, *tiny.MADE, *tiny.BUNDLED])
def test_a_card_says_what_the_study_needs(name: str) -> None:
    card = load_card(name)
    assert load_card(f"cards.{name}") == card
    assert (card.name, card.dataset) == (f"cards.{name}", name)
    assert card.description
    assert card.licence
    assert list(card.skills) == ["knowledge_extraction", "textual_reasoning", "numerical_reasoning"]
    assert set(card.skills.values()) <= {"required", "partial", "none"}
    assert set(card.keeps_labels) <= set(perturbations.names())
    assert "none" in card.keeps_labels
    assert card.main_metric in {
        score for metric in card.metrics for score in metrics.get(metric).scores("x", ["x"])
    }
    assert "Table:\n{table}\n" in card.template.input_format
    assert card.template.target_prefix.endswith(": ")
    assert "\n" not in card.template.target_prefix


@pytest.mark.parametrize(
    ("name", "metric", "main", "licence", "splits"),
    [
        ("wikitq", "f1_strings", "f1_strings", "CC-BY-SA-4.0", ("train", "test")),
        ("tab_fact", "accuracy", "accuracy", "CC-BY-4.0", ("train", "test")),
        ("scigen", "rouge", "rougeL", "CC-BY-NC-SA-4.0", ("train", "test")),
        ("numeric_nlg", "rouge", "rougeL", "CC-BY-SA-4.0", ("validation", "test")),
        ("hctqa.real", "hctqa", "recall", "MIT", ("test", "test")),
        *[(name, "rouge", "rougeL", "Apache-2.0", ("train", "test")) for name in tiny.TABLEBENCH_CARDS],
        ("qtsumm", "rouge", "rougeL", "MIT", ("train", "test")),
        ("turl_col_type", "column_types", "exact_match", "CC-BY-4.0", ("validation", "test")),
        ("bundled.cell_lookup", "exact_match", "exact_match", "Apache-2.0", ("train", "test")),
        ("bundled.aggregation", "exact_match", "exact_match", "Apache-2.0", ("train", "test")),
        ("bundled.fact_verification", "accuracy", "accuracy", "Apache-2.0", ("train", "test")),
    ],
)
def test_metric_licence_and_splits(
    name: str, metric: str, main: str, licence: str, splits: tuple[str, str]
) -> None:
    card = load_card(name)
    assert (card.metrics[0], card.main_metric, card.licence) == (metric, main, licence)
    assert (card.demo_split, card.test_split) == splits


def test_the_fingerprint_is_of_what_is_said_and_not_of_its_layout(tmp_path: Path) -> None:
    shipped = load_card("wikitq")
    said = json.loads(shipped.path.read_text())
    copy = tmp_path / "copy.json"
    copy.write_text(json.dumps(dict(reversed(said.items()))))
    assert load_card(copy).fingerprint == shipped.fingerprint
    assert load_card(str(copy)).name == "cards.copy"
    copy.write_text(json.dumps({**said, "licence": "other"}))
    assert load_card(copy).fingerprint != shipped.fingerprint


def test_an_unknown_card_gets_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown card 'wikitqq'; did you mean 'cards.wikitq'\?"):
        load_card("wikitqq")
    with pytest.raises(CardError, match=r"none\.json: no such card file"):
        load_card("none.json")


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("wikitq", {"licenze": "x"}, "licenze: unknown key; did you mean 'licence'?"),
    ("wikitq", {"licence": ...}, "the card: the key 'licence' is missing"),
    ("wikitq", {"licence": 3}, "licence: found 3; expected text"),
    ("wikitq", {"__type__": "task_card"}, "__type__: found 'task_card'; expected 'table_card'"),
    (
        "wikitq",
        {"loader.hub": ...},
        "loader: splits.train.hub: found some of the hub's splits; expected 'hub' of",
    ),
    (
        "wikitq",
        {"loader.splits.test.hub": []},
        "loader: splits.test.hub: found none of the hub's splits; expected",
    ),
    (
        "wikitq",
        {"templates": ["templates.qa.with_context.simple"]},
        "templates.0: found 'templates.qa.with_context.simple'; expected an object",
    ),
    ("wikitq", {"loader.hubb": {}}, "loader.hubb: unknown key; did you mean 'hub'?"),
    ("wikitq", {"loader.__type__": "load_hf"}, "loader: "),
    (
        "wikitq",
        {"test_split": "tset"},
        "test_split 'tset' is not among the loader's splits: train, validation, test",
    ),
    (
        "wikitq",
        {"preprocess_steps.0.max_cells": 0},
        "preprocess_steps.0.max_cells: found 0; expected a number of more than 0",
    ),
    (
        "wikitq",
        {"preprocess_steps.0.references": [{"column": "answers", "joined": ","}]},
        "preprocess_steps.0.references.0.joined: unknown key; did you mean 'join'?",
    ),
    (
        "wikitq",
        {"preprocess_steps.0.table.reader": "colums"},
        "preprocess_steps.0.table.reader: unknown reader 'colums'; did you mean 'columns'?",
    ),
    ("wikitq", {"preprocess_steps.0.inputs": {"table": "id"}}, "an input cannot be called 'table'"),
    (
        "wikitq",
        {"preprocess_steps.0.inputs": {"statement": "question"}},
        "preprocess_steps.0.inputs: found statement, expected question, the inputs of tasks.torr.table_qa",
    ),
    (
        "wikitq",
        {"preprocess_steps.0.target": "question"},
        "'target' of read_example goes with a template of type",
    ),
    (
        "wikitq",
        {"preprocess_steps.0.references": ["id", "question"]},
        "several references need a 'multi_reference",
    ),
    ("wikitq", {"preprocess_steps": []}, "preprocess_steps: found []; expected at least one entry"),
    (
        "wikitq",
        {"keeps_labels.0": "shufle_rows"},
        "keeps_labels.0: unknown perturbation 'shufle_rows'; did you mean 'shuffle_rows'",
    ),
    ("wikitq", {"task": "tasks.torr.table_qs"}, "task: unknown task 'tasks.torr.table_qs'; did you mean"),
    ("wikitq", {"task": "table_qa"}, "task: found 'table_qa'; expected a task"),
    (
        "wikitq",
        {"task": "tasks.torr.table_qa[metrics=[metrics.torr.f1_string]]"},
        "task: unknown metric 'metrics.torr.f1_string'; did you mean 'metrics.torr.f1_strings'",
    ),
    (
        "wikitq",
        {"templates.0.input_format": "{table} {qestion}"},
        "templates.0.input_format: unknown input 'qestion'; did you mean 'question'?",
    ),
    ("wikitq", {"templates.0.input_format": "{table} {"}, "templates.0.input_format: not a format:"),
    (
        "wikitq",
        {"templates.0.input_format": "{question}"},
        "templates.0.input_format: found no {table} in '{question}'",
    ),
    (
        "wikitq",
        {"templates.0.input_format": "{{table}} {question}"},
        "templates.0.input_format: found no {table} in '{{table}} {question}'",
    ),
    (
        "wikitq",
        {"templates.0.output_format": "{answer}"},
        "templates.0.output_format: found '{answer}'; expected '{target}'",
    ),
    ("wikitq", {"templates.0.reference": "{reference}"}, "a template of type 'input_output_template' has"),
    (
        "wikitq",
        {"templates.0.postprocessors": ["processors.first_line"]},
        "templates.0.postprocessors.0: unitxt has no 'processors.first_line'",
    ),
    (
        "wikitq",
        {"skills.numerical_reasoning": "some"},
        "skills.numerical_reasoning: found 'some'; expected 'required', 'partial' or 'none'",
    ),
    *(
        ("wikitq", {f"loader.{field}": place}, f"loader.{field}: found {place!r}, expected names joined by")
        for field, place in [
            ("mirror", "../elsewhere"),
            ("mirror", "/elsewhere"),
            ("mirror", "C:\\elsewhere"),
            ("splits.test.mirror", "../../test"),
        ]
    ),
    (
        "tablebench_fact_checking",
        {"loader.mix.shares": {"train": 0.5, "tset": 0.5}},
        "loader: mix.shares are of train, tset; expected the splits: train, validation, test",
    ),
    (
        "sqa",
        {"loader.rows": "sqqa"},
        "loader.rows: unknown row step 'sqqa'; did you mean 'sqa'",
    ),
    (
        "bundled/cell_lookup",
        {"loader.generator": "cell_look_up"},
        "loader.generator: unknown generator 'cell_look_up'; did you mean 'cell_lookup'",
    ),
    (
        "bundled/cell_lookup",
        {"loader.splits.test": 1_000_000_000},
        "loader.splits: found 1,000,000,200 examples together; expected at most 100,000",
    ),
    (
        "bundled.cell_lookup",
        {"loader.splits": {"train": 50_000, "test": 50_001}},
        "loader.splits: found 100,001 examples together; expected at most 100,000",
    ),
    (
        "bundled/cell_lookup",
        {"preprocess_steps.0.table": {"columns": {"html": "table"}}},
        "without a reader, 'columns' has the one entry 'table'",
    ),
]


@pytest.mark.parametrize(
    ("name", "changes", "message"), WRONG, ids=[str(next(iter(case[1]))) for case in WRONG]
)
def test_a_wrong_card_gets_one_line_with_file_and_field(
    changed_card: Changed, name: str, changes: dict[str, Any], message: str
) -> None:
    path = changed_card(name, changes)
    with pytest.raises(CardError) as caught:
        load_card(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_card_made_by_hand_says_all_that_is_missing_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"__type__": "table_card", "main_metrics": "f1", "loader": {"__type__": "load_tables"}}')
    with pytest.raises(CardError) as caught:
        load_card(path)
    assert str(caught.value) == (
        f"{path}: main_metrics: unknown key; did you mean 'main_metric'?; the card: the keys "
        "'__description__', 'licence', 'skills', 'main_metric', 'keeps_labels', 'test_split', "
        "'preprocess_steps', 'task', 'templates' are missing; "
        "loader: the keys 'mirror', 'columns', 'splits' are missing"
    )


def test_what_does_not_fit_is_said_at_once(changed_card: Changed) -> None:
    with pytest.raises(CardError, match=r"test_split 'tset' is not among the loader's splits"):
        load_card(changed_card("wikitq", {"test_split": "tset"}))
    wrong = {
        "keeps_labels.0": "shufle_rows",
        "preprocess_steps.0.table.reader": "colums",
        "task": "tasks.torr.table_qa[metrics=[metrics.torr.f1_string]]",
        "templates.0.postprocessors": ["processors.take_first_line"],
    }
    with pytest.raises(CardError) as caught:
        load_card(changed_card("wikitq", wrong))
    for hint in (
        "'shuffle_rows'",
        "'columns'",
        "'metrics.torr.f1_strings'",
        "'processors.take_first_word' or 'processors.take_first_non_empty_line'",
    ):
        assert f"did you mean {hint}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.full
def test_a_card_without_demonstrations_names_no_split_of_them(changed_card: Changed, tmp_path: Path) -> None:
    path = changed_card("bundled/cell_lookup", {"demo_split": ...})
    assert load_card(path).demo_split is None
    recipe = (
        "name: x\ncards: [{card: %s, shots: %d}]\nconfigurations: html/none/default\nexamples: {count: 2}\n"
    )
    (tmp_path / "x.yaml").write_text(recipe % (path, 0))
    assert plan(load(tmp_path / "x.yaml")).size == 2
    (tmp_path / "x.yaml").write_text(recipe % (path, 1))
    with pytest.raises(RecipeError, match=r"has no 'demo_split'; expected 0 shots"):
        list(plan(load(tmp_path / "x.yaml")).requests())


def test_cards_that_differ_in_few_values_share_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed_card: Changed
) -> None:
    monkeypatch.setattr(folders.card_folders, "_values", {})
    shared = json.loads(changed_card("bundled/cell_lookup", {"loader.seed": ...}).read_text())
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / "pair.json"
    cards: dict[str, Any] = {"one": {"loader.seed": 1}, "two": {"loader.seed": 2, "notes": []}}
    file.write_text(json.dumps({"__type__": "table_cards", "shared": shared, "cards": cards}))
    folders.card_folders.register("", tmp_path / "mine")
    assert {name for name in card_names() if "pair" in name} == {"cards.pair.one", "cards.pair.two"}
    (tmp_path / "other" / "pair").mkdir(parents=True)
    (tmp_path / "other" / "pair" / "two.json").write_text(json.dumps(shared))
    with pytest.raises(InputError, match=r"two cards are called 'cards\.pair\.two': .*pair\.json and "):
        folders.card_folders.register("", tmp_path / "other")
    one, two = load_card("pair.one"), load_card("cards.pair.two")
    assert (one.name, one.loader.seed, two.loader.seed, two.notes) == ("cards.pair.one", 1, 2, ())
    assert one.template == two.template
    for name in ("pair", "pair.thre", file):
        with pytest.raises(UnknownNameError, match=r"pair\.json: unknown card '.*(one|two)"):
            load_card(name)
    cards["two"] = {"loader.seed": "2"}
    file.write_text(json.dumps({"__type__": "table_cards", "shared": shared, "cards": cards}))
    with pytest.raises(CardError, match=r"pair\.json: cards\.two: loader\.seed: found '2'"):
        load_card("pair.two")
    cards["two"] = {"loader.sead.0": 2}
    file.write_text(json.dumps({"__type__": "table_cards", "shared": shared, "cards": cards}))
    with pytest.raises(CardError, match=r"cards\.two: loader\.sead\.0: found no such place in 'shared'"):
        load_card("pair.two")
    parts = {"a": {"loader.seed": 5, "notes": ["a"]}, "b": {"notes": ["b"]}}
    cards = {"one.more": {"of": ["a", "b"], "licence": "mine"}, "two": {"of": ["c"]}}
    file.write_text(json.dumps({"__type__": "table_cards", "shared": shared, "parts": parts, "cards": cards}))
    more = load_card("pair.one.more")
    assert (more.loader.seed, more.notes, more.licence) == (5, ("b",), "mine")
    with pytest.raises(CardError, match=r"cards\.two: of: found \['c'\]; expected names in 'parts'"):
        load_card("pair.two")
    file.write_text(json.dumps({"__type__": "table_cards", "cards": 1}))
    with pytest.raises(UnknownNameError, match="unknown card 'pair'"):
        load_card(file)


def test_a_number_without_end(tmp_path: Path) -> None:
    (tmp_path / "long.json").write_text('{"a": ' + "1" * 5000 + "}")
    with pytest.raises(CardError, match=r"long\.json: the card cannot be read: Exceeds the limit"):
        load_card(tmp_path / "long.json")


def test_a_file_that_is_not_json_gets_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{\n    "licence": "MIT",\n    licence: 2}')
    with pytest.raises(CardError, match=r"broken\.json: line 3: not JSON: .* at column 5"):
        load_card(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CardError, match=r"cannot be read: 'utf-8' codec can't decode byte 0xff"):
        load_card(path)
    path.write_text("[" * 100_000)
    with pytest.raises(CardError, match=r"broken\.json: .*(nested too deep|not JSON)"):
        load_card(path)
    path.write_text("[]")
    with pytest.raises(CardError, match=r"the card: found .*; expected an object"):
        load_card(path)


def test_metrics_may_be_left_to_the_task_or_be_unitxts(changed_card: Changed) -> None:
    task = changed_card("wikitq", {"task": "tasks.torr.table_qa"})
    assert load_card(task).metrics == ("exact_match",)
    two = "tasks.torr.table_qa[metrics=[metrics.torr.f1_strings, metrics.squad]]"
    assert load_card(changed_card("wikitq", {"task": two})).metrics == ("f1_strings", "squad")


def test_a_folder_of_cards_can_be_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders.card_folders, "_values", {})
    mine = tmp_path / "mine"
    (mine / "set").mkdir(parents=True)
    shipped = (shipped_folder("cards") / "wikitq.json").read_text()
    (mine / "set" / "one.json").write_text(shipped)
    folders.card_folders.register("", mine, origin="a-plugin")
    folders.card_folders.register("", mine, origin="a-plugin")
    assert "cards.set.one" in card_names()
    assert load_card("set.one").name == "cards.set.one"
    other = tmp_path / "other"
    other.mkdir()
    (other / "wikitq.json").write_text(shipped)
    with pytest.raises(
        InputError, match=r"two cards are called 'cards\.wikitq': .* \(from b-plugin\); rename one"
    ):
        folders.card_folders.register("", other, origin="b-plugin")
    assert load_card("wikitq").path.parent == shipped_folder("cards").resolve()
    with pytest.raises(InputError, match=r"nowhere: no such folder of cards \(from c-plugin\)"):
        folders.card_folders.register("", tmp_path / "nowhere", origin="c-plugin")


def test_a_metric_alone_gives_the_main_score_whatever_was_imported() -> None:
    code = (
        "from torr_plugin.catalog import load_card, with_metrics\n"
        "card = load_card('cards.bundled.cell_lookup')\n"
        "print(card.main_metric, with_metrics(card, ['f1_strings']).main_metric,"
        " with_metrics(card, ['f1_strings', 'exact_match']).main_metric)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["exact_match", "f1_strings", "exact_match"]


def test_main_scores_are_those_of_the_metrics() -> None:
    shipped = [name.removeprefix("metrics.torr.") for name in folders.artifact_names("metrics")]
    assert {name: folders.main_score(name) for name in shipped} == {
        name: metrics.get(name).main for name in shipped
    }
    assert folders.main_score("of_nobody") == ""
