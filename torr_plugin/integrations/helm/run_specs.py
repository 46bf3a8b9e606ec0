"""HELM's entry point (group ``helm``): importing it registers the run specs ``torr`` and the baselines.

HELM imports it in every ``helm-run`` of an environment where this package is installed, so it imports
nothing of ours that is heavy. ``helm-summarize`` does not, so the summarizer registers the models itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from helm.benchmark.adaptation.adapter_spec import ADAPT_CHAT, ADAPT_GENERATION, AdapterSpec
from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.common_metric_specs import get_basic_metric_specs
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.model_deployment_registry import (
    DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT,
    ClientSpec,
    ModelDeployment,
    register_model_deployment,
)
from helm.benchmark.model_metadata_registry import ModelMetadata, register_model_metadata
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import ScenarioSpec
from helm.benchmark.tokenizer_config_registry import (
    TokenizerConfig,
    TokenizerSpec,
    register_tokenizer_config,
)
from helm.common.object_spec import ObjectSpec

from ...core.errors import InputError
from ...prompts import designs
from ...recipes import Generation
from ...running.registry import baselines
from ..studies import recipe_of
from .run_entries import RunEntry, parse_run_entry

SCENARIO = "torr_plugin.integrations.helm.scenario.TorrScenario"
ANNOTATOR = "torr_plugin.integrations.helm.annotator.TorrStepsAnnotator"
METRIC = "torr_plugin.integrations.helm.metric.TorrHelmMetric"


@dataclass(frozen=True)
class TorrRunSpec(RunSpec):  # type: ignore[misc]  # HELM ships no types
    """A run spec that refuses HELM's options that change instances, or ask an example twice."""

    def __post_init__(self) -> None:
        """Check the adapter before a model is asked.

        Raises:
            InputError: a number of examples below 1, HELM's perturbations, or its examples in the prompt.
        """
        super().__post_init__()
        _check_adapter(self)


@dataclass(frozen=True)
class FirstExamplesRunSpec(TorrRunSpec):
    """One whose ``--max-eval-instances N`` means the study's first N examples, as ``--limit N``.

    HELM draws N instances at random of what a scenario gives. It writes N into the adapter spec first, by
    ``dataclasses.replace``, which makes this class again; so the scenario takes N, and gives no more.
    """

    def __post_init__(self) -> None:
        """Pass the number of examples to the scenario; raises as :class:`TorrRunSpec`."""
        super().__post_init__()
        limit = self.adapter_spec.max_eval_instances
        if limit is not None and self.scenario_spec.args.get("limit") != limit:
            annotators = [_limited(each, limit) for each in self.annotators or ()]
            object.__setattr__(self, "scenario_spec", _limited(self.scenario_spec, limit))
            object.__setattr__(self, "annotators", annotators or None)


def _limited(spec: ObjectSpec, limit: int) -> Any:
    return replace(spec, args={**spec.args, "limit": limit})


def torr_run_spec(**arguments: Any) -> RunSpec:
    """What HELM runs for ``torr:card=...,serializer=...,perturbation=...``.

    Args:
        arguments: see :func:`.run_entries.parse_run_entry`, without HELM's own ``model`` and other expanders.

    Raises:
        InputError: one line that says which argument is wrong.
    """
    from ...plugins import load

    load()
    what = parse_run_entry(arguments)
    kind = TorrRunSpec if what.helm_draws else FirstExamplesRunSpec
    return kind(
        name=what.name,
        scenario_spec=ScenarioSpec(SCENARIO, _scenario(what)),
        adapter_spec=_adapter(what),
        metric_specs=[
            MetricSpec(METRIC, {"study": what.study, "dataset": what.dataset}),
            *get_basic_metric_specs([]),
        ],
        groups=[what.group],
        annotators=_annotators(what),
    )


def _annotators(what: RunEntry) -> list[AnnotatorSpec] | None:
    """What takes the later steps of a design of several calls."""
    if len(designs.get(what.config.design).steps) == 1:
        return None
    return [AnnotatorSpec(ANNOTATOR, {"study": what.study, "dataset": what.dataset})]


