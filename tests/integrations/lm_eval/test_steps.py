"""Designs of several calls in lm-eval: what ``torr run`` asks and scores, by any model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from lm_eval.api.model import LM

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.importing import import_results
from torr_plugin.integrations.lm_eval.patches import IN_STEPS
from torr_plugin.integrations.lm_eval.task import example_figures
from torr_plugin.integrations.lm_eval.task_files import FIGURES
from torr_plugin.integrations.logs.lm_eval import LM_EVAL
from torr_plugin.integrations.studies import dataset_entry
from torr_plugin.prompts import designs
from torr_plugin.running import Run

from ..importing.test_round_trip import assert_same
from ..stepping import STEPPED, STUDY, NoteTaker, register
from .conftest import Evaluate, main_scores, run_of

LOOKUP = "stepped_bundled_cell_lookup"


@pytest.fixture(scope="module")
def stepped(tmp_path_factory: pytest.TempPathFactory) -> str:
    register()
    path = tmp_path_factory.mktemp("stepped") / "stepped.yaml"
    path.write_text(STUDY)
    return str(path)


@pytest.fixture(autouse=True)
def asked() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    NoteTaker.asked.clear()
    yield NoteTaker.asked
    NoteTaker.asked.clear()


def steps_in(sample: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Configuration -> the steps that were logged."""
    records = zip(sample["doc"]["torr"], sample["filtered_resps"], strict=True)
    return {
        record["config"]: json.loads(text)["torr_steps"]
        for record, text in records
        if record["config"].endswith(STEPPED)
    }


def sent(asked: list[tuple[str, dict[str, Any]]]) -> Counter[tuple[str, str]]:
    """What models were sent, and how often."""
    return Counter((prompt, json.dumps(arguments, sort_keys=True)) for prompt, arguments in asked)


