"""Designs of several calls in unitxt: what ``torr run`` asks and scores, by our engine and by unitxt's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import ModelError
from torr_plugin.integrations.importing import import_results
from torr_plugin.integrations.logs.unitxt import UNITXT
from torr_plugin.integrations.steps import STEPS
from torr_plugin.prompts import designs

from ..importing.test_round_trip import assert_same
from ..lm_eval.conftest import run_of
from ..stepping import STUDY, NoteTaker, note, register

RECIPE = "recipes.stepped.bundled.cell_lookup"


@pytest.fixture
def stepped(tmp_path: Path) -> Iterator[str]:
    """A study of a plugin's folder."""
    from torr_plugin.recipes import add_recipe_folder, schema

    register()
    NoteTaker.asked.clear()
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "stepped.yaml").write_text(STUDY)
    add_recipe_folder(folder, origin="a-test")
    yield str(folder / "stepped.yaml")
    schema.recipe_folders.remove(str(folder))
    NoteTaker.asked.clear()


def loaded(name: str) -> Any:
    from unitxt import load_dataset

    return load_dataset(name, split="test")


def test_prompts_answers_and_scores_are_those_of_the_run(stepped: str, tmp_path: Path) -> None:
    from unitxt import evaluate

    from torr_plugin.integrations.unitxt.engine import TorrEngine

    run = run_of("stepped", tmp_path / "run", "--cards", "bundled.cell_lookup")
    of_run = Counter((prompt, json.dumps(arguments)) for prompt, arguments in NoteTaker.asked)
    NoteTaker.asked.clear()
    dataset = loaded(RECIPE)
    predictions = TorrEngine(model="torr-notes")(dataset)
    of_unitxt = Counter((prompt, json.dumps(arguments)) for prompt, arguments in NoteTaker.asked)
    assert of_unitxt.keys() == of_run.keys()
    samples = evaluate(predictions=predictions, data=dataset).instance_scores  # as unitxt's command logs them
    assert len({each["score"] for each in samples}) == 2
    file = tmp_path / "out" / "x_samples.json"
    file.parent.mkdir()
    environment = {"parsed_arguments": {"model": "torr-notes", "tasks": [RECIPE]}}
    file.write_text(json.dumps({"samples": {RECIPE: samples}, "environment_info": environment}, default=str))
    done = import_results(UNITXT.read(file.parent), tmp_path / "imported", recipe=stepped).report
    assert (done["holes"], done["compared"]) == (0, {"compared": 3 * 10, "differing": 0, "largest": 0.0})
    assert_same(tmp_path / "imported", run)


def other_engine(answer: Any) -> Any:
    """An engine of unitxt's that answers each prompt by a function."""
    from unitxt.inference import InferenceEngine

    class Other(InferenceEngine):
        use_cache: bool = False

        def prepare_engine(self) -> None: ...

        def get_engine_id(self) -> str:
            return "other"

        def _infer(self, dataset: Any, return_meta_data: bool = False) -> list[Any]:
            return [answer(each["source"]) for each in dataset]

    return Other()


@pytest.mark.full
def test_any_engine_of_unitxts_takes_steps(stepped: str) -> None:
    from torr_plugin.integrations.unitxt.engine import TorrEngine, TorrStepsEngine

    dataset = loaded(RECIPE)
    engine = TorrStepsEngine(engine=other_engine(note))
    assert engine.get_engine_id() == "other"
    assert list(engine.infer(dataset)) == list(TorrEngine(model="torr-notes").infer(dataset))


def test_an_engine_that_takes_no_steps_is_told(stepped: str) -> None:
    from unitxt import evaluate

    dataset = loaded(f"{RECIPE}.html.none.self_augmented")
    with pytest.raises(Exception, match=r"design 'self_augmented' takes 2 calls \(values, answer\); found"):
        evaluate(predictions=list(other_engine(note).infer(dataset)), data=dataset)


def test_a_final_answer_is_scored(stepped: str) -> None:
    from unitxt import evaluate

    dataset = loaded(f"{RECIPE}.csv.none.tree_thinker_no_tree")
    predictions = [f"Keywords: 3\nFinal Answer: {each['target']}" for each in dataset]
    result = evaluate(predictions=predictions, data=dataset)
    assert result.global_scores["score"] == 1
    assert [each["prediction"] for each in result] == predictions


def test_a_step_that_fails_is_told(stepped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.integrations.unitxt.engine import TorrStepsEngine

    dataset = loaded(f"{RECIPE}.html.none.self_augmented")
    silent = TorrStepsEngine(engine=other_engine(lambda source: None))
    with pytest.raises(ModelError, match=r"bundled\.cell_lookup, .*self_augmented: the model gave no text"):
        silent._infer(dataset)
    monkeypatch.setattr(designs.get("self_augmented"), "follow", None)
    with pytest.raises(ModelError, match="the prompt cannot be built from the earlier answers"):
        TorrStepsEngine(engine=other_engine(note))._infer(dataset)


def test_chats_stay_chats(stepped: str) -> None:
    from torr_plugin.integrations.unitxt.engine import TorrStepsEngine

    seen = []
    dataset = loaded(f"{RECIPE}.html.none.self_augmented[format=formats.chat_api]")
    predictions = TorrStepsEngine(engine=other_engine(lambda source: seen.append(source) or "x")).infer(
        dataset
    )
    assert len(seen) == 6
    assert all(isinstance(each, list) and each[-1]["role"] == "user" for each in seen)
    assert all(len(json.loads(each)[STEPS]) == 2 for each in predictions)
