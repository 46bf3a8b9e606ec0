"""HELM's per_instance_stats.json: the scores of each instance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....core.errors import InputError
from ..fields import field as required
from ..fields import number
from ..json_text import read_json

_BESIDE = frozenset(
    [
        "num_references",
        "num_train_trials",
        "num_prompt_tokens",
        "num_completion_tokens",
        "num_output_tokens",
        "num_instances",
        "num_perplexity_tokens",
        "num_bytes",
        "num_completions",
        "num_train_instances",
        "training_co2_cost",
        "training_energy_cost",
        "inference_runtime",
        "inference_idealized_runtime",
        "inference_denoised_runtime",
        "batch_size",
        "prompt_truncated",
        "logprob",
        "max_prob",
        "perplexity",
        "bits_per_byte",
        "logprob_per_byte",
        "estimated_num_tokens_cost",
        "finish_reason_length",
        "finish_reason_stop",
        "finish_reason_endoftext",
        "finish_reason_unknown",
        "torr_missing",
    ]
)
"""What HELM counts of every request; no score."""

CHANGED = "torr_prompt_changed"


@dataclass
class Stats:
    """An instance's scores by metric, and whether HELM changed the prompt of ours."""

    scores: dict[str, float] = field(default_factory=dict)
    changed: bool = False


def read_stats(path: Path) -> dict[tuple[str, str, int], Stats]:
    """The statistics of a run by instance, HELM's own perturbation and trial.

    HELM writes an entry for each of its metrics; here they are together.

    Raises:
        InputError: it is no JSON, or not what HELM 0.5 writes.
    """
    found: dict[tuple[str, str, int], Stats] = {}
    for place, entry in enumerate(read_json(path, list)):
        where = f"{path}: entry {place}"
        name = required(entry, "instance_id", str, where)
        trial = required(entry, "train_trial_index", int, where)
        stats = found.setdefault((name, perturbation(entry), trial), Stats())
        for stat in required(entry, "stats", list, where):
            _add(stats, stat, where)
    return found


def perturbation(entry: Mapping[str, Any]) -> str:
    """The name of HELM's own perturbation of an instance; empty where there is none."""
    said = entry.get("perturbation")
    name = said.get("name") if isinstance(said, dict) else said
    return name if isinstance(name, str) else ""


def _add(stats: Stats, stat: object, where: str) -> None:
    name = required(stat, "name", dict, f"{where}: stats")
    metric = required(name, "name", str, f"{where}: stats")
    value = number(stat.get("mean")) if isinstance(stat, dict) else None
    if metric == CHANGED:
        stats.changed = value == 1.0
    elif value is not None and metric not in _BESIDE and stats.scores.setdefault(metric, value) != value:
        raise InputError(f"{where}: metric {metric!r} has the means {stats.scores[metric]} and {value}")
