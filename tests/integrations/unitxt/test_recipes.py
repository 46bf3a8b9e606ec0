"""Recipes in unitxt beside our own expansion: prompts, references, records and scores, byte for byte."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.record import record_of
from torr_plugin.integrations.studies import StudyPart, plan_of, requests_of, study_parts
from torr_plugin.integrations.unitxt.instances import prompt_of
from torr_plugin.scoring import score_example

HOW_MANY = 4

GOLDEN = [
    ("torr", "recipes.torr.wikitq.html.transpose"),
    ("torr", "recipes.torr.numeric_nlg.concat.shuffle_cols"),
    ("real", "recipes.real.scigen.df.shuffle_rows"),
    *(
        pytest.param(*more, marks=pytest.mark.full)
        for more in (
            ("torr", "recipes.torr.tab_fact.json.insert_empty_rows"),
            ("real", "recipes.real.hctqa.real.markdown.none"),
            ("hctqa_formats", "recipes.hctqa_formats.hctqa.synthetic.canonical_csv.nonsense"),
        )
    ),
    ("quickstart", "recipes.quickstart.bundled.fact_verification.indexed_row_major.transpose"),
    ("hctqa", "recipes.hctqa.real.pak.canonical_csv.none"),
    ("filings", "recipes.filings.bundled.filings_extraction.markdown.shuffle_cols"),
]


def part_named(study: str, name: str) -> StudyPart:
    (part,) = [each for each in study_parts(study) if each.recipe == name and each.config is not None]
    return part


def loaded(name: str, **options: Any) -> list[dict[str, Any]]:
    from unitxt import load_dataset

    given = {"max_test_instances": HOW_MANY, **options}
    return [dict(each) for each in load_dataset(name, split="test", **given)]


@pytest.fixture
def own_study(tmp_path: Path) -> Iterator[str]:
    """A study in a folder that a plugin brings, with two designs and a name that is not its file's."""
    from torr_plugin.recipes import add_recipe_folder, schema

    (tmp_path / "mine-1.yaml").write_text(
        "name: own\ncards: [cards.bundled.cell_lookup, cards.bundled.aggregation]\n"
        "configurations: {serializers: [latex, html], perturbations: [none, nonsense],"
        " designs: [default, hctqa]}\nexamples: {count: 2}\nmodels: [torr-lexical]\n"
    )
    add_recipe_folder(tmp_path, origin="a-test")
    yield "mine-1"
    schema.recipe_folders.remove(str(tmp_path))


def answers(instances: list[dict[str, Any]]) -> list[str]:
    """Right ones, wrong ones, and such as postprocessors and metrics have to work on."""
    ways = [
        lambda text: text,
        lambda text: "nothing of the kind",
        lambda text: f"\n{text.upper()}\nand more",
        lambda text: f"The answer is {text}.",
    ]
    return [ways[at % len(ways)](each["target"]) for at, each in enumerate(instances)]


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(("study", "name"), GOLDEN)
def test_unitxt_loads_and_rates_what_our_own_expansion_makes(study: str, name: str) -> None:
    from unitxt import evaluate

    part = part_named(study, name)
    planned = plan_of(study, part.dataset, HOW_MANY)
    requests = list(requests_of(planned, part))
    found = loaded(name)
    assert len(found) == len(requests) == HOW_MANY
    for instance, request in zip(found, requests, strict=True):
        assert prompt_of(instance["source"]) == request.prompt
        assert instance["references"] == list(request.references)
        data = json.loads(instance["task_data"])
        assert data["torr"] == json.loads(json.dumps(record_of(planned, request).as_dict()))
        assert data["facts"] == dict(request.facts)
    card, given = planned.cards[part.dataset], answers(found)
    expected = [
        score_example(card, text, request.references, request.facts)
        for text, request in zip(given, requests, strict=True)
    ]
    result = evaluate(predictions=given, data=found)
    for scored, scores in zip(result, expected, strict=True):
        del scores[f"{card.main_metric}.lenient"]  # unitxt rates by its own metrics
        assert {each: scored["score"]["instance"][each] for each in scores} == scores
        assert scored["score"]["instance"]["score"] == scores[card.main_metric]
    mean = math.fsum(scores[card.main_metric] for scores in expected) / len(expected)
    assert result.global_scores["score"] == pytest.approx(mean, abs=1e-12)


