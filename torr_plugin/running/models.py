"""A model that answers prompts: lm-eval's, with every failure turned into an answer that says so."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from ..errors import ModelError
from .answer import Answer, one_line, storable
from .contexts import Context, Contexts, Failure, plain_text
from .quiet import quiet
from .registry import missing_package, model_class
from .seeing import visuals

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..prompts.message import Prompt
    from ..recipes import ModelEntry

__all__ = ["Asked", "Failure", "Model", "lm_eval_arguments", "load_model", "plain_text"]

Asked: TypeAlias = "tuple[str, Prompt]"


class Collected:
    """Stands in for lm-eval's cache hook: keeps what a model answered before the rest of a batch failed.

    Texts alone name an answer there, and prompts that differ in their pictures can have one text; so nothing
    is kept while ``paused``.
    """

    def __init__(self) -> None:
        self.texts: dict[Any, str] = {}
        self.paused = False

    def add_partial(self, method: str, request: Any, text: Any) -> None:
        """Called by lm-eval's models for each finished request."""
        if method == "generate_until" and isinstance(text, str) and not self.paused:
            self.texts[request[0]] = text


def load_model(entry: ModelEntry, generation: Mapping[str, Any]) -> Model:
    """Load a model, with its weights where it has any.

    Args:
        entry: its name in lm-eval and its arguments.
        generation: the plan's generation parameters.

    Raises:
        ModelError: unknown, its package is not installed, or it cannot be made with these arguments.
    """
    kind = model_class(entry.model)
    try:
        lm = kind.create_from_arg_obj(dict(entry.args))
    except ImportError as error:
        raise missing_package(entry.model, error) from error
    except (Exception, SystemExit) as error:  # a model's constructor may raise anything
        raise ModelError(
            f"model {entry.label!r} ({entry.model}) cannot be loaded: {one_line(error)}"
        ) from error
    return Model(lm, chat=_chat(entry, lm), generation=lm_eval_arguments(generation))


def lm_eval_arguments(generation: Mapping[str, Any]) -> dict[str, Any]:
    """Generation parameters by lm-eval's names: ``max_tokens`` is ``max_gen_toks``; the rest keep theirs."""
    rest = {
        name: value
        for name, value in generation.items()
        if name not in ("max_tokens", "temperature", "until")
    }
    temperature = float(generation.get("temperature") or 0.0)
    arguments: dict[str, Any] = {
        **rest,
        "until": [str(stop) for stop in generation.get("until") or ()],
        "temperature": temperature,
        "do_sample": temperature > 0,
    }
    if generation.get("max_tokens") is not None:
        arguments["max_gen_toks"] = int(generation["max_tokens"])
    return arguments


def _chat(entry: ModelEntry, lm: LM) -> bool:
    """Whether a model is asked in messages: as the entry says, else if it takes nothing but messages."""
    only = any("Chat" in kind.__name__ for kind in type(lm).__mro__)
    if entry.chat is False and only:
        raise ModelError(
            f"model {entry.label!r}: {entry.model!r} takes chat messages alone; "
            f"leave out 'chat: false' (--no-chat)"
        )
    if entry.chat and not only:
        _try_template(entry, lm)
    return only if entry.chat is None else entry.chat


def _try_template(entry: ModelEntry, lm: LM) -> None:
    try:
        lm.apply_chat_template([{"role": "user", "content": "?"}])
    except Exception as error:  # templates are programs of their own
        raise ModelError(
            f"model {entry.label!r} has no usable chat template: {one_line(error)}; "
            f"leave out 'chat: true' (--chat)"
        ) from error


