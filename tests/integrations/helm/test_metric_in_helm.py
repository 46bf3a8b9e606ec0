"""Answers are rated against their own references, and what has no answer is counted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import InputError

from .harness import instances, means, result, scenario_state

pytestmark = pytest.mark.full

DRAWN = 10


def metric(dataset: str = "bundled.cell_lookup") -> Any:
    from torr_plugin.integrations.helm.metric import TorrHelmMetric

    return TorrHelmMetric("quickstart", dataset)


def drawn(all_instances: list[Any]) -> list[Any]:
    """As HELM draws them, which is not the first ones."""
    from helm.benchmark.runner import downsample_eval_instances

    found = downsample_eval_instances(all_instances, DRAWN, ["test", "valid"])
    assert [each.id for each in found] != [each.id for each in all_instances[:DRAWN]]
    return found


def first_references(chosen: list[Any]) -> list[str]:
    return [each.references[0].output.text for each in chosen]


def test_drawn_instances_are_rated_against_their_own_references() -> None:
    chosen = drawn(instances())
    found = means(metric(), scenario_state(chosen, first_references(chosen)))
    assert found["torr_score"] == (1.0, DRAWN)
    turned = means(metric(), scenario_state(chosen[::-1], first_references(chosen)[::-1]))
    assert turned == found
    others = [*first_references(chosen)[1:], "none of them"]
    assert means(metric(), scenario_state(chosen, others))["torr_score"][0] < 1


@pytest.fixture
def unitxt_catalog(tmp_path: Path) -> Iterator[None]:
    """unitxt's card of TabFact with made-up statements in place of its data, which is on the hub."""
    import unitxt
    from unitxt.register import register_local_catalog, unregister_local_catalog

    card = json.loads((Path(unitxt.__file__).parent / "catalog" / "cards" / "tab_fact.json").read_text())
    data = {"train": _statements(8), "test": _statements(40)}
    card["loader"] = {
        "__type__": "load_from_dictionary",
        "data": data,
        "data_classification_policy": ["public"],
    }
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "tab_fact.json").write_text(json.dumps(card))
    register_local_catalog(str(tmp_path))
    yield
    unregister_local_catalog(str(tmp_path))


def _statements(count: int) -> list[dict[str, Any]]:
    return [
        {
            "table_text": f"town#boats\nalder#{number}",
            "statement": f"alder has {number} boats",
            "label": label,
        }
        for number in range(count)
        for label in [number % 5 // 2 % 2]
    ]


def test_helm_s_own_metric_rates_them_against_the_first_rows(unitxt_catalog: None) -> None:
    """HELM 0.5.16: answers that are all right come out as wrong, where fewer are asked than there are."""
    from helm.benchmark.metrics.unitxt_metrics import UnitxtMetric
    from helm.benchmark.scenarios.unitxt_scenario import UnitxtScenario

    recipe = {"card": "cards.tab_fact", "template_card_index": 0, "metrics": ["metrics.accuracy"]}
    every = [each for each in UnitxtScenario(**recipe).get_instances("") if each.split == "test"]
    assert len(every) == 40
    helms = UnitxtMetric(**recipe)
    assert means(helms, scenario_state(every, first_references(every)))["accuracy"][0] == 1.0
    chosen = drawn(every)
    assert means(helms, scenario_state(chosen, first_references(chosen)))["accuracy"][0] < 1.0


def test_what_has_no_answer_is_counted_and_has_no_score() -> None:
    chosen = instances(limit=5)
    right = first_references(chosen)
    answers = [right[0], None, result(None), result("", success=False), result(right[4])]
    state = scenario_state(chosen, answers)
    found = means(metric(), state)
    assert found["torr_score"] == (1.0, 2)
    assert found["torr_missing"] == (0.6, 5)
    per_instance = metric().evaluate(state, None, "", 1).per_instance_stats
    assert len(per_instance) == 5
    lacking = {stat.name.name: (stat.count, stat.mean) for stat in per_instance[1].stats}
    assert lacking["torr_score"] == (0, None)
    assert lacking["torr_missing"] == (1, 1.0)


def test_an_empty_answer_is_wrong_and_not_missing() -> None:
    found = means(metric(), scenario_state(instances(limit=2), ["", ""]))
    assert found["torr_score"] == (0.0, 2)
    assert found["torr_missing"] == (0.0, 2)


@pytest.mark.parametrize("chat", [False, True])
def test_a_prompt_that_helm_changed_is_counted(chat: bool) -> None:
    chosen = instances(limit=2, chat=chat)
    state = scenario_state(chosen, ["x", "x"], chat=chat)
    assert means(metric(), state)["torr_prompt_changed"] == (0.0, 2)
    first = state.request_states[0]
    cut = (
        dataclasses.replace(first.request, messages=[{"role": "user", "content": "cut"}])
        if chat
        else dataclasses.replace(first.request, prompt=first.request.prompt[:-20])
    )
    one = dataclasses.replace(first, request=cut)
    state = dataclasses.replace(state, request_states=[one, state.request_states[1]])
    assert means(metric(), state)["torr_prompt_changed"] == (0.5, 2)


def test_instances_of_another_data_set_or_without_a_record_are_refused() -> None:
    chosen = instances(limit=1)
    with pytest.raises(InputError, match=r"data set 'bundled\.cell_lookup'; expected 'bundled\.aggregation'"):
        means(metric("bundled.aggregation"), scenario_state(chosen, ["x"]))
    bare = [dataclasses.replace(chosen[0], extra_data=None)]
    with pytest.raises(InputError, match="torr: found nothing; expected an object"):
        means(metric(), scenario_state(bare, ["x"]))
