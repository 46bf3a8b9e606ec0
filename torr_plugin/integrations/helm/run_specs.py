"""HELM's entry point (group ``helm``): importing it registers the run specs ``torr`` and the baselines.

HELM imports it in every ``helm-run`` of an environment where this package is installed, so it imports
nothing of ours that is heavy.
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

from ...core.errors import InputError
from ...prompts import designs
from ...recipes import Generation
from ...running.model_classes import baselines
from ..studies import recipe_of
from .run_entries import RunEntry, parse_run_entry

_HERE = "torr_plugin.integrations.helm"
SCENARIO = f"{_HERE}.scenario.TorrScenario"
ANNOTATOR = f"{_HERE}.annotator.TorrStepsAnnotator"
METRIC = f"{_HERE}.metric.TorrHelmMetric"
LIMIT = "limit"
"""The scenario's argument for the number of examples."""


@dataclass(frozen=True)
class TorrRunSpec(RunSpec):  # type: ignore[misc]  # HELM ships no types
    """A run spec whose ``--max-eval-instances N`` means the study's first N examples, as ``--limit N``.

    HELM draws N instances at random of what a scenario gives. It writes N into the adapter spec first, by
    ``dataclasses.replace``, which makes this class again; so the scenario takes N, and gives no more.
    """

    def __post_init__(self) -> None:
        """Check the adapter before a model is asked, and pass the number of examples to the scenario.

        Raises:
            InputError: an option of HELM's that changes instances, or asks an example twice or never.
        """
        super().__post_init__()
        adapter, limit = self.adapter_spec, self.adapter_spec.max_eval_instances
        for wrong, said in (
            (limit is not None and limit < 1, f"--max-eval-instances: found {limit}; expected 1 or more"),
            (
                self.data_augmenter_spec.perturbation_specs,
                "data_augmentation: expected none; perturbation=NAME is the study's",
            ),
            (
                adapter.max_train_instances,
                "max_train_instances: expected none; the study has demonstrations",
            ),
            (adapter.num_trials != 1, "num_trials: expected none; an example is asked once"),
        ):
            if wrong:
                raise InputError(f"run entry torr: {said}")
        scenario = self.scenario_spec
        if scenario.args[LIMIT] != limit:
            limited = replace(scenario, args={**scenario.args, LIMIT: limit})
            object.__setattr__(self, "scenario_spec", limited)


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
    asked = {"study": what.study, "dataset": what.dataset}
    scenario = {**asked, "config": what.config.id, "chat": what.chat, LIMIT: None}
    several = len(designs.get(what.config.design).steps) > 1
    return TorrRunSpec(
        name=what.name,
        scenario_spec=ScenarioSpec(SCENARIO, scenario),
        adapter_spec=_adapter(what),
        metric_specs=[MetricSpec(METRIC, asked), *get_basic_metric_specs([])],
        groups=[what.group],
        annotators=[AnnotatorSpec(ANNOTATOR, asked)] if several else None,
    )


def _adapter(what: RunEntry) -> AdapterSpec:
    """Add no text to the prompt, ask for one answer, use the study's generation parameters."""
    generation = _generation(what.study, what.config.design)
    return AdapterSpec(
        method=ADAPT_CHAT if what.chat else ADAPT_GENERATION,
        input_prefix="",
        input_suffix="",
        output_prefix="",
        output_suffix="",
        instance_prefix="",
        max_train_instances=0,
        num_outputs=1,
        temperature=generation.temperature,
        max_tokens=generation.max_tokens,
        stop_sequences=list(generation.until),
    )


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


TOKENIZER = "torr/characters"
WINDOW = 100_000_000
"""Characters; no table is near."""


def register_models() -> None:
    """Make ``torr/lexical`` and the other baselines known to HELM; doing it again changes nothing."""
    for model in sorted(baselines()):
        name = f"torr/{model.removeprefix('torr-')}"
        if name in DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT:
            continue
        register_model_metadata(
            ModelMetadata(
                name=name,
                creator_organization_name="torr-plugin",
                display_name=model,
                description=f"The embedded baseline {model}, without weights.",
                access="open",
                release_date=date(2026, 1, 1),
                tags=[],  # HELM's groups of models, as model=text, are of language models
            )
        )
        register_model_deployment(
            ModelDeployment(
                name=name,
                client_spec=ClientSpec(f"{_HERE}.client.TorrClient", {"model": model}),
                model_name=name,
                tokenizer_name=TOKENIZER,
                max_sequence_length=WINDOW,
            )
        )
    register_tokenizer_config(
        TokenizerConfig(
            TOKENIZER,
            TokenizerSpec("helm.tokenizers.simple_tokenizer.SimpleTokenizer"),
            end_of_text_token="",
            prefix_token="",
        )
    )


run_spec_function("torr")(torr_run_spec)
register_models()