def test_prompts_answers_and_scores_are_those_of_the_run(
    stepped: str, evaluate: Evaluate, asked: list[tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    from lm_eval.loggers import EvaluationTracker

    run = run_of(stepped, tmp_path / "run", "--limit", "2", "--cards", "bundled.cell_lookup")
    of_run = sent(asked)
    asked.clear()
    tracker = EvaluationTracker(output_path=str(tmp_path / "out"))
    found = evaluate(LOOKUP, model="torr-notes", recipes=(stepped,), limit=2, evaluation_tracker=tracker)
    assert sent(asked).keys() == of_run.keys()
    assert (len(of_run), max(of_run.values())) == (2 * 2 * (1 + 4 + 2 + 1 + 1), 1), "a note is shared"
    scores = main_scores(run, "bundled.cell_lookup")
    assert 0 < scores.to_numpy().mean() < 1, "figures of one value show nothing"
    samples = found.pop("samples")
    for sample in samples[LOOKUP]:
        values = scores.loc[sample["doc"]["example"]].to_numpy()
        assert len(values) == len(sample["doc"]["torr"]) == 10
        assert sample["performance"] == pytest.approx(values.mean(), abs=1e-12)
        assert (sample["worst"], sample["best"]) == (values.min(), values.max())

    tracker.save_results_aggregated(results=found, samples=samples)
    tracker.save_results_samples(task_name=LOOKUP, samples=samples[LOOKUP])
    done = import_results(LM_EVAL.read(tmp_path / "out"), tmp_path / "imported", recipe=stepped).report
    assert (done["holes"], done["failed"], done["compared"]["differing"]) == (0, 0, 0)
    assert_same(tmp_path / "imported", run)
    rows = [
        pd.concat(pd.read_parquet(path) for path in (each / "requests").rglob("*.parquet"))
        for each in (run, tmp_path / "imported")
    ]
    columns = ["key", "stage", "config", "example", "prompt", "messages"]
    ours, theirs = (each[columns].sort_values(columns[:4]).reset_index(drop=True) for each in rows)
    pd.testing.assert_frame_equal(ours, theirs)
    studies = [Run.open(each).study for each in (run, tmp_path / "imported")]
    assert studies[0]["stages"] == studies[1]["stages"]
    assert studies[0]["design_bases"] == studies[1]["design_bases"]


def test_the_log_has_every_step(stepped: str, evaluate: Evaluate) -> None:
    task = f"{LOOKUP}_csv_none_self_augmented_all"
    (sample,) = evaluate(task, model="torr-notes", recipes=(stepped,), limit=1)["samples"][task]
    ((_, steps),) = steps_in(sample).items()
    assert [each["step"] for each in steps] == ["values", "format", "structure", "answer"]
    assert all(each["answer"] in steps[-1]["prompt"] for each in steps[:-1])
    assert steps[0]["prompt"] == sample["arguments"][0][0]
    assert steps[0]["key"] == sample["doc"]["torr"][0]["key"]


def test_options_hold_for_every_step(
    stepped: str, evaluate: Evaluate, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    task = f"{LOOKUP}_html_none_self_augmented"
    options = {"system_instruction": "Be brief.", "gen_kwargs": {"max_gen_toks": 7}}
    found = evaluate(task, model="torr-notes", recipes=(stepped,), limit=2, **options)
    assert len(asked) == 4
    assert all(prompt.startswith("Be brief.\n\n") for prompt, _ in asked)
    assert {arguments["max_gen_toks"] for _, arguments in asked} == {7}
    for sample in found["samples"][task]:
        assert sample["doc"]["torr"][0]["fingerprint"] == ""
        assert steps_in(sample).popitem()[1][0]["prompt"][0] == {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize("broken", ["the model", "the design"])
def test_a_step_that_fails_is_a_hole(broken: str, stepped: str, evaluate: Evaluate) -> None:
    register()
    task = f"{LOOKUP}_html_none_self_augmented"
    good = designs.get("self_augmented").follow

    def follow(*given: Any) -> Any:
        if broken == "the design" and "2" in given[-1]["values"]:
            raise ValueError("such notes I cannot use")
        return good(*given)

    def generate(self: Any, requests: Any, disable_tqdm: bool = True) -> list[Any]:
        silent = broken == "the model" and requests[0].args[0].endswith("Notes:")
        return [None if silent and at == 1 else str(at) * 3 for at, _ in enumerate(requests)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(designs.get("self_augmented"), "follow", follow)
        patch.setattr(NoteTaker, "generate_until", generate)
        found = evaluate(task, model="torr-notes", recipes=(stepped,))
    scores = [sample["exact_match"] for sample in found["samples"][task]]
    assert np.isnan(scores).tolist() == [False, broken == "the model", broken == "the design"]


def test_predicting_alone(stepped: str, evaluate: Evaluate) -> None:
    task = f"{LOOKUP}_html_none_self_augmented"
    found = evaluate(task, model="torr-notes", recipes=(stepped,), predict_only=True, limit=1)
    assert len(steps_in(found["samples"][task][0]).popitem()[1]) == 2


@pytest.mark.parametrize("answer", ["a note", "{", "[" * 5000, '{"torr_steps": []}', '{"torr_steps": 3}'])
def test_a_note_is_never_scored(answer: str, stepped: str) -> None:
    card = dataset_entry(stepped, "bundled.cell_lookup").card
    record = {"config": "csv/none/self_augmented", "example": "e", "references": ["1"], "facts": {}}
    with pytest.raises(InputError, match=r"^example 'e'.*"):
        example_figures(card, [record], [answer])


def test_models_get_the_method_only_where_a_study_takes_steps(
    stepped: str, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(LM, IN_STEPS, raising=False)
    evaluate("small_bundled_cell_lookup", limit=1)
    assert not hasattr(LM, IN_STEPS)
    evaluate(LOOKUP, recipes=(stepped,), limit=1, model=NoteTaker())
    assert hasattr(LM, IN_STEPS)


def test_a_whole_answer_may_be_more_than_what_is_scored(stepped: str) -> None:
    card = dataset_entry(stepped, "bundled.cell_lookup").card
    record = {"config": "csv/none/tree_thinker_no_tree", "example": "e", "references": ["1"], "facts": {}}
    assert example_figures(card, [record], ["Keywords: 2.\nFinal Answer: 1"])["performance"] == 1
    assert list(example_figures(card, [record], [None])) == [*FIGURES, card.main_metric]
