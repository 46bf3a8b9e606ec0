"""Which engine drives a model; the engine that calls lm-eval's own ``generate_until``, batch after batch."""

from __future__ import annotations

import inspect
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..answer import one_line
from ..contexts import Context, Failure, pil_images
from ..library_settings import without_progress_bars
from ..model_class import model_class_of
from .base import BatchSize, EngineRequest, Finished, ModelOutput, context_overflow
from .transformers import transformers_engine
from .vllm import vllm_engine

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from .base import Engine


class PartialResults:
    """Stands in for lm-eval's cache hook: keeps what a model answered before the rest of a batch failed.

    lm-eval identifies an answer by the prompt's text, which prompts with other pictures, or steps of another
    length, share; so nothing is kept while ``paused``.
    """

    def __init__(self) -> None:
        self.texts: dict[Any, str] = {}
        self.paused = False

    def add_partial(self, method: str, request: Any, text: Any) -> None:
        """Called by lm-eval's models for each finished request."""
        if method == "generate_until" and isinstance(text, str) and not self.paused:
            self.texts[request[0]] = text


# models that batch requests themselves idle with a smaller batch
_FEWEST_AT_ONCE = 256


def _batch_size(lm: LM) -> BatchSize:
    if model_class_of(type(lm)).batches_itself:
        return BatchSize(_FEWEST_AT_ONCE, fewest=_FEWEST_AT_ONCE)
    return BatchSize()


def _truncates(lm: LM) -> bool:
    """Whether the model truncates long prompts at the left, and the user did not ask for that."""
    if getattr(lm, "backend", "causal") != "causal" or getattr(lm, "truncation", False):
        return False
    known = all(hasattr(lm, name) for name in ("max_length", "max_gen_toks"))
    return known and model_class_of(type(lm)).truncates


