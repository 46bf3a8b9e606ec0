"""vLLM's engine in this process, loaded once: the same texts as lm-eval's own way, with counts, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from torr_plugin.core.errors import EngineBrokenError
from torr_plugin.prompts import Message
from torr_plugin.running import Run, execute
from torr_plugin.running.engines.base import Context, EngineRequest
from torr_plugin.running.engines.lm_eval import LmEvalEngine
from torr_plugin.running.engines.vllm import VllmEngine
from torr_plugin.running.loaded_model import Model, lm_eval_arguments
from torr_plugin.running.request_sources import ListedRequests, PendingRequest

from ...running.asked_models import Plan
from ...timing import PATIENCE
from .conftest import CONTEXT, GENERATION, entry

# vLLM and what it stands on warn of their own older names
pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("default")]

TEXTS = [f"Question {n}: what is {n}+{n}? " + "the table has a row " * (n % 40) for n in range(150)]
TOO_LONG = "long " * 2000
TOLD = ("prediction", "error", "prompt_tokens", "completion_tokens", "finish_reason")


def asked(texts: list[str], generation: dict[str, Any] | None = None) -> list[PendingRequest]:
    return [
        PendingRequest(
            f"{number:032x}", (Message("system", "Read the table."), Message("user", text)), generation
        )
        for number, text in enumerate(texts)
    ]


def begun(model: Model, count: int, most_tokens: int) -> VllmEngine:
    """The model's engine with so many requests, which are its own alone."""
    arguments = lm_eval_arguments({**GENERATION, "max_tokens": most_tokens, "until": []})
    texts = [TEXTS[number % len(TEXTS)] for number in range(count)]
    model.engine.add([EngineRequest(number, Context(text), arguments) for number, text in enumerate(texts)])
    return model.engine


def test_the_texts_are_those_of_lm_eval(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(model.engine, VllmEngine)
    ours = model.answers(asked(TEXTS))
    monkeypatch.setattr(model, "engine", LmEvalEngine(model.engine._lm))
    theirs = model.answers(asked(TEXTS))
    assert [each.error for each in ours] == [None] * len(TEXTS)
    assert [each.prediction for each in ours] == [each.prediction for each in theirs]
    assert len({each.prediction for each in ours}) > len(TEXTS) / 4  # they do depend on the prompt


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
    for text in (rendered, "hello"):
        (tokens,) = model.engine._tokens([EngineRequest(0, Context(text), {})])
        assert tokens.count(lm.tokenizer.bos_token_id) == 1


def test_what_cannot_be_answered_fails_alone(model: Model) -> None:
    wrong = PendingRequest("f" * 32, (Message("user", "two"),), {"top_p": 7.0})
    one, long, fits, refused = model.answers([*asked(["short", TOO_LONG, "fits " * 100]), wrong])
    assert one.error is fits.error is None
    rendered = model._contexts.of(asked([TOO_LONG])[0].prompt).text
    tokens = len(model.engine._lm.tok_encode(rendered))
    assert long.error == f"the prompt has {tokens} tokens, the model takes {CONTEXT - 24} with max_tokens 24"
    assert long.prompt_tokens == tokens
    assert "top_p" in refused.error


def test_seeded_prompts_may_be_read_in_parts(model: Model) -> None:
    """As replicates are; more than vLLM reads in one step, which ended its engine on a CPU."""
    texts = [f"{number} " + "word " * (CONTEXT // 2) for number in range(40)]
    answers = model.answers(asked(texts, {"temperature": 0.7, "seed": 1}))
    assert [answer.error for answer in answers] == [None] * len(texts)


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


def test_the_queue_does_not_drain(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Counting(asked(TEXTS * 2))
    core, waiting = model.engine._core, list[int]()
    step = core.step

    def stepped() -> Any:
        if sum(source.taken) < 2 * len(TEXTS):
            waiting.append(core.get_num_unfinished_requests())
        return step()

    monkeypatch.setattr(core, "step", stepped)
    found = [answer for answers in model.stream(source) for answer in answers]
    assert len(found) == 2 * len(TEXTS)
    assert source.taken[0] == 2 * 32  # as many wait as run
    assert min(waiting) > 32


def test_what_waits_is_recalled_at_a_stop(model: Model) -> None:
    count = model.engine._side + 10
    engine = begun(model, count, 4)
    assert engine.recall() == list(range(engine._side, count))
    assert engine.recall() == []
    found = []
    while len(found) < engine._side:
        found += engine.step()
    assert sorted(number for number, _ in found) == list(range(engine._side))
    assert engine._core.get_num_unfinished_requests() == 0


def test_abandoned_requests_are_no_more(model: Model) -> None:
    engine = begun(model, 20, 500)
    engine.step()
    engine.abandon()
    assert engine._core.get_num_unfinished_requests() == 0
    (answer,) = model.answers(asked(["afterwards"]))
    assert answer.error is None


@pytest.fixture
def _ray(model: Model, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ray, begun after the engine in this process, which would take what is set here for itself."""
    import ray

    assert model

    # set by a driver that ran vLLM before; an engine that saw it would wait for its brothers
    monkeypatch.setenv("VLLM_DP_SIZE", "2")
    monkeypatch.setenv("VLLM_DP_RANK", "1")
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("_ray")
def test_the_same_answers_under_ray(tiny: Path, model: Model, tmp_path: Path) -> None:
    plan, before = Plan([*TEXTS[:60], TOO_LONG]), set(_engines(psutil.process_iter()))
    summary = execute(plan, [entry(tiny)], tmp_path / "ray", executor="ray")
    assert (summary.requests, summary.answered, summary.failed) == (61, 60, 1)
    # nothing of vLLM's is left
    assert psutil.wait_procs(set(_engines(psutil.process_iter())) - before, timeout=PATIENCE)[1] == []
    rows = {row["key"]: row for row in Run.open(tmp_path / "ray").predictions("tiny").to_pylist()}
    requests = [PendingRequest(request.key, request.prompt, plan.generation) for request in plan.requests()]
    for answer in model.answers(requests):
        told = {name: getattr(answer, name) for name in TOLD}
        assert {name: rows[answer.key][name] for name in TOLD} == told


def test_an_engine_that_was_killed_is_noticed(model: Model) -> None:
    """As the kernel does when memory runs out. The engine is gone then: the last of these tests."""
    stream = model.stream(ListedRequests(asked([f"{n} {text}" for n in range(40) for text in TEXTS])))
    found = next(stream)
    (engine,) = _engines(psutil.Process().children(recursive=True))
    engine.kill()
    with pytest.raises(EngineBrokenError, match="model 'tiny': its engine failed"):
        found += [answer for answers in stream for answer in answers]
    assert found
    assert all(each.error is None for each in found)


def _engines(processes: Any) -> list[psutil.Process]:
    """Those of them that are vLLM's engines."""
    return [each for each in processes if "EngineCore" in each.name() and each.status() != "zombie"]
