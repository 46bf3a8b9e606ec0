"""A model of lm-eval driven by its own ``generate_until``, batch after batch.

MERGED: Which engine drives a model.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..answer import one_line
from ..contexts import Context, Failure, pil_images
from ..library_settings import without_progress_bars
from .base import BatchSize, EngineRequest, Finished, ModelOutput, context_overflow

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from .base import Engine


class PartialResults:
    """Stands in for lm-eval's cache hook: keeps what a model answered before the rest of a batch failed.

    Texts alone name an answer there, and prompts that differ in their pictures, or steps that differ in how
    long they may be, can have one text; so nothing is kept while ``paused``.
    """

    def __init__(self) -> None:
        self.texts: dict[Any, str] = {}
        self.paused = False

    def add_partial(self, method: str, request: Any, text: Any) -> None:
        """Called by lm-eval's models for each finished request."""
        if method == "generate_until" and isinstance(text, str) and not self.paused:
            self.texts[request[0]] = text


# these batch by themselves, whatever they are given at once, and idle where that is little
_CONTINUOUS = frozenset({"SGLangLM", "TRTLLM", "VLLM"})
_FEWEST_CONTINUOUS = 256
_CUTTING = frozenset({"HFLM", "SGLangLM", "VLLM"})


def _pace(lm: LM) -> BatchSize:
    if any(kind.__name__ in _CONTINUOUS for kind in type(lm).__mro__):
        return BatchSize(_FEWEST_CONTINUOUS, fewest=_FEWEST_CONTINUOUS)
    return BatchSize()


def _cuts(lm: LM) -> bool:
    """Whether the model cuts the beginning off prompts that are too long, and nobody wished so."""
    if getattr(lm, "backend", "causal") != "causal" or getattr(lm, "truncation", False):
        return False
    names = {kind.__name__ for kind in type(lm).__mro__}
    return bool(names & _CUTTING) and all(hasattr(lm, name) for name in ("max_length", "max_gen_toks"))