class LmEvalEngine:
    """Asks in batches, so large that one takes some seconds.

    A batch that raises is asked again in halves, down to single requests; one that raises alone fails.
    """

    def __init__(self, lm: LM) -> None:
        self._lm, self._batch_size = lm, _batch_size(lm)
        self._requests: list[EngineRequest] = []
        self._partial, self._truncates = PartialResults(), _truncates(lm)
        lm.set_cache_hook(self._partial)
        self._silence = (
            {"disable_tqdm": True}
            if "disable_tqdm" in inspect.signature(lm.generate_until).parameters
            else {}
        )

    def room(self) -> int:
        """A whole batch, or nothing."""
        return 0 if self._requests else self._batch_size.size

    def add(self, requests: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
        self._requests += requests

    def step(self) -> list[Finished]:
        """Ask the batch; after an interruption :meth:`abandon` returns its answers so far."""
        started = time.monotonic()
        self._partial.texts.clear()
        tokens = {request.number: self._prompt_tokens(request) for request in self._requests}
        refused = {
            request.number: refusal
            for request in self._requests
            if (refusal := self._refusal(request, tokens))
        }
        fitting = [request for request in self._requests if request.number not in refused]
        found: list[Finished] = [*refused.items(), *self._answered(fitting, tokens)]
        self._batch_size.record(len(self._requests), time.monotonic() - started)
        self._requests = []
        return found

    def _answered(
        self, requests: Sequence[EngineRequest], tokens: Mapping[int, int | None]
    ) -> list[Finished]:
        found: list[Finished] = []
        with without_progress_bars():
            for seen in (False, True):  # lm-eval's models take a batch as the first of its requests is
                here = [request for request in requests if bool(request.context.images) is seen]
                self._partial.paused = seen or _texts_are_ambiguous(here)
                for request, text in zip(here, self._ask(here, again=True), strict=True):
                    count = tokens[request.number]
                    found.append(
                        (request.number, text if count is None else replace(text, prompt_tokens=count))
                    )
        return found

    def recall(self) -> list[int]:
        """Drop nothing: lm-eval's models begin all requests of a batch."""
        return []

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        kept: list[Finished] = [
            (request.number, ModelOutput(self._partial.texts[request.context.text]))
            for request in self._requests
            if not request.context.images and request.context.text in self._partial.texts
        ]
        self._requests = []
        return kept

    def close(self) -> None:
        """Hold nothing."""

    def _ask(self, requests: Sequence[EngineRequest], *, again: bool) -> list[ModelOutput | Failure]:
        if not requests:
            return []
        try:
            return [_checked(text) for text in self._generate(requests)]
        except ImportError:  # a package is missing: every request would fail alike
            raise
        except (Exception, SystemExit) as error:  # a model's code may raise anything; the study goes on
            kept = self._kept(requests)
            if len(requests) > 1 or again:
                return self._ask_rest(requests, kept)
            return [Failure(one_line(error))] if kept[0] is None else [_checked(kept[0])]

    def _ask_rest(
        self, requests: Sequence[EngineRequest], kept: Sequence[str | None]
    ) -> list[ModelOutput | Failure]:
        """Ask what a failed batch left unanswered, in two halves."""
        rest = [request for request, text in zip(requests, kept, strict=True) if text is None]
        half = (len(rest) + 1) // 2
        found = iter([*self._ask(rest[:half], again=False), *self._ask(rest[half:], again=False)])
        return [next(found) if text is None else _checked(text) for text in kept]

    def _prompt_tokens(self, request: EngineRequest) -> int | None:
        """The tokens of a prompt, where the model has a tokenizer and shows no pictures.

        Those of an answer are unknown, as it is cut at a stop text.
        """
        text = request.context.text
        if request.context.images or type(text) is not str:
            return None
        try:
            return len(self._lm.tok_encode(text))
        except Exception:  # most models have no tokenizer of their own
            return None

    def _refusal(self, request: EngineRequest, tokens: Mapping[int, int | None]) -> Failure | None:
        """Why a prompt is refused that the model would truncate at the left; None where it fits."""
        count = tokens[request.number]
        if count is None or not self._truncates:
            return None
        most = int(request.generation.get("max_gen_toks", self._lm.max_gen_toks))
        return context_overflow(count, most, self._lm.max_length)

    def _kept(self, requests: Sequence[EngineRequest]) -> list[str | None]:
        texts = self._partial.texts
        return [None if request.context.images else texts.get(request.context.text) for request in requests]

    def _generate(self, requests: Sequence[EngineRequest]) -> list[Any]:
        from lm_eval.api.instance import Instance

        instances = [
            Instance("generate_until", {}, _arguments(request.context, request.generation), index)
            for index, request in enumerate(requests)
        ]
        found = self._lm.generate_until(instances, **self._silence)
        if not isinstance(found, (list, tuple)) or len(found) != len(requests):
            got = len(found) if isinstance(found, (list, tuple)) else type(found).__name__
            raise ValueError(f"the model gave {got} for {len(requests)} prompts, expected as many texts")
        return list(found)


def _arguments(context: Context, generation: Any) -> tuple[Any, ...]:
    """A request's own arguments (some of lm-eval's models change what they are given)."""
    own = {**generation, "until": [*generation["until"]]}
    if not context.images:
        return context.text, own
    return context.text, own, {"visual": pil_images(context.images)}


def _texts_are_ambiguous(requests: Sequence[EngineRequest]) -> bool:
    """Whether one text is asked with different arguments, so that it does not identify an answer."""
    known: dict[str, Mapping[str, Any]] = {}
    return any(
        known.setdefault(str(request.context.text), request.generation) != request.generation
        for request in requests
    )


def _checked(text: Any) -> ModelOutput | Failure:
    if isinstance(text, str):
        return ModelOutput(text)
    return Failure(f"the model gave a value of type {type(text).__name__}, expected text")


def engine_of(lm: LM, args: Mapping[str, Any] | None = None, *, left_out: Collection[str] = ()) -> Engine:
    """Choose the engine for a loaded model: the one inside it where we can drive that, else lm-eval's own.

    Args:
        lm: the model.
        args: the arguments that the user gave, which the model cannot tell from lm-eval's defaults.
        left_out: generation parameters that a server is not to be sent.
    """
    engine: Engine | None = None
    kind = model_class_of(type(lm)).engine
    if kind == "transformers":
        engine = transformers_engine(lm, args or {})
    elif kind == "vllm":
        engine = vllm_engine(lm)
    elif kind == "server":
        from .server import server_engine

        engine = server_engine(lm, args or {}, left_out)
    return LmEvalEngine(lm) if engine is None else engine
