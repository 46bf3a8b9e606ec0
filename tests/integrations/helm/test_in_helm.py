"""The pieces that HELM puts together: run specs, the scenario, the client and its tokenizer."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from torr_plugin.integrations.studies import plan_of
from torr_plugin.recipes import request_key

from ...timing import quickly
from .harness import instances

pytestmark = pytest.mark.full

ENTRY = "torr:study=quickstart,dataset=bundled.cell_lookup,serializer=html,perturbation=transpose"


def run_spec(entry: str) -> Any:
    from helm.benchmark.run_spec_factory import construct_run_specs
    from helm.common.object_spec import parse_object_spec

    import torr_plugin.integrations.helm.run_specs  # noqa: F401 - as HELM's entry point does

    (spec,) = construct_run_specs(parse_object_spec(entry))
    return spec


def test_the_scenario_and_the_metric_say_what_they_are(mirror: Any) -> None:
    from torr_plugin.integrations.helm.metric import TorrHelmMetric
    from torr_plugin.integrations.helm.scenario import TorrScenario

    scenario = TorrScenario("hctqa", "hctqa.real.pak", "torr.html/none/hctqa").get_metadata()
    assert (scenario.name, scenario.display_name) == ("hctqa_real_pak", "hctqa.real.pak")
    assert (scenario.main_metric, scenario.main_split) == ("recall", "test")
    assert scenario.description == "HCT-QA, real tables of Pakistan's census."
    statistics = {each.name: each.group for each in TorrHelmMetric("hctqa", "hctqa.real.pak").get_metadata()}
    scores = {name for name, group in statistics.items() if group == "scores"}
    assert scores == {"precision", "f1", "complete_containment", "recall.lenient"}
    assert statistics["recall"] is None
    assert statistics["torr_missing"] == "torr"


def test_a_limit_on_instances_means_the_first_ones() -> None:
    """HELM would draw at random: its way with a list of our instances gives others than the first."""
    from helm.benchmark.presentation.run_entry import RunEntry
    from helm.benchmark.run import run_entries_to_run_specs
    from helm.benchmark.runner import downsample_eval_instances

    run_spec(f"{ENTRY},model=torr/lexical")
    entry = RunEntry(f"{ENTRY},model=torr/lexical", 1, None)
    (spec,) = run_entries_to_run_specs([entry], max_eval_instances=4)
    assert spec.scenario_spec.args["limit"] == 4
    renamed = dataclasses.replace(spec, name="other")
    assert renamed.scenario_spec.args["limit"] == 4
    first = [each.id for each in instances()][:4]
    limited = instances(limit=4)
    assert [each.id for each in downsample_eval_instances(limited, 4, ["test"])] == first
    assert [each.id for each in downsample_eval_instances(instances(), 4, ["test"])] != first


def test_chat_messages_are_the_prompt_s_turns(mirror: Any) -> None:
    """HCT-QA's published prompts have a system turn."""
    entry = "torr:study=hctqa,dataset={},serializer={},perturbation=none,chat=yes,model=torr/lexical"
    part = first_of("hctqa")
    config = part.config
    entry = (
        f"torr:study=hctqa,dataset={part.dataset},serializer={config.serializer},"
        f"perturbation={config.perturbation},design={config.design},chat=yes,model=torr/lexical"
    )
    spec = run_spec(entry)
    assert spec.adapter_spec.method == "chat"
    assert spec.scenario_spec.args["chat"] is True
    planned = plan_of("hctqa", part.dataset, 2)
    found = instances(study="hctqa", dataset=part.dataset, config=config.id, limit=2, chat=True)
    for instance, request in zip(found, planned.requests_of(part.dataset, config), strict=True):
        turns = [{"role": turn.role, "content": turn.content} for turn in request.prompt]
        assert instance.input.messages == turns
        assert request.key == request_key(request.prompt, planned.generation)
        assert instance.extra_data["torr"]["key"] == request.key


def first_of(study: str) -> Any:
    from torr_plugin.integrations.studies import study_parts

    return next(part for part in study_parts(study) if part.config is not None)


def client() -> Any:
    from torr_plugin.integrations.helm.client import TorrClient

    return TorrClient("torr-lexical")


def test_a_client_answers_as_its_model() -> None:
    from helm.common.request import Request

    from torr_plugin.running.model_classes import lm_class

    prompt = instances(limit=1)[0].input.text
    found = client().make_request(Request(model="torr/lexical", prompt=prompt, temperature=0.0))
    assert found.completions[0].text == lm_class("torr-lexical")()._answer(prompt)


def test_chat_messages_are_asked_as_torr_run_asks_plain_text() -> None:
    from helm.common.request import Request

    given_text = instances(limit=1)[0].input.text
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": given_text}]
    one = client()
    by_turns = one.make_request(Request(model="torr/lexical", messages=turns))
    by_text = one.make_request(Request(model="torr/lexical", prompt=f"Be brief.\n\n{given_text}"))
    assert by_turns.completions[0].text == by_text.completions[0].text


def test_the_window_cuts_no_table_and_takes_no_time() -> None:
    from helm.benchmark.window_services.tokenizer_service import TokenizerService
    from helm.benchmark.window_services.window_service_factory import WindowServiceFactory
    from helm.tokenizers.simple_tokenizer import SimpleTokenizer

    run_spec(f"{ENTRY},model=torr/lexical")

    class Here(TokenizerService):
        def __init__(self) -> None:
            pass

        def tokenize(self, request: Any) -> Any:
            return SimpleTokenizer().tokenize(request)

        def decode(self, request: Any) -> Any:
            return SimpleTokenizer().decode(request)

    text = "<tr><td>one cell</td></tr>\n" * 20_000
    window = WindowServiceFactory.get_window_service("torr/lexical", Here())
    assert quickly(lambda: window.truncate_from_right(text, 512), within=40) == text


@pytest.fixture(scope="module")
def _registered() -> None:
    """As ``helm-run`` begins."""
    from helm.benchmark.config_registry import register_builtin_configs_from_helm_package

    from torr_plugin.integrations.helm import run_specs as registering  # noqa: F401 - registers

    register_builtin_configs_from_helm_package()


@pytest.mark.parametrize(
    ("asked", "limit", "said"),
    [
        ("data_augmentation=canonical", 2, "data_augmentation: expected none"),
        ("max_train_instances=5", 2, "max_train_instances: expected none"),
        ("num_trials=heim_efficiency", 2, "num_trials: expected none"),
        ("chat=no", 0, "--max-eval-instances: found 0; expected 1 or more"),
        ("design=defalt", 2, "study 'quickstart': unknown design 'defalt'; did you mean 'default'?"),
        ("chat=no", -1, "--max-eval-instances: found -1; expected 1 or more"),
    ],
)
@pytest.mark.usefixtures("_registered")
def test_what_would_ask_an_example_twice_or_never_is_refused_before_a_model_is_asked(
    asked: str, limit: int, said: str
) -> None:
    import helm.benchmark.run as helm
    from helm.benchmark.presentation.run_entry import RunEntry

    from torr_plugin.core.errors import InputError

    entry = RunEntry(description=f"{ENTRY},model=torr/lexical,{asked}", priority=1, groups=None)
    with pytest.raises(InputError, match=f"^run entry torr: {said}"):
        helm.run_entries_to_run_specs([entry], max_eval_instances=limit)
