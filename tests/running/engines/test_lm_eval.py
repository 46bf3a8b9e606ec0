"""Models driven by lm-eval's own ``generate_until``: batches, halves, and what is known of their tokens."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.running.asked_models import Echo, Failing, Mumbling, Short
from torr_plugin.core.errors import EngineBrokenError
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.answer import Answer
from torr_plugin.running.engines.base import Context, EngineRequest
from torr_plugin.running.engines.lm_eval import FAILURES_IN_A_ROW, BatchSize, LmEvalEngine
from torr_plugin.running.loaded_model import Model, engine_of
from torr_plugin.running.request_sources import ListedRequests, PendingRequest

GENERATION = {"max_tokens": 16, "temperature": 0.0, "until": ["\n"]}


def asked(*texts: str) -> list[PendingRequest]:
    return [PendingRequest(str(number), (Message("user", text),)) for number, text in enumerate(texts)]


def asking(lm: Any, *, chat: bool = False) -> Model:
    entry, engine = ModelEntry(model="echo"), engine_of(lm)
    model = Model(lm, chat=chat, generation=GENERATION, entry=entry, engine=engine)
    assert isinstance(model.engine, LmEvalEngine)
    return model


def answers(lm: Any, *texts: str) -> list[tuple[str | None, str | None]]:
    return [(answer.prediction, answer.error) for answer in asking(lm).answers(asked(*texts))]


def test_one_that_fails_or_is_no_text_stops_no_other() -> None:
    words = [f"w{n}" for n in range(9)]
    found = answers(Failing(), *words[:4], "bad", *words[4:])
    assert found == [(word.upper(), None) for word in words[:4]] + [
        (None, "RuntimeError: cannot answer bad")
    ] + [(word.upper(), None) for word in words[4:]]
    found = answers(Mumbling(), "a", "odd", "b")
    assert found == [("A", None), (None, "the model gave a value of type int, expected text"), ("B", None)]
    assert answers(Short(), "a", "b", "c", "d") == [("A", None), ("B", None), ("C", None), ("D", None)]


class Counting(Echo):
    """Has a tokenizer: a token a word; and refuses words that it does not know."""

    def tok_encode(self, text: str) -> list[int]:
        if "unknown" in text:
            raise KeyError(text)
        return list(range(len(text.split())))


def test_a_prompts_tokens_are_told_where_the_model_has_a_tokenizer() -> None:
    found = asking(Counting()).answers(asked("one two three", "unknown", "one"))
    assert [answer.prompt_tokens for answer in found] == [3, None, 1]
    assert [answer.prediction for answer in found] == ["THREE", "UNKNOWN", "ONE"]
    assert {answer.completion_tokens for answer in found} == {None}
    plain = asking(Echo()).answers(asked("one two"))
    assert plain[0].prompt_tokens is None


class SGLangLM(Counting):
    """By its name an engine that batches by itself, and cuts the beginning off prompts that are too long."""

    max_length, max_gen_toks, truncation = 20, 256, False


def test_a_prompt_that_would_be_cut_is_not_asked() -> None:
    texts = ("one two", "five " * 5, "four " * 4)
    found = asking(SGLangLM()).answers(asked(*texts))
    assert [answer.prediction for answer in found] == ["TWO", None, "FOUR"]
    assert found[1].error == "the prompt has 5 tokens, the model takes 4 with max_tokens 16"
    assert [answer.prompt_tokens for answer in found] == [2, 5, 4]


@pytest.mark.parametrize("settings", [{"truncation": True}, {"backend": "seq2seq"}])
def test_cutting_that_was_wished_for_is_lm_evals(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setattr(SGLangLM, name, value, raising=False)
    assert [answer.prediction for answer in asking(SGLangLM()).answers(asked("five " * 5))] == ["FIVE"]


def sizes(
    first: int, seconds: Callable[[int], float], batches: int = 12, most_at_once: int | None = None
) -> list[int]:
    """The sizes of batches that take so many seconds."""
    size, found = BatchSize(first, most_at_once), []
    for _ in range(batches):
        found.append(size.size)
        size.record(size.size, seconds(size.size))
    return found


def test_batches_take_some_seconds_unless_small_ones_are_slower() -> None:
    assert sizes(1, lambda n: 0.001 * n) == [1, 4, 16, 64, 256, 1024] + 6 * [4096]
    assert sizes(1, lambda n: 20.0 * n)[:4] == [1, 4, 1, 1], "one after the other: a kill loses one"
    assert sizes(1, lambda n: 60.0 + n)[-1] == 256, "all at once: large batches are faster"
    assert sizes(64, lambda n: 100.0 * n)[:3] == [64, 256, 64]


def test_an_engine_that_computes_so_many_at_once_gets_as_many() -> None:
    """A slow one is given no second batch before the first is stored, a fast one several together."""
    assert sizes(16, lambda n: 20.0 * n / 16, most_at_once=16) == 12 * [16]
    assert sizes(16, lambda n: 0.5 * n / 16, most_at_once=16)[:4] == [16, 64, 256, 64]
    echo = Echo()
    echo.batch_size_per_gpu = 16
    assert LmEvalEngine(echo).room() == 16


class HFLM(Echo):
    """Stands in for lm-eval's class of this name."""

    backend = "seq2seq"
    batch_size_per_gpu = 1


