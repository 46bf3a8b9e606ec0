"""Models driven by lm-eval's own ``generate_until``: batches, halves, and what is known of their tokens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.running.asked_models import Echo, Failing, Mumbling, Short
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.engines import engine_of
from torr_plugin.running.engines.lm_eval import LmEvalEngine
from torr_plugin.running.model import Model
from torr_plugin.running.pending_request import PendingRequest

GENERATION = {"max_tokens": 16, "temperature": 0.0, "until": ["\n"]}


def asked(*texts: str) -> list[PendingRequest]:
    return [PendingRequest(str(number), (Message("user", text),)) for number, text in enumerate(texts)]


def answers(lm: Any, *texts: str) -> list[tuple[str | None, str | None]]:
    model = Model(lm, chat=False, generation=GENERATION, entry=ModelEntry(model="echo"))
    assert isinstance(model.engine, LmEvalEngine)
    return [(answer.prediction, answer.error) for answer in model.answers(asked(*texts))]


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
    model = Model(Counting(), chat=False, generation=GENERATION, entry=ModelEntry(model="echo"))
    found = model.answers(asked("one two three", "unknown", "one"))
    assert [answer.prompt_tokens for answer in found] == [3, None, 1]
    assert [answer.prediction for answer in found] == ["THREE", "UNKNOWN", "ONE"]
    assert {answer.completion_tokens for answer in found} == {None}
    plain = Model(Echo(), chat=False, generation=GENERATION, entry=ModelEntry(model="echo")).answers(
        asked("one two")
    )
    assert plain[0].prompt_tokens is None


class HFLM(Counting):
    """By its name a model that cuts the beginning off prompts that are too long."""

    max_length, max_gen_toks, truncation = 20, 256, False


def test_a_prompt_that_would_be_cut_is_not_asked() -> None:
    texts = ("one two", "five " * 5, "four " * 4)
    found = Model(
        HFLM(), chat=False, generation=GENERATION, entry=ModelEntry(model="echo"), engine=LmEvalEngine(HFLM())
    ).answers(asked(*texts))
    assert [answer.prediction for answer in found] == ["TWO", None, "FOUR"]
    assert found[1].error == "the prompt has 5 tokens, the model takes 4 with max_tokens 16"
    assert [answer.prompt_tokens for answer in found] == [2, 5, 4]


@pytest.mark.parametrize("settings", [{"truncation": True}, {"backend": "seq2seq"}])
def test_cutting_that_was_wished_for_is_lm_evals(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setattr(HFLM, name, value, raising=False)
    model = Model(
        HFLM(), chat=False, generation=GENERATION, entry=ModelEntry(model="echo"), engine=LmEvalEngine(HFLM())
    )
    assert [answer.prediction for answer in model.answers(asked("five " * 5))] == ["FIVE"]


class SGLangLM(Echo):
    """By its name an engine that batches by itself."""


@pytest.mark.parametrize(("kind", "fewest"), [(Echo, 32), (SGLangLM, 256)])
def test_engines_that_batch_by_themselves_are_not_fed_drop_by_drop(kind: type[Echo], fewest: int) -> None:
    engine = LmEvalEngine(kind())
    for _ in range(5):
        engine._batch_size.record(engine.room(), 1000.0)
    assert engine.room() == fewest


def test_other_models_are_driven_by_lm_eval() -> None:
    assert isinstance(engine_of(Echo(), {"batch_size": 3}), LmEvalEngine)


def test_a_template_that_takes_no_system_turn_is_tried_once() -> None:
    class NoSystem(Echo):
        tried = 0

        def apply_chat_template(self, chat_history: list[dict[str, str]]) -> str:
            type(self).tried += 1
            if chat_history[0]["role"] == "system":
                raise ValueError("System role not supported")
            return "|".join(turn["content"] for turn in chat_history)

    model = Model(NoSystem(), chat=True, generation=GENERATION, entry=ModelEntry(model="echo"))
    prompt = (Message("system", "Be brief."), Message("user", "say yes"))
    found = model.answers([PendingRequest(str(n), prompt) for n in range(10)])
    assert {answer.prediction for answer in found} == {"YES"}
    assert NoSystem.tried == 2 + 9


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
    model = Model(Limited(forgets=False), chat=False, generation=GENERATION, entry=ModelEntry(model="echo"))
    # the first is answered, the second fails, and the third has the text of the first
    given = [*asked("one", "bad"), PendingRequest("long", (Message("user", "one"),), {"max_tokens": 99})]
    assert [answer.prediction for answer in model.answers(given)] == ["ONE 16", None, "ONE 99"]
