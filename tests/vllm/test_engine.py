"""vLLM's engine in this process: the same texts as lm-eval's own way, with counts, in our order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.prompts import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.contexts import Context
from torr_plugin.running.engines import EngineRequest
from torr_plugin.running.engines.lm_eval import LmEvalEngine
from torr_plugin.running.engines.vllm import VllmEngine
from torr_plugin.running.model import Model, lm_eval_arguments, load_model
from torr_plugin.running.pending_request import ListedRequests, PendingRequest

from .conftest import CONTEXT, GENERATION

# vLLM and what it stands on warn of their own older names
pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings("default")]


def asked(texts: list[str], generation: dict[str, Any] | None = None) -> list[PendingRequest]:
    return [
        PendingRequest(
            f"{number:032x}", (Message("system", "Read the table."), Message("user", text)), generation
        )
        for number, text in enumerate(texts)
    ]


TEXTS = [f"Question {n}: what is {n}+{n}? " + "the table has a row " * (n % 40) for n in range(150)]


def test_the_texts_are_those_of_lm_eval(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(model.engine, VllmEngine)
    ours = model.answers(asked(TEXTS))
    monkeypatch.setattr(model, "engine", LmEvalEngine(model.engine._lm))
    theirs = model.answers(asked(TEXTS))
    assert [each.error for each in ours] == [None] * len(TEXTS)
    assert [each.prediction for each in ours] == [each.prediction for each in theirs]
    assert len({each.prediction for each in ours}) > len(TEXTS) / 4  # they do hang on the prompt


def test_transformers_writes_the_same(model: Model, tiny: Path) -> None:
    same = load_model(
        ModelEntry(model="hf", args={"pretrained": str(tiny), "dtype": "float32", "device": "cpu"}),
        GENERATION,
    )
    prompts = asked(TEXTS[:40])
    theirs = [each.prediction for each in same.answers(prompts)]
    ours = [each.prediction for each in model.answers(prompts)]
    # kernels sum in another order, so where two tokens are all but equally likely either may be written;
    # and special tokens are written by one, left out by the other
    rendered = [same._contexts.of(each.prompt).text for each in prompts]
    sure = [least_lead(same.engine._lm, text) > 1e-3 for text in rendered]
    assert sum(sure) > len(sure) / 2
    found = list(zip(ours, theirs, sure, strict=True))
    assert [one for one, _, known in found if known] == [other for _, other, known in found if known]


def least_lead(lm: Any, text: str) -> float:
    """By how many logits transformers prefers each token of its answer at least; 0 where one is special."""
    import torch

    prompt = torch.tensor([lm.tok_encode(text)])
    written = lm.model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=GENERATION["max_tokens"],
        do_sample=False,
        output_logits=True,
        return_dict_in_generate=True,
    )
    tokens, leads = written.sequences[0, prompt.shape[1] :], list[float]()
    for step, logits in enumerate(written.logits, start=1):
        first, second = logits[0].topk(2).values.tolist()
        special = int(tokens[step - 1]) in lm.tokenizer.all_special_ids
        leads.append(0.0 if special else first - second)
        if any(end in lm.tokenizer.decode(tokens[:step]) for end in GENERATION["until"]):
            break
    return min(leads)


def test_what_is_told_beside_the_text(model: Model) -> None:
    prompts = asked(TEXTS, {"until": [], "max_tokens": 7})
    answers = model.answers(prompts)
    lm = model.engine._lm
    rendered = [model._contexts.of(each.prompt).text for each in prompts]
    assert [each.prompt_tokens for each in answers] == [len(ids) for ids in lm.tok_encode(rendered)]
    assert Counter(each.finish_reason for each in answers)["length"] > 100
    assert all(each.completion_tokens == 7 for each in answers if each.finish_reason == "length")
    assert all(each.seconds > 0 for each in answers)
    again = model.answers(asked(TEXTS, {"until": [], "max_tokens": 8}))
    block = model.engine._core.vllm_config.cache_config.block_size
    # every whole block of a known prompt, but for that of its last token, which is computed
    assert [each.cached_tokens for each in again] == [
        (each.prompt_tokens - 1) // block * block for each in again
    ]
    assert max(each.cached_tokens for each in again) > 0


def test_one_begin_of_sequence(model: Model) -> None:
    """Templates write the BOS token themselves; it must not stand there twice."""
    lm = model.engine._lm
    rendered = model._contexts.of(asked(["hello"])[0].prompt).text
    assert rendered == "<|begin|><|system|>Read the table.<|user|>hello<|assistant|>"
    (tokens,) = model.engine._tokens([EngineRequest(0, Context(rendered), {})])
    assert tokens.count(lm.tokenizer.bos_token_id) == 1
    (plain,) = model.engine._tokens([EngineRequest(0, Context("hello"), {})])
    assert plain.count(lm.tokenizer.bos_token_id) == 1


def test_too_long_is_a_failure_with_its_numbers(model: Model) -> None:
    answers = model.answers(asked(["short", "long " * 2000, "fits " * 100]))
    assert [each.error is None for each in answers] == [True, False, True]
    rendered = model._contexts.of(asked(["long " * 2000])[0].prompt).text
    tokens = len(model.engine._lm.tok_encode(rendered))
    assert answers[1].error == (
        f"the prompt has {tokens} tokens, the model takes {CONTEXT - 24} with max_tokens 24"
    )
    assert [each.prompt_tokens for each in answers][1] == tokens


def test_parameters_that_vllm_refuses_fail_alone(model: Model) -> None:
    wrong = asked(["one", "two"], {"top_p": 7.0})[1]
    answers = model.answers([*asked(["one"]), wrong])
    assert answers[0].error is None
    assert "top_p" in answers[1].error


def test_an_answer_ends_after_the_thinking(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a token that ends the thinking, texts that end an answer do not end the thinking."""
    whole = model.answers(asked(TEXTS[:20], {"until": []}))
    thinker = next(each for each in whole if "e" in each.prediction[:-4])
    text = TEXTS[int(thinker.key, 16)]
    mark = thinker.prediction[thinker.prediction.index("e") + 1 :][:2]
    monkeypatch.setattr(model.engine._lm, "think_end_token", mark)
    monkeypatch.setattr(model, "engine", VllmEngine(model.engine._lm))
    (answer,) = model.answers(asked([text], {"until": ["e"]}))
    after = thinker.prediction.split(mark)[-1].lstrip().split("e")[0]
    assert answer.prediction == after
    assert answer.completion_tokens == thinker.completion_tokens