class BatchingItself(HFLM):
    """A plugin's class, which asks all that it is given together."""

    def generate_until(self, requests: list[Any]) -> list[str]:
        return super().generate_until(requests)


@pytest.mark.parametrize(("kind", "second"), [(HFLM, 1), (BatchingItself, 4)])
def test_a_class_that_batches_by_itself_is_given_more_than_its_base_takes_at_once(
    kind: type[HFLM], second: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count(step=60)
    monkeypatch.setattr("torr_plugin.running.engines.lm_eval.time.monotonic", lambda: next(seconds))
    engine = LmEvalEngine(kind(), {"batch_size": 1})
    assert engine.room() == 1
    engine.add([EngineRequest(0, Context("say a"), {"until": []})])
    assert len(engine.step()) == 1
    assert engine.room() == second


def test_a_batch_that_was_not_full_says_nothing() -> None:
    size = BatchSize(64)
    size.record(3, 1000.0)
    assert size.size == 64


@pytest.mark.parametrize(("kind", "first"), [(Echo, 1), (SGLangLM, 64)])
def test_engines_that_batch_by_themselves_are_not_fed_drop_by_drop(kind: type[Echo], first: int) -> None:
    assert LmEvalEngine(kind()).room() == first


class Dying(Echo):
    """Answers for a while; then everything fails, whatever it is asked."""

    def __init__(self, lives: int) -> None:
        super().__init__()
        self.lives, self.asked = lives, 0

    def answer(self, context: object) -> str:
        self.asked += 1
        if self.asked > self.lives:
            raise RuntimeError("scheduler is dead")
        return super().answer(context)


def until_dead(lm: Dying) -> tuple[list[Answer], str]:
    """What it answered of 2,000 requests, and what is said in the end."""
    found = list[Answer]()
    try:
        for answers in asking(lm).stream(ListedRequests(asked(*(f"w{n}" for n in range(2000))))):
            found += answers
    except EngineBrokenError as error:
        return found, str(error)
    raise AssertionError("not noticed")


def test_a_dead_engine_is_no_thousand_errors() -> None:
    lm = Dying(100)
    found, error = until_dead(lm)
    assert "model 'echo': its engine answers nothing more (RuntimeError: scheduler is dead)" in error
    assert [each.prediction for each in found] == [f"W{n}" for n in range(100)]
    assert lm.asked < 200


def test_an_engine_that_never_answered_is_dead_too() -> None:
    found, error = until_dead(Dying(0))
    assert "scheduler is dead" in error
    assert len(found) == FAILURES_IN_A_ROW, "kept, so that the next attempt begins with others"


def test_many_prompts_that_fail_are_no_dead_engine() -> None:
    texts = [f"w{n}" if n < 5 or n >= 95 else f"bad {n}" for n in range(100)]
    found = answers(Failing(), *texts)
    assert [error is None for _, error in found] == [not text.startswith("bad") for text in texts]


class Limited(Failing):
    """Says how long its answer may be, which an answer kept for another request would not."""

    def generate_until(self, requests: list[Any]) -> list[str]:
        found = []
        for request in requests:
            text, arguments = request.args
            answer = f"{self.answer(text)} {arguments['max_gen_toks']}"
            self.cache_hook.add_partial("generate_until", request.args, answer)
            found.append(answer)
        return found


def test_equal_texts_of_different_limits_keep_their_own_answers() -> None:
    model = asking(Limited(forgets=False))
    # the first is answered, the second fails, and the third has the text of the first
    given = [*asked("one", "bad"), PendingRequest("long", (Message("user", "one"),), {"max_tokens": 99})]
    assert [answer.prediction for answer in model.answers(given)] == ["ONE 16", None, "ONE 99"]