@pytest.mark.full
def test_all_configurations_of_a_data_set_are_a_benchmark(own_study: str) -> None:
    from unitxt import evaluate

    name = "recipes.own.bundled.cell_lookup"
    found = loaded(name, max_test_instances=2)
    parts = [
        each
        for each in study_parts(own_study)
        if each.config is not None and each.dataset == "bundled.cell_lookup"
    ]
    assert len(found) == 2 * len(parts) == 16
    assert [each["subset"] for each in found[::2]] == [
        [part.recipe.removeprefix(f"{name}.")] for part in parts
    ]
    planned = plan_of(own_study, "bundled.cell_lookup", 2)
    expected = [request.prompt for part in parts for request in requests_of(planned, part)]
    assert [prompt_of(each["source"]) for each in found] == expected
    right = [each["target"] for each in found]
    half = [text if at < 8 else "none of these" for at, text in enumerate(right)]
    assert evaluate(predictions=half, data=found).subsets_scores["score"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.full
def test_a_study_is_a_benchmark_of_benchmarks(own_study: str) -> None:
    from unitxt.api import load_recipe

    study = load_recipe("recipes.own")
    assert list(study.subsets) == ["bundled.cell_lookup", "bundled.aggregation"]
    assert [len(each.subsets) for each in study.subsets.values()] == [8, 8]
    found = loaded("recipes.own", max_test_instances=None, max_samples_per_subset=1)
    assert [each["subset"] for each in found] == [
        ["bundled.cell_lookup", "latex.none.default"],
        ["bundled.aggregation", "latex.none.default"],
    ]


def test_a_format_is_a_benchmark_of_its_perturbations() -> None:
    from unitxt.api import load_recipe

    some = load_recipe("recipes.quickstart.bundled.aggregation.html")
    assert list(some.subsets) == [
        f"html.{each}" for each in ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")
    ]


def test_a_recipe_survives_being_saved_and_logs_its_demonstrations() -> None:
    from unitxt.api import load_recipe
    from unitxt.artifact import Artifact

    recipe = load_recipe("recipes.quickstart.bundled.aggregation.json.shuffle_rows")
    logged = json.loads(next(iter(recipe()["test"]))["task_data"])["metadata"]
    assert logged["num_demos"] == 3
    assert logged["template"]["target_prefix"] == "Answer: "
    again = Artifact.from_dict(json.loads(recipe.to_json()))
    first, second = (next(iter(each()["test"])) for each in (recipe, again))
    assert first == second


def test_limits_are_the_beginning_and_chat_is_the_same_words() -> None:
    name = "recipes.quickstart.bundled.cell_lookup.html.none"
    whole = loaded(name, max_test_instances=6)
    assert [each["source"] for each in loaded(f"{name}[loader_limit=2]", max_test_instances=2)] == [
        each["source"] for each in whole[:2]
    ]
    chat = loaded(f"{name}[format=formats.chat_api]", max_test_instances=2)
    assert [each["source"] for each in chat] == [
        [{"role": "user", "content": each["source"]}] for each in whole[:2]
    ]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "recipes.quickstart.bundled.cell_lookup.html.none[num_demos=1]",
            "num_demos: found 1, but the study",
        ),
        ("recipes.quickstart.bundled.cell_lookup.html.none[serializer=serializers.table.df]", "serializer"),
        ("recipes.quickstart.bundled.cell_lookup.html.none[format=formats.user_agent]", "format: found"),
        ("recipes.quickstart.bundled.cell_lookup[num_demos=1]", "num_demos: found 1, but the study"),
    ],
)
def test_what_the_study_decides_cannot_be_changed(query: str, said: str) -> None:
    with pytest.raises(Exception, match=said):
        loaded(query)
