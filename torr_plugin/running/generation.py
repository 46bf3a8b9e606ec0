"""A study's generation parameters by lm-eval's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def lm_eval_arguments(generation: Mapping[str, Any]) -> dict[str, Any]:
    """Generation parameters by lm-eval's names: ``max_tokens`` is ``max_gen_toks``; the rest keep theirs."""
    rest = {
        name: value
        for name, value in generation.items()
        if name not in ("max_tokens", "temperature", "until")
    }
    temperature = float(generation.get("temperature") or 0.0)
    arguments: dict[str, Any] = {
        **rest,
        "until": [str(stop) for stop in generation.get("until") or ()],
        "temperature": temperature,
        "do_sample": temperature > 0,
    }
    if generation.get("max_tokens") is not None:
        arguments["max_gen_toks"] = int(generation["max_tokens"])
    return arguments