class LmEvalEngine:
    """Asks in batches, so large that one takes some seconds.

    A batch that raises is asked again in halves, down to single requests; one that raises alone fails.
    """

    def __init__(self, lm: LM) -> None:
        self._lm, self._pace = lm, _pace(lm)
        self._tasks: list[EngineRequest] = []
        self._collected, self._cuts = PartialResults(), _cuts(lm)
        lm.set_cache_hook(self._collected)
        self._silence = (
            {"disable_tqdm": True}
            if "disable_tqdm" in inspect.signature(lm.generate_until).parameters
            else {}
        )

    def room(self) -> int:
        """A whole batch, or nothing."""
        return 0 if self._tasks else self._pace.size

    def add(self, tasks: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
        self._tasks += tasks

    def step(self) -> list[Finished]:
        """Ask the batch; where that is interrupted, :meth:`abandon` gives what was answered of it."""
        started = time.monotonic()
        self._collected.texts.clear()
        tokens = {task.number: self._prompt_tokens(task) for task in self._tasks}
        refused = {task.number: refusal for task in self._tasks if (refusal := self._refusal(task, tokens))}
        asked = [task for task in self._tasks if task.number not in refused]
        found: list[Finished] = [*refused.items(), *self._answered(asked, tokens)]
        self._pace.record(len(self._tasks), time.monotonic() - started)
        self._tasks = []
        return found

    def _answered(self, tasks: Sequence[EngineRequest], tokens: Mapping[int, int | None]) -> list[Finished]:
        found: list[Finished] = []
        with without_progress_bars():
            for seen in (False, True):  # lm-eval's models take a batch as the first of its requests is
                here = [task for task in tasks if bool(task.context.images) is seen]
                self._collected.paused = seen or _texts_are_unclear(here)
                for task, text in zip(here, self._ask(here, again=True), strict=True):
                    count = tokens[task.number]
                    found.append((task.number, text if count is None else replace(text, prompt_tokens=count)))
        return found

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        kept = [
            (task.number, ModelOutput(self._collected.texts[task.context.text]))
            for task in self._tasks
            if not task.context.images and task.context.text in self._collected.texts
        ]
        self._tasks = []
        return list(kept)

    def close(self) -> None:
        """Nothing is held."""

    def _ask(self, tasks: Sequence[EngineRequest], *, again: bool) -> list[ModelOutput | Failure]:
        if not tasks:
            return []
        try:
            return [_checked(text) for text in self._generate(tasks)]
        except (Exception, SystemExit) as error:  # a model's code may raise anything; the study goes on
            kept = self._kept(tasks)
            if len(tasks) > 1 or again:
                return self._ask_rest(tasks, kept)
            return [Failure(one_line(error))] if kept[0] is None else [_checked(kept[0])]

    def _ask_rest(
        self, tasks: Sequence[EngineRequest], kept: Sequence[str | None]
    ) -> list[ModelOutput | Failure]:
        """Ask what a failed batch left open, in two halves."""
        rest = [task for task, text in zip(tasks, kept, strict=True) if text is None]
        half = (len(rest) + 1) // 2
        found = iter([*self._ask(rest[:half], again=False), *self._ask(rest[half:], again=False)])
        return [next(found) if text is None else _checked(text) for text in kept]

    def _prompt_tokens(self, task: EngineRequest) -> int | None:
        """The tokens of a prompt, where the model has a tokenizer and shows no pictures.

        Those of an answer are not known: cut at a stop text, it no longer tells what was generated.
        """
        text = task.context.text
        if task.context.images or type(text) is not str:
            return None
        try:
            return len(self._lm.tok_encode(text))
        except Exception:  # most models have no tokenizer of their own; what it raises is lm-eval's affair
            return None

    def _refusal(self, task: EngineRequest, tokens: Mapping[int, int | None]) -> Failure | None:
        """Why a prompt is not asked of a model that would answer its end alone."""
        count = tokens[task.number]
        if count is None or not self._cuts:
            return None
        most = int(task.generation.get("max_gen_toks", self._lm.max_gen_toks))
        return context_overflow(count, most, self._lm.max_length)

    def _kept(self, tasks: Sequence[EngineRequest]) -> list[str | None]:
        texts = self._collected.texts
        return [None if task.context.images else texts.get(task.context.text) for task in tasks]

    def _generate(self, tasks: Sequence[EngineRequest]) -> list[Any]:
        from lm_eval.api.instance import Instance

        instances = [
            Instance("generate_until", {}, _arguments(task.context, task.generation), index)
            for index, task in enumerate(tasks)
        ]
        found = self._lm.generate_until(instances, **self._silence)
        if not isinstance(found, (list, tuple)) or len(found) != len(tasks):
            got = len(found) if isinstance(found, (list, tuple)) else type(found).__name__
            raise ValueError(f"the model gave {got} for {len(tasks)} prompts, expected as many texts")
        return list(found)


def _arguments(context: Context, generation: Any) -> tuple[Any, ...]:
    """A request's own arguments (some of lm-eval's models change what they are given)."""
    own = {**generation, "until": [*generation["until"]]}
    if not context.images:
        return context.text, own
    return context.text, own, {"visual": pil_images(context.images)}


def _texts_are_unclear(tasks: Sequence[EngineRequest]) -> bool:
    """Whether one text is asked with different arguments, so that it does not tell whose an answer is."""
    known: dict[str, Mapping[str, Any]] = {}
    return any(known.setdefault(str(task.context.text), task.generation) != task.generation for task in tasks)


def _checked(text: Any) -> ModelOutput | Failure:
    if isinstance(text, str):
        return ModelOutput(text)
    return Failure(f"the model gave a value of type {type(text).__name__}, expected text")


def engine_of(lm: LM, args: Mapping[str, Any] | None = None) -> Engine:
    """The engine for a loaded model of lm-eval: that inside it where we know how to drive it, else itself.

    Args:
        lm: the model.
        args: the arguments it was made with, where a default of lm-eval's is not to be taken for a wish.
    """
    kinds = {kind.__name__ for kind in type(lm).__mro__}
    engine: Engine | None = None
    if "HFLM" in kinds:
        from .transformers import transformers_engine

        engine = transformers_engine(lm, args or {})
    elif "VLLM" in kinds:
        from .vllm import vllm_engine

        engine = vllm_engine(lm)
    elif "TemplateAPI" in kinds:
        from .server import is_served, server_engine

        engine = server_engine(lm, args or {}) if is_served(lm) else None
    return LmEvalEngine(lm) if engine is None else engine