def _check_adapter(spec: RunSpec) -> None:
    limit = spec.adapter_spec.max_eval_instances
    if limit is not None and limit < 1:
        raise InputError(f"run entry torr: --max-eval-instances: found {limit}; expected 1 or more")
    if spec.data_augmenter_spec.perturbation_specs:
        raise InputError("run entry torr: data_augmentation: expected none; perturbation=NAME is the study's")
    if spec.adapter_spec.max_train_instances:
        raise InputError("run entry torr: max_train_instances: expected none; the study has demonstrations")
    if spec.adapter_spec.num_trials != 1:
        raise InputError("run entry torr: num_trials: expected none; an example is asked once")


def _scenario(what: RunEntry) -> dict[str, Any]:
    arguments = {"study": what.study, "dataset": what.dataset, "config": what.config.id}
    return {**arguments, "chat": True} if what.chat else arguments


def _adapter(what: RunEntry) -> AdapterSpec:
    """Add no text to the prompt, ask for one answer, use the study's generation parameters."""
    return AdapterSpec(
        method=ADAPT_CHAT if what.chat else ADAPT_GENERATION,
        input_prefix="",
        input_suffix="",
        output_prefix="",
        output_suffix="",
        instance_prefix="",
        max_train_instances=0,
        num_outputs=1,
        **_settings(_generation(what.study, what.config.design)),
    )


def without_design(adapter: AdapterSpec, study: str, design: str) -> AdapterSpec:
    """An adapter spec with the study's generation parameters in place of those that are its design's own.

    The specs of a model that was asked in one way are equal then, whatever designs set.
    """
    own, common = _settings(_generation(study, design)), _settings(recipe_of(study).generation)
    return replace(adapter, **{name: common[name] for name in own if getattr(adapter, name) == own[name]})


def _settings(generation: Generation) -> dict[str, Any]:
    return {
        "temperature": generation.temperature,
        "max_tokens": generation.max_tokens,
        "stop_sequences": list(generation.until),
    }


def _generation(study: str, design: str) -> Generation:
    """The study's parameters, or those of the design's first step."""
    generation = recipe_of(study).generation
    others = sorted(generation.in_keys().keys() - {"max_tokens", "temperature", "until"})
    if others:
        raise InputError(
            f"{study}: generation.{others[0]}: found for a run by HELM, which sends temperature, max_tokens "
            "and stop texts; expected it to be left out"
        )
    step = designs.get(design).steps[0]
    return generation.model_copy(update=step.changes(generation.in_keys()) or {})


HOST = "torr"
TOKENIZER = "torr/words"
WINDOW = 100_000_000
"""Words; no table is near."""

_HERE = "torr_plugin.integrations.helm.client"
_BEGIN = "torr-"


def register_models() -> None:
    """Make ``torr/lexical`` and the other baselines known to HELM; doing it again changes nothing."""
    for model in sorted(baselines()):
        name = f"{HOST}/{model.removeprefix(_BEGIN)}"
        if name not in DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT:
            register_model_metadata(_metadata(name, model))
            register_model_deployment(_deployment(name, model))
    register_tokenizer_config(
        TokenizerConfig(
            TOKENIZER, TokenizerSpec(f"{_HERE}.WordTokenizer"), end_of_text_token="", prefix_token=""
        )
    )


def _metadata(name: str, model: str) -> ModelMetadata:
    # no tags: HELM's groups of models, as model=text, are of language models
    return ModelMetadata(
        name=name,
        creator_organization_name="torr-plugin",
        display_name=model,
        description=f"The embedded baseline {model}, without weights.",
        access="open",
        release_date=date(2026, 1, 1),
        tags=[],
    )


def _deployment(name: str, model: str) -> ModelDeployment:
    return ModelDeployment(
        name=name,
        client_spec=ClientSpec(f"{_HERE}.TorrClient", {"model": model}),
        model_name=name,
        tokenizer_name=TOKENIZER,
        max_sequence_length=WINDOW,
    )


run_spec_function("torr")(torr_run_spec)
register_models()
