"""The packages that lm-eval's models need, and how to install them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from typing import Literal

Kind = Literal["in process", "server", "baseline", "plugin"]

_WEIGHTS = ("torch", "transformers", "accelerate")
_CALLS = ("aiohttp", "requests", "tenacity")


@dataclass(frozen=True, slots=True)
class ModelRequirements:
    """What a model of lm-eval needs.

    Attributes:
        kind: whether it runs in process or on a server.
        modules: what its code imports, dotted where a part of a package is meant.
        install: what :func:`..core.versions.pip_command` takes; None where only lm-eval's documentation
            helps.
        key: the environment variable with its key; None where it needs none.
    """

    kind: Kind
    modules: tuple[str, ...]
    install: str | None = None
    key: str | None = None


_HF = ModelRequirements("in process", _WEIGHTS, ".[hf]")
_API = ModelRequirements("server", _CALLS, ".[api]")
_ONNX = ("numpy", "transformers")
# by the beginning of the name; the longest that matches counts
_REQUIREMENTS = {
    "hf": _HF,
    "huggingface": _HF,
    "steered": _HF,
    "dummy": ModelRequirements("in process", ("transformers",), ".[hf]"),
    "mamba_ssm": ModelRequirements("in process", (*_WEIGHTS, "mamba_ssm"), ".[hf] mamba-ssm"),
    "ipex": ModelRequirements("in process", (*_WEIGHTS, "optimum.intel"), ".[hf] lm-eval[ipex]"),
    "openvino": ModelRequirements("in process", (*_WEIGHTS, "optimum.intel"), ".[hf] lm-eval[optimum]"),
    "habana": ModelRequirements("in process", (*_WEIGHTS, "optimum.habana"), ".[hf] lm-eval[habana]"),
    "neuronx": ModelRequirements(
        "in process", ("torch", "transformers", "optimum.neuron"), "optimum-neuron[neuronx]"
    ),
    "nemo_lm": ModelRequirements("in process", ("torch", "nemo", "lightning")),
    "megatron_lm": ModelRequirements("in process", ("torch", "megatron")),
    "onnxruntime": ModelRequirements("in process", (*_ONNX, "onnxruntime"), "lm-eval[onnxruntime]"),
    "onnxruntime-genai": ModelRequirements(
        "in process", (*_ONNX, "onnxruntime_genai"), "lm-eval[onnxruntime-genai]"
    ),
    "winml": ModelRequirements("in process", (*_ONNX, "onnxruntime_genai", "winui3")),
    "vllm": ModelRequirements("in process", ("vllm",), ".[vllm]"),
    "vllm-vlm": ModelRequirements("in process", ("vllm", "ray"), ".[vllm,ray]"),
    "sglang": ModelRequirements("in process", ("sglang",), "sglang"),
    "trtllm": ModelRequirements("in process", ("tensorrt_llm",), "tensorrt-llm"),
    "local-": _API,
    "sglang-generate": _API,
    "openai-": ModelRequirements("server", _CALLS, ".[api]", "OPENAI_API_KEY"),
    "openai-completions": ModelRequirements("server", (*_CALLS, "tiktoken"), ".[api]", "OPENAI_API_KEY"),
    "azure-openai-": ModelRequirements(
        "server", (*_CALLS, "openai"), ".[api] openai", "AZURE_OPENAI_API_KEY"
    ),
    "anthropic-chat": ModelRequirements("server", _CALLS, ".[api]", "ANTHROPIC_API_KEY"),
    "anthropic-completions": ModelRequirements("server", ("anthropic",), "anthropic", "ANTHROPIC_API_KEY"),
    "litellm": ModelRequirements("server", (*_CALLS, "litellm"), ".[api] lm-eval[litellm]"),
    "watsonx_llm": ModelRequirements(
        "server", ("ibm_watsonx_ai", "dotenv"), "lm-eval[ibm_watsonx_ai]", "WATSONX_API_KEY"
    ),
    "textsynth": ModelRequirements("server", ("requests",), "requests", "TEXTSYNTH_API_SECRET_KEY"),
    "gguf": ModelRequirements("server", ("requests",), "requests"),
    "ggml": ModelRequirements("server", ("requests",), "requests"),
}


def requirements_of(name: str) -> ModelRequirements | None:
    """What one of lm-eval's models needs; None for a model that is not in this list."""
    begins = [prefix for prefix in _REQUIREMENTS if name.startswith(prefix)]
    return _REQUIREMENTS[max(begins, key=len)] if begins else None


def missing_modules(modules: Iterable[str]) -> tuple[str, ...]:
    """Those of the modules that are not installed."""
    return tuple(module for module in modules if not is_installed(module))


def is_installed(module: str) -> bool:
    """Whether a module can be imported; neither it nor the packages it is in are."""
    return sys.modules.get(module) is not None or find_module(module) is not None


def find_module(module: str) -> ModuleSpec | None:
    """Where a module is; unlike :func:`importlib.util.find_spec` this imports none of its packages."""
    first, *rest = module.split(".")
    spec = None if first in sys.modules and sys.modules[first] is None else find_spec(first)
    for part in rest:
        if spec is None:
            return None
        spec = PathFinder.find_spec(f"{spec.name}.{part}", list(spec.submodule_search_locations or ()))
    return spec
