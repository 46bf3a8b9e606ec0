"""unitxt's own recipes as runs; ours are in test_round_trip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.record import record_of
from torr_plugin.integrations.studies import plan_of, requests_of, study_parts

from .conftest import Importing

TRANSPOSED = (
    "card=cards.tab_fact,serializer=serializers.table.html,augmentor=augmentors.table.transpose,num_demos=5"
)
PLAIN = "card=cards.tab_fact,serializer=serializers.table.html,num_demos=5"


def instance(number: int, answer: str) -> dict[str, Any]:
    return {
        "source": f"statement {number}",
        "references": ["entailed"],
        "prediction": answer,
        "accuracy": float(answer == "entailed"),
        "score": float(answer == "entailed"),
        "score_name": "accuracy",
    }


def write(folder: Path, samples: dict[str, list[Any]], *, second: int = 5, **arguments: Any) -> None:
    folder.mkdir(exist_ok=True)
    environment = {"parsed_arguments": {"model": "org/m", **arguments}, "unitxt_version": "1.26.10"}
    path = folder / f"2026-01-02T03-04-0{second}_evaluation_results_samples.json"
    path.write_text(json.dumps({"environment_info": environment, "samples": samples}))


def test_recipes_are_configurations_by_our_names(importing: Importing) -> None:
    right = [instance(0, "entailed"), instance(1, "entailed")]
    write(importing.source, {PLAIN: right, TRANSPOSED: [right[0], instance(1, "refuted")]})
    assert importing("unitxt")["models"] == ["org/m"]
    assert set(importing.main.metric) == {"accuracy"}
    means = importing.main.groupby("config").score.mean().to_dict()
    assert means == {"torr.html/none/torr": 1.0, "torr.html/transpose/torr": 0.5}


def test_how_a_model_was_asked_is_said(importing: Importing) -> None:
    write(importing.source, {PLAIN: [instance(0, "no")]})
    write(importing.source, {PLAIN: [instance(0, "no")]}, second=6, model="org/n", apply_chat_template=True)
    write(importing.source, {PLAIN: [instance(0, "no")]}, second=7, model="torr-lexical")
    importing("unitxt")
    asked = {model["label"]: model["chat"] for model in importing.opened().study["models"]}
    assert asked == {"org/m": "by unitxt's engine", "org/n": True, "torr-lexical": None}


def test_two_single_tasks_in_one_folder_are_two_data_sets(importing: Importing) -> None:
    """Of a single task unitxt names what comes after the data set alone, so both are called html.none."""
    for second, dataset in enumerate(("bundled.cell_lookup", "bundled.aggregation")):
        planned = plan_of("quickstart", dataset, limit=1)
        part = next(part for part in study_parts("quickstart") if part.dataset == dataset and part.config)
        (request,) = requests_of(planned, part)
        sample = {
            "source": request.prompt[0].content,
            "references": list(request.references),
            "prediction": request.references[0],
            "torr": record_of(planned, request).as_dict(),
        }
        tasks = [part.recipe.removesuffix(".html.none")]
        write(importing.source, {"html.none": [sample]}, second=second, tasks=tasks)
    importing("unitxt")
    assert set(importing.scores.dataset) == {"bundled.cell_lookup", "bundled.aggregation"}
    assert (importing.main.score == 1).all()


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ("text", "sample 0: found 'text'; expected an object"),
        ({"source": "x", "references": ["a"]}, "the key 'prediction' is missing"),
        (
            {"source": 3, "references": ["a"], "prediction": "a"},
            "source: found 3; expected text or a list",
        ),
        ({"source": "x", "torr": {"format": 99}, "prediction": "a"}, "torr.format: found 99; expected 1"),
    ],
)
def test_samples_that_are_none(importing: Importing, sample: Any, said: str) -> None:
    write(importing.source, {PLAIN: [sample]})
    assert said in importing.refused("unitxt")


def test_another_number_does_not_take_the_place_of_a_main_score_that_is_never_there(
    importing: Importing,
) -> None:
    unrated = instance(0, "entailed") | {"accuracy": float("nan"), "score": float("nan"), "share": 0.5}
    write(importing.source, {"card=cards.sst2": [unrated]})
    assert "sst2: none of the results has a score" in importing.refused("unitxt")
    importing("unitxt", "--metric", "share")