class Counting(ListedRequests):
    """Notes how many are taken at once."""

    def __init__(self, pending: list[PendingRequest]) -> None:
        super().__init__(pending)
        self.taken: list[int] = []

    def take(self, most: int) -> list[PendingRequest]:
        found = super().take(most)
        self.taken.append(len(found))
        return found


def test_the_queue_does_not_drain(model: Model) -> None:
    source = Counting(asked(TEXTS * 2))
    engine, waiting = model.engine, list[int]()
    step = engine._core.step

    def stepped() -> Any:
        if sum(source.taken) < 2 * len(TEXTS):
            waiting.append(engine._core.get_num_unfinished_requests())
        return step()

    engine._core.step = stepped
    try:
        found = [answer for answers in model.stream(source) for answer in answers]
    finally:
        engine._core.step = step
    assert len(found) == 2 * len(TEXTS)
    assert source.taken[0] == 2 * 32  # as many wait as run
    assert min(waiting) > 32


def test_abandoned_requests_are_no_more(model: Model) -> None:
    engine, arguments = model.engine, lm_eval_arguments({**GENERATION, "max_tokens": 500, "until": []})
    engine.add([EngineRequest(number, Context(text), arguments) for number, text in enumerate(TEXTS[:20])])
    engine.step()
    engine.abandon()
    assert engine._core.get_num_unfinished_requests() == 0
    (answer,) = model.answers(asked(["afterwards"]))
    assert answer.error is None


def test_what_waits_is_recalled_at_a_stop(model: Model) -> None:
    engine, arguments = model.engine, lm_eval_arguments({**GENERATION, "max_tokens": 4, "until": []})
    count = engine._side + 10
    texts = [TEXTS[number % len(TEXTS)] for number in range(count)]
    engine.add([EngineRequest(number, Context(text), arguments) for number, text in enumerate(texts)])
    recalled = engine.recall()
    assert recalled == list(range(engine._side, count))
    assert engine.recall() == []
    found = []
    while len(found) < engine._side:
        found += engine.step()
    assert sorted(number for number, _ in found) == list(range(engine._side))
    assert engine._core.get_num_unfinished_requests() == 0
