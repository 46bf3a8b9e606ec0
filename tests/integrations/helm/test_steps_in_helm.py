"""Designs of several calls in HELM: what ``torr run`` asks and scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from ..importing.test_round_trip import assert_same
from ..stepping import STUDY
from .harness import (
    helm_run_in,
    instances,
    means,
    read,
    result,
    runs_of,
    scenario_state,
    scores_of,
    states,
    torr_in,
)

pytestmark = pytest.mark.full

LIMIT = 2
STEPPED = {"dataset": "bundled.cell_lookup", "config": "csv/none/self_augmented_all"}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stepped") / "stepped.yaml"
    text = STUDY.replace(", cards.bundled.aggregation", "").replace("torr.html, csv", "csv")
    path.write_text(text.replace("torr-notes", "torr-lexical"))
    return path


def test_helm_run_takes_the_steps_of_torr_run(study: Path) -> None:
    folder = study.parent
    torr_in(folder, "helm-entries", study.name, "--model", "torr/lexical", "--out", "s.conf")
    helm_run_in(folder, "--conf-paths", "s.conf", "--suite", "s", "-m", str(LIMIT))
    torr_in(folder, "run", study.name, "--limit", str(LIMIT), "--out", "run")
    ours = pd.read_parquet(folder / "run" / "scores.parquet")
    expected = ours[ours.main].set_index(["config", "example"]).score.to_dict()
    requests = pd.read_parquet(folder / "run" / "requests")
    found, several = {}, 0
    for run in runs_of(folder, "s").values():
        config = read(run / "run_spec.json")["scenario_spec"]["args"]["config"]
        for example, scores in scores_of(run).items():
            found[config, example] = scores["torr_score"]
            assert (scores["torr_missing"], scores["torr_prompt_changed"]) == (0.0, 0.0)
        for state in states(run):
            asked = requests[(requests.config == config) & (requests.example == state["instance"]["id"])]
            steps = (state.get("annotations") or {}).get("torr", {}).get("torr_steps", [])
            assert len(steps) == (len(asked) if len(asked) > 1 else 0)
            prompts = dict(zip(asked.key, asked.prompt, strict=True))
            assert {each["key"]: each["prompt"] for each in steps} == (prompts if steps else {})
            several += bool(steps)
    assert found == expected
    assert several == 3 * LIMIT
    assert len(set(expected.values())) == 2
    torr_in(folder, "import", "helm", "benchmark_output", "--out", "imported", "--recipe", study)
    assert_same(folder / "imported", folder / "run")


def annotated(study: Path, client: Any, *, chat: bool = False) -> tuple[Any, dict[str, Any]]:
    """The first instance's state, and what our annotator makes of it with a client."""
    from torr_plugin.integrations.helm.annotator import TorrStepsAnnotator

    state = scenario_state(instances(study=str(study), chat=chat, **STEPPED)[:1], ["a note"], chat)
    record = state.request_states[0].instance.extra_data["torr"]["generation"]
    first = state.request_states[0]
    request = replace(first.request, max_tokens=record["max_tokens"], temperature=0.5, stop_sequences=[])
    first = replace(first, request=request)
    annotator = TorrStepsAnnotator(SimpleNamespace(make_request=client), str(study), STEPPED["dataset"])
    return first, annotator.annotate(first)


@pytest.mark.parametrize("chat", [True, False])
def test_later_requests_are_as_the_user_wishes(study: Path, chat: bool) -> None:
    seen = []

    def client(request: Any) -> Any:
        seen.append(request)
        return result(f"answer {len(seen)}")

    state, annotation = annotated(study, client, chat=chat)
    assert [each["step"] for each in annotation["torr_steps"]] == ["values", "format", "structure", "answer"]
    assert [each["answer"] for each in annotation["torr_steps"]] == [
        "a note",
        "answer 1",
        "answer 2",
        "answer 3",
    ]
    assert [each.max_tokens for each in seen] == [400, 400, 32], "the study's, but for notes"
    assert {each.temperature for each in seen} == {0.5}, "the user's"
    assert [each.stop_sequences for each in seen] == [[], [], ["\n\n"]]
    assert all(bool(each.messages) is chat and bool(each.prompt) is not chat for each in seen)
    last = seen[-1].messages[-1]["content"] if chat else seen[-1].prompt
    assert all(text in last for text in ("a note", "answer 1", "answer 2"))
    assert state.request.prompt != seen[0].prompt or chat


def test_a_step_without_an_answer_is_a_hole(study: Path) -> None:
    from torr_plugin.integrations.helm.metric import TorrHelmMetric

    state, annotation = annotated(study, lambda request: result(None))
    assert annotation == {"failure": "the model gave no text"}
    whole = scenario_state([state.instance], ["a note"])
    whole = replace(whole, request_states=[replace(state, annotations={"torr": annotation})])
    found = means(TorrHelmMetric(str(study), STEPPED["dataset"]), whole)
    assert found["torr_missing"] == (1.0, 1)
    assert found["torr_score"][1] == 0


def test_an_error_ends_the_run_where_helm_s_own_would(study: Path) -> None:
    with pytest.raises(RuntimeError, match="no such key"):
        annotated(study, lambda request: replace_error(result(None, success=False), "no such key"))


def replace_error(made: Any, error: str) -> Any:
    made.error = error
    return made


def test_a_note_is_never_scored(study: Path) -> None:
    from torr_plugin.core.errors import InputError
    from torr_plugin.integrations.helm.metric import TorrHelmMetric

    state = scenario_state(instances(study=str(study), **STEPPED)[:1], ["a note"])
    with pytest.raises(InputError, match="takes 4 calls"):
        means(TorrHelmMetric(str(study), STEPPED["dataset"]), state)
