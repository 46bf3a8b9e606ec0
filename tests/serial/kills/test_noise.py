"""A study of a server that does not always answer alike, killed and resumed: its noise comes out."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from ...running.servers import chat_server, text_of
from .study import Study, wait_for

pytestmark = pytest.mark.full

FLIPS = 0.1
RECIPE = """\
name: noisy
cards: [cards.bundled.fact_verification]
configurations: {serializers: [html, csv, markdown]}
examples: {count: 60}
generation: {max_tokens: 5}
analysis: {resamples: 50}
"""


def test_the_noise_of_a_server_comes_out_after_a_kill(new_study: Callable[..., Study]) -> None:
    asked, go = Counter[str](), threading.Event()

    def says(messages: list[dict[str, Any]]) -> str:
        text = text_of(messages)
        asked[text] += 1
        chance = random.Random(f"{text} {asked[text]}")  # whatever the order in which requests arrive
        if asked.total() > 40:
            go.wait()
        believes = len(text.split("Statement", 1)[-1]) % 2 == 0
        return "entailed" if believes ^ (chance.random() < FLIPS) else "refuted"

    with chat_server(says) as server:
        model = ("--model", "local-chat-completions", "--model-args", server.arguments(num_concurrent="2"))
        study = new_study(recipe=RECIPE, options=("--replicates", "1", *model))
        process = study.start()
        wait_for(lambda: len(study.stored()) > 20, process)
        process.kill()
        process.ended()
        before = study.stored()
        assert 20 < len(before) <= 40
        go.set()
        study.finish()
    assert len(asked) == 180
    assert min(asked.values()) >= 2
    assert before.keys() <= study.stored().keys()
    assert set(study.stored().values()) == {1}
    assert len(study.stored()) == 360
    main = (
        study.scores()
        .query("main")
        .pivot_table(index=["config", "example"], columns="replicate", values="score")
    )
    changed = float((main[0] != main[1]).mean())
    found = json.loads((study.run / "analysis.json").read_text())
    (noise,) = found["noise"].values()
    (free,) = found["robustness_noise_free"].values()
    assert noise["overall"]["value"] == pytest.approx(changed)
    assert noise["overall"]["cells"] == 180
    assert noise["overall"]["low"] < 2 * FLIPS * (1 - FLIPS) < noise["overall"]["high"]
    assert free["overall"]["low"] < 1 < free["overall"]["high"]
    (robust,) = found["robustness"].values()
    assert robust["overall"]["value"] < 0.9 < free["overall"]["value"]
