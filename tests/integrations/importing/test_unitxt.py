"""unitxt's own recipes as runs; ours are in test_round_trip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.integrations.record import record_of
from torr_plugin.integrations.studies import plan_of, requests_of, study_parts

from ...conftest import Torr

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


def write(folder: Path, samples: dict[str, list[dict[str, Any]]], model: str = "org/m") -> None:
    folder.mkdir(exist_ok=True)
    told = {"parsed_arguments": {"model": model, "apply_chat_template": False}, "unitxt_version": "1.26.10"}
    said = {"environment_info": told, "samples": samples}
    (folder / "2026-01-02T03-04-05_evaluation_results_samples.json").write_text(json.dumps(said))


def test_recipes_are_configurations_by_our_names(torr: Torr, tmp_path: Path) -> None:
    right = [instance(0, "entailed"), instance(1, "entailed")]
    write(tmp_path / "u", {PLAIN: right, TRANSPOSED: [right[0], instance(1, "refuted")]})
    done = torr("import", "unitxt", tmp_path / "u", "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["models"] == ["org/m"]
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores[scores.main].metric) == {"accuracy"}
    means = scores[scores.main].groupby("config").score.mean().to_dict()
    assert means == {"torr.html/none/torr": 1.0, "torr.html/transpose/torr": 0.5}


def test_instance_scores_saved_by_hand(torr: Torr, tmp_path: Path) -> None:
    nested = {
        "source": "statement 0",
        "references": ["entailed"],
        "prediction": "entailed",
        "task_data": json.dumps({"question": "q"}),
        "score": {
            "instance": {"accuracy": 1.0, "score": 1.0, "score_name": "accuracy"},
            "global": {"score": 0.2},
        },
    }
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "mine_samples.json").write_text(json.dumps({"samples": {PLAIN: [nested]}}))
    assert torr("import", "unitxt", tmp_path / "u", "--out", tmp_path / "run").returncode == 0
    assert pd.read_parquet(tmp_path / "run" / "scores.parquet").score.tolist() == [1.0]


def test_a_model_with_other_arguments_is_another_model(torr: Torr, tmp_path: Path) -> None:
    for second, seed in enumerate((1, 2)):
        told = {"parsed_arguments": {"model": "torr-noisy", "model_args": {"seed": seed}}}
        said = {"environment_info": told, "samples": {PLAIN: [instance(0, "entailed" if second else "no")]}}
        (tmp_path / f"2026-01-02T03-04-0{second}_evaluation_results_samples.json").write_text(
            json.dumps(said)
        )
    done = torr("import", "unitxt", tmp_path, "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    first, second_model = json.loads(done.stdout)["models"]
    assert (first, second_model[:11]) == ("torr-noisy", "torr-noisy-")
    assert sorted(pd.read_parquet(tmp_path / "run" / "scores.parquet").score) == [0.0, 1.0]


def test_two_single_tasks_in_one_folder_are_two_data_sets(torr: Torr, tmp_path: Path) -> None:
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
        told = {"parsed_arguments": {"model": "m", "tasks": [part.recipe.removesuffix(".html.none")]}}
        said = {"environment_info": told, "samples": {"html.none": [sample]}}
        name = f"2026-01-02T03-04-0{second}_evaluation_results_samples.json"
        (tmp_path / name).write_text(json.dumps(said))
    done = torr("import", "unitxt", tmp_path, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores.dataset) == {"bundled.cell_lookup", "bundled.aggregation"}
    assert (scores[scores.main].score == 1).all()


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ("text", "sample 0: found 'text'; expected an object"),
        ({"source": "x", "references": ["a"]}, "the key 'prediction' is missing"),
        (
            {"source": 3, "references": ["a"], "prediction": "a"},
            "source: found 3; expected a text or messages",
        ),
        ({"source": "x", "torr": {"format": 99}, "prediction": "a"}, "torr.format: found 99; expected 1"),
    ],
)
def test_samples_that_are_none(torr: Torr, tmp_path: Path, sample: Any, said: str) -> None:
    write(tmp_path / "u", {PLAIN: [sample]})
    done = torr("import", "unitxt", tmp_path / "u", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "run").exists()


def test_means_alone_are_not_enough(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "2026-01-02T03-04-05_evaluation_results.json").write_text("{}")
    done = torr("import", "unitxt", tmp_path / "u", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "run it again with --log_samples" in done.stderr


def test_another_number_does_not_take_the_place_of_a_main_score_that_is_never_there(
    torr: Torr, tmp_path: Path
) -> None:
    unrated = instance(0, "entailed") | {"accuracy": float("nan"), "score": float("nan"), "share": 0.5}
    write(tmp_path / "in", {"card=cards.sst2": [unrated]})
    given = ("import", "unitxt", tmp_path / "in", "--out", tmp_path / "run")
    done = torr(*given)
    assert done.returncode == 2
    assert "sst2: none of its 1 results has a score" in done.stderr
    assert torr(*given, "--metric", "share").returncode == 0
