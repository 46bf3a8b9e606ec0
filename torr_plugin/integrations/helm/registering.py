"""HELM's entry point (group ``helm``): importing it registers the run specs ``torr`` and the baselines.

HELM imports it in every ``helm-run`` of an environment where this package is installed; it imports nothing of
ours that is heavy. ``helm-summarize`` does not, so the summarizer registers the models itself.
"""

from __future__ import annotations

from datetime import date

from helm.benchmark.model_deployment_registry import (
    DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT,
    ClientSpec,
    ModelDeployment,
    register_model_deployment,
)
from helm.benchmark.model_metadata_registry import ModelMetadata, register_model_metadata
from helm.benchmark.run_spec import run_spec_function
from helm.benchmark.tokenizer_config_registry import (
    TokenizerConfig,
    TokenizerSpec,
    register_tokenizer_config,
)

from ...running.registry import baselines
from .run_specs import torr_run_spec

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
