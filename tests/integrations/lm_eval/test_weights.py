"""A model of real, tiny weights: lm-eval is answered as ``torr run`` is, in plain text and by a template."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ... import tiny_llama
from .conftest import Evaluate, run_of

pytestmark = pytest.mark.full

TURNS = """
name: turns
cards: [cards.bundled.cell_lookup]
configurations:
  serializers: [csv]
  perturbations: [none, transpose]
  designs: [hctqa, default, self_augmented]
demonstrations: {shots: 1}
examples: {count: 3}
generation: {max_tokens: 12}
models: []
"""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)  # the model is so small that threads wait for each other
    yield tiny_llama.make(tmp_path_factory.mktemp("weights") / "tiny")
    torch.set_num_threads(before)


def answers(run: Path) -> dict[str, str]:
    rows = pd.concat([pd.read_parquet(path) for path in (run / "predictions").rglob("*.parquet")])
    assert rows.error.isna().all()
    return dict(zip(rows.key, rows.prediction, strict=True))


@pytest.mark.parametrize("chat", [True, False])
def test_the_answers_are_those_of_the_run(
    chat: bool, weights: Path, evaluate: Evaluate, tmp_path: Path
) -> None:
    from lm_eval.models.huggingface import HFLM

    study = tmp_path / "turns.yaml"
    study.write_text(TURNS)
    given = f"pretrained={weights},device=cpu,dtype=float32,batch_size=1"
    flag = "--chat" if chat else "--no-chat"
    run = run_of(str(study), tmp_path / "run", "--model", "hf", "--model-args", given, flag)
    model: Any = HFLM(pretrained=str(weights), device="cpu", dtype="float32", batch_size=1)
    found = evaluate(
        "turns_bundled_cell_lookup", model=model, recipes=(str(study),), apply_chat_template=chat
    )
    mine = {}
    for sample in found["samples"]["turns_bundled_cell_lookup"]:
        for record, answer in zip(sample["doc"]["torr"], sample["filtered_resps"], strict=True):
            if record["config"].endswith("self_augmented"):
                mine |= {step["key"]: step["answer"] for step in json.loads(answer)["torr_steps"]}
            else:
                mine[record["key"]] = answer
    assert mine == answers(run)
    assert len(mine) == 12 + 2 * 6
    assert len(set(mine.values())) > 3
