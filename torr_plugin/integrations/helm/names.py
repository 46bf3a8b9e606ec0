"""The names of our statistics and figures in HELM, and what each says."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

SCORE = "torr_score"
MISSING = "torr_missing"
CHANGED = "torr_prompt_changed"


@dataclass(frozen=True, slots=True)
class Said:
    """A statistic as HELM's tables show it; ``lower_is_better`` None: neither is."""

    display: str
    description: str
    lower_is_better: bool | None


DESCRIBED = MappingProxyType(
    {
        SCORE: Said("Score", "Mean main score of the answers that are there.", False),
        MISSING: Said(
            "Missing", "Share of requests of finished runs without an answer; they have no score.", True
        ),
        CHANGED: Said(
            "Prompt changed", "Share of prompts that HELM cut to a window or wrapped for the model.", True
        ),
    }
)
"""What the metric gives for each instance."""

FIGURES = MappingProxyType(
    {
        "torr_performance": Said(
            "Performance", "Mean score over configurations and examples, with its interval.", False
        ),
        "torr_robustness": Said(
            "Robustness",
            "One minus the mean range of an example's scores over configurations, with its interval.",
            False,
        ),
        "torr_worst": Said("Worst", "Mean over examples of the least score over configurations.", False),
        "torr_best": Said("Best", "Mean over examples of the best score over configurations.", False),
        "torr_holes": Said(
            "Holes", "Scores that are missing; examples with a hole are in none of the figures.", True
        ),
    }
)
"""What the summarizer computes from all configurations of a data set."""
