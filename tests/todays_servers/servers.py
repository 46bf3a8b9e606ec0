"""A server that answers a known share of a study's prompts rightly, in the ways of today's models.

The name of the model in a request says in which way.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from torr_plugin.recipes import load, plan

from ..running.misbehaving import Reply, Request, as_json, chat, error

RECIPE = """
name: today
cards: [cards.bundled.cell_lookup]
examples: {count: 8}
configurations: {serializers: [torr.html, torr.csv, torr.json]}
generation: {max_tokens: 40, until: ["\\n\\n"]}
analysis: {resamples: 20}
"""
RIGHT, CUT, WITHHELD = 623, 300, 200
"""Of 1,000 prompts: answered rightly; cut in their thoughts, if a way of answering cuts; refused likewise."""

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 40,
    "completion_tokens_details": {"reasoning_tokens": 30},
    "prompt_tokens_details": {"cached_tokens": 60},
}
_HARMONY = (
    "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{answer}"
)
_THOUGHT = "The table has rows.\n\nThe answer is 41. Wait, not 41."


@dataclass
class Today:
    """A study, its right answers, and a server's replies to its prompts.

    Attributes:
        folder: where the recipe is written.
        asked: per model, the bodies of its requests.
    """

    folder: Path
    asked: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @cached_property
    def recipe(self) -> Path:
        path = self.folder / "today.yaml"
        path.write_text(RECIPE, encoding="utf-8")
        return path

    @cached_property
    def answers(self) -> dict[str, str]:
        """Prompt -> its answer: right for a known share."""
        return {
            request.prompt[-1].content: request.references[0]
            if _of(request.prompt[-1].content) < RIGHT
            else "no"
            for request in plan(load(str(self.recipe))).requests()
        }

    def truth(self, *lost: Callable[[str], bool]) -> float:
        """The share of prompts whose right answer arrives, where those of which ``lost`` is true do not."""
        arrives = [_of(prompt) < RIGHT and not any(each(prompt) for each in lost) for prompt in self.answers]
        return sum(arrives) / len(arrives)

    def share(self, lost: Callable[[str], bool]) -> float:
        return sum(map(lost, self.answers)) / len(self.answers)

    def reply(self, request: Request) -> Reply:
        body = request.body
        self.asked.setdefault(body["model"], []).append(body)
        prompt = body["messages"][-1]["content"]
        return WAYS[body["model"]](
            self.answers[prompt if isinstance(prompt, str) else prompt[0]["text"]], prompt, body
        )


def _of(prompt: str, salt: str = "") -> int:
    return zlib.crc32(f"{salt}{prompt}".encode()) % 1000


def is_cut(prompt: str) -> bool:
    return _of(prompt, "cut") < CUT


def is_withheld(prompt: str) -> bool:
    return _of(prompt, "withheld") < WITHHELD


Way = Callable[[str, Any, Mapping[str, Any]], Reply]


def _written(form: str) -> Way:
    return lambda answer, prompt, body: chat(form.format(thought=_THOUGHT, answer=answer), usage=USAGE)


def _field(answer: str, prompt: str, body: Mapping[str, Any]) -> Reply:
    message = {"content": answer, "reasoning_content": _THOUGHT}
    return as_json({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE})


def _cut(text: str | None, **more: Any) -> Way:
    """Thinks in tags; with fewer than 1,000 tokens some prompts' thoughts are cut."""

    def reply(answer: str, prompt: str, body: Mapping[str, Any]) -> Reply:
        if is_cut(prompt) and body["max_tokens"] < 1000:
            message = {"role": "assistant", "content": text, **more}
            choice = {"index": 0, "message": message, "finish_reason": "length"}
            return as_json({"choices": [choice], "usage": USAGE})
        return chat(f"<think>{_THOUGHT}</think>\n{answer}", usage=USAGE)

    return reply


def _written_and_cut(answer: str, prompt: str, body: Mapping[str, Any]) -> Reply:
    return chat(f"<think>{_THOUGHT}", "length", usage=USAGE)


def _withholds(answer: str, prompt: str, body: Mapping[str, Any]) -> Reply:
    if not is_withheld(prompt):
        return chat(answer, usage=USAGE)
    if is_cut(prompt):
        return error(400, "The prompt was filtered.", code="content_filter")
    message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    return as_json({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE})


def _picky(answer: str, prompt: str, body: Mapping[str, Any]) -> Reply:
    """As the newest models of OpenAI."""
    if "max_tokens" in body:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model. "
        return error(400, f"{words}Use 'max_completion_tokens' instead.", param="max_tokens")
    if "temperature" in body:
        words = "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1)"
        return error(400, f"{words} value is supported.", param="temperature", code="unsupported_value")
    if "stop" in body:
        return error(400, "Unsupported parameter: 'stop' is not supported with this model.")
    return chat(answer, usage=USAGE)


def _wants_stop_texts(answer: str, prompt: str, body: Mapping[str, Any]) -> Reply:
    if body.get("stop") == []:
        return error(400, "stop: expected at least one text")
    return chat(answer, usage=USAGE)


WAYS: dict[str, Way] = {
    "plain": _written("{answer}"),
    "think": _written("<think>{thought}</think>\n\n{answer}"),
    "think-unopened": _written("{thought}</think>{answer}"),
    "brackets": _written("[THINK]{thought}[/THINK]{answer}"),
    "harmony": _written(_HARMONY),
    "own-marks": _written("[[{thought}]]{answer}"),
    "field": _field,
    "cut-in-tags": _cut(f"<think>{_THOUGHT}"),
    "cut-null": _cut(None, reasoning_content=_THOUGHT),
    "cut-empty": _cut(""),
    "always-cut": _written_and_cut,
    "withholds": _withholds,
    "picky-5": _picky,
    "wants-stop": _wants_stop_texts,
    "long": _written("x" * 150_000 + "\n\nAnswer: {answer}"),
    "bold": _written("**{answer}**"),
    "refuses": lambda answer, prompt, body: error(400, "The field 'project' is required."),
    "gone": lambda answer, prompt, body: error(404, "no such model"),
}