class Model:
    """A loaded model. It sees the text and pictures of prompts and nothing else of a study."""

    def __init__(self, lm: LM, *, chat: bool, generation: Mapping[str, Any]) -> None:
        self._lm, self._generation = lm, generation
        self._contexts = Contexts(lm, chat=chat)
        self._collected = Collected()
        lm.set_cache_hook(self._collected)
        self._silence = (
            {"disable_tqdm": True}
            if "disable_tqdm" in inspect.signature(lm.generate_until).parameters
            else {}
        )

    def answers(self, asked: Sequence[Asked]) -> list[Answer]:
        """One answer a request, in order. No failure of the model stops the others.

        A batch that raises is asked again in halves, down to single requests; one that raises alone gets an
        error.
        """
        started = time.perf_counter()
        self._collected.texts.clear()
        contexts = [self._contexts.of(prompt) for _, prompt in asked]
        results: dict[int, str | Failure] = {
            at: context for at, context in enumerate(contexts) if isinstance(context, Failure)
        }
        with quiet():
            for seen in (False, True):  # lm-eval's models take a batch as the first of its requests is
                here = {at: each for at, each in enumerate(contexts) if _is_asked(each, seen=seen)}
                self._collected.paused = seen
                results.update(zip(here, self._ask(list(here.values()), again=True), strict=True))
        seconds = (time.perf_counter() - started) / max(1, len(asked))
        return [_answer(key, results[at], seconds) for at, (key, _) in enumerate(asked)]

    def finished(self, asked: Sequence[Asked]) -> list[Answer]:
        """The answers that an interrupted :meth:`answers` had got so far."""
        contexts = ((key, self._contexts.of(prompt)) for key, prompt in asked)
        return [
            _answer(key, self._collected.texts[context.text], None)
            for key, context in contexts
            if isinstance(context, Context) and not context.images and context.text in self._collected.texts
        ]

    def _ask(self, contexts: Sequence[Context], *, again: bool) -> list[str | Failure]:
        if not contexts:
            return []
        try:
            return [_checked(text) for text in self._generate(contexts)]
        except (Exception, SystemExit) as error:  # a model's code may raise anything; the study goes on
            kept = self._kept(contexts)
            if len(contexts) > 1 or again:
                return self._ask_rest(contexts, kept)
            return [Failure(one_line(error))] if kept[0] is None else [_checked(kept[0])]

    def _ask_rest(self, contexts: Sequence[Context], kept: Sequence[str | None]) -> list[str | Failure]:
        """Ask what a failed batch left open, in two halves."""
        rest = [context for context, text in zip(contexts, kept, strict=True) if text is None]
        half = (len(rest) + 1) // 2
        found = iter([*self._ask(rest[:half], again=False), *self._ask(rest[half:], again=False)])
        return [next(found) if text is None else _checked(text) for text in kept]

    def _kept(self, contexts: Sequence[Context]) -> list[str | None]:
        return [None if context.images else self._collected.texts.get(context.text) for context in contexts]

    def _generate(self, contexts: Sequence[Context]) -> list[Any]:
        from lm_eval.api.instance import Instance

        instances = [
            Instance("generate_until", {}, self._arguments(context), index)
            for index, context in enumerate(contexts)
        ]
        found = self._lm.generate_until(instances, **self._silence)
        if not isinstance(found, (list, tuple)) or len(found) != len(contexts):
            got = len(found) if isinstance(found, (list, tuple)) else type(found).__name__
            raise ValueError(f"the model gave {got} for {len(contexts)} prompts, expected as many texts")
        return list(found)

    def _arguments(self, context: Context) -> tuple[Any, ...]:
        """A request's own arguments (some of lm-eval's models change what they are given)."""
        generation = {**self._generation, "until": [*self._generation["until"]]}
        if not context.images:
            return context.text, generation
        return context.text, generation, {"visual": visuals(context.images)}


def _is_asked(context: Context | Failure, *, seen: bool) -> TypeGuard[Context]:
    return isinstance(context, Context) and bool(context.images) is seen


def _checked(text: Any) -> str | Failure:
    if isinstance(text, str):
        return text
    return Failure(f"the model gave a value of type {type(text).__name__}, expected text")


def _answer(key: str, found: str | Failure, seconds: float | None) -> Answer:
    if isinstance(found, Failure):
        return Answer(key, None, error=storable(found.reason), seconds=seconds)
    return Answer(key, storable(found), seconds=seconds)
