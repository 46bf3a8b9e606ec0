"""HELM's metric gives the true figure of what today's servers reply, as HELM's clients pass it on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..integrations.helm.harness import instances, means, scenario_state
from .servers import WAYS, is_cut

pytestmark = pytest.mark.full


def _content(way: str, answer: str, prompt: str) -> str:
    """The text of a reply; HELM's clients make an empty one of null."""
    reply: Any = json.loads(WAYS[way](answer, prompt, {"max_tokens": 40}).body)
    return reply["choices"][0]["message"]["content"] or ""


@pytest.mark.parametrize(
    "way",
    [
        "plain",
        "think",
        "think-unopened",
        "brackets",
        "harmony",
        "field",
        "cut-in-tags",
        "cut-null",
        "cut-empty",
    ],
)
def test_the_figure_is_the_true_one(way: str) -> None:
    from torr_plugin.integrations.helm.metric import TorrHelmMetric

    chosen = instances()
    prompts = [each.input.text for each in chosen]
    texts = [
        _content(way, each.references[0].output.text, prompt)
        for each, prompt in zip(chosen, prompts, strict=True)
    ]
    lost = sum(map(is_cut, prompts)) if way.startswith("cut") else 0
    metric = TorrHelmMetric("quickstart", "bundled.cell_lookup")
    score, count = means(metric, scenario_state(chosen, texts))["torr_score"]
    assert count == len(chosen)
    assert score == pytest.approx(1 - lost / len(chosen))
    assert bool(lost) == way.startswith("cut")
