"""Which engine drives a model; the engine that calls lm-eval's own ``generate_until``, batch after batch."""

from __future__ import annotations

import inspect
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.errors import EngineBrokenError
from ..answer import one_line
from ..contexts import Context, Failure, pil_images
from ..library_settings import without_progress_bars
from ..model_class import ModelClass
from .base import BatchSize, EngineRequest, Finished, ModelOutput, context_overflow
from .hf_rows import HfRows
from .memory import is_broken, is_out_of_memory, release
from .vllm import vllm_engine

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from .base import Engine

FAILURES_IN_A_ROW = 8
"""After so many requests that failed alone, one after the other, an engine is asked what it answered."""
ROWS_ON_CPU = 16
ROWS_ON_ACCELERATOR = 64
# engines that batch by themselves idle with less
_FIRST_SIZE = 64
# lm-eval's classes, by name
_BATCHING_THEMSELVES = frozenset({"SGLangLM", "TRTLLM", "VLLM"})
_TRUNCATING = frozenset({"HFLM", "SGLangLM", "VLLM"})


class FinishedTexts:
    """Stands in for lm-eval's cache hook: what a model has answered of a batch, before the rest of it.

    lm-eval tells an answer by the text of its prompt; so all of a batch have equal arguments, and prompts
    with pictures, which share their text with others, are not kept.

    Attributes:
        rows: tells what is known of an answer beside its text; None where nothing is.
        outputs: those of each text, in the order in which they came.
    """

    def __init__(self, rows: HfRows | None) -> None:
        self.rows, self.outputs = rows, dict[Any, list[ModelOutput]]()

    def add_partial(self, method: str, request: Any, text: Any) -> None:
        """Called by lm-eval's models for each finished request, in the order of their batch."""
        if method == "generate_until" and isinstance(text, str):
            known = self.rows.waiting.popleft() if self.rows and self.rows.waiting else ModelOutput("")
            self.outputs.setdefault(request[0], []).append(replace(known, text=text))

    def take(self, request: EngineRequest) -> ModelOutput | None:
        """The output of a request; None where it is not finished."""
        outputs = None if request.context.images else self.outputs.get(request.context.text)
        return outputs.pop(0) if outputs else None

    def clear(self) -> None:
        """Forget all."""
        self.outputs = {}


def _truncates(lm: LM) -> bool:
    """Whether the model truncates long prompts at the left, and the user did not ask for that."""
    if getattr(lm, "backend", "causal") != "causal" or getattr(lm, "truncation", False):
        return False
    known = all(hasattr(lm, name) for name in ("max_length", "max_gen_toks"))
    return known and not _TRUNCATING.isdisjoint(ModelClass(type(lm)).bases)


def _rows(lm: Any, args: Mapping[str, Any]) -> HfRows | None:
    """What is known of the answers of lm-eval's ``hf``, whose rows in a batch are set where the user did not.

    lm-eval generates one prompt at a time unless told otherwise; its ``auto`` tries batches of the longest
    prompts anew at each call.
    """
    known = ModelClass(type(lm))
    if known.multimodal or not known.inherits("HFLM", "generate_until"):
        return None
    if str(args.get("batch_size", "auto")).startswith("auto"):
        usual = ROWS_ON_CPU if lm.device.type == "cpu" else ROWS_ON_ACCELERATOR
        lm.batch_size_per_gpu = int(args.get("max_batch_size", usual))
    return HfRows(lm) if lm.backend == "causal" else None


class LmEvalEngine:
    """Asks in batches, so large that one takes some seconds.

    A batch that raises is asked again in halves, down to single requests; one that raises alone fails. Where
    all fail, the engine is dead.

    Args:
        lm: a loaded model.
        args: the arguments that the user gave.
    """

    def __init__(self, lm: LM, args: Mapping[str, Any] | None = None) -> None:
        self._lm: Any = lm
        bases = ModelClass(type(lm)).bases
        self._batch_size = BatchSize(1 if _BATCHING_THEMSELVES.isdisjoint(bases) else _FIRST_SIZE)
        self._requests: list[EngineRequest] = []
        self._results: dict[int, ModelOutput | Failure] = {}
        self._texts, self._truncates = FinishedTexts(_rows(lm, args or {})), _truncates(lm)
        self._failures, self._answered = 0, list[EngineRequest]()
        lm.set_cache_hook(self._texts)
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
        groups: dict[str, list[EngineRequest]] = {}
        tokens = {request.number: self._prompt_tokens(request) for request in self._requests}
        for request in self._requests:
            refusal = self._refusal(request, tokens[request.number])
            if refusal:
                self._results[request.number] = refusal
            else:
                # lm-eval's models take a batch as the first of its requests is
                kind = f"{bool(request.context.images)} {request.generation!r}"
                groups.setdefault(kind, []).append(request)
        with without_progress_bars():
            for group in groups.values():
                self._texts.clear()
                self._ask(group, halves=True)
        self._batch_size.record(len(self._requests), time.monotonic() - started)
        return [(number, _counted(result, tokens[number])) for number, result in self._take().items()]

    def _take(self) -> dict[int, ModelOutput | Failure]:
        results, self._results, self._requests = self._results, {}, []
        return results

    def recall(self) -> list[int]:
        """Drop nothing: lm-eval's models begin all requests of a batch."""
        return []

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        for request in self._requests:
            if request.number not in self._results and (output := self._texts.take(request)):
                self._results[request.number] = output
        return list(self._take().items())

    def close(self) -> None:
        """Release the model."""
        self._lm = None
        self._texts.rows = None

    def _ask(self, requests: Sequence[EngineRequest], *, halves: bool) -> None:
        """Ask requests of equal arguments; what fails is asked again in halves.

        Args:
            requests: some or none.
            halves: ask a single request again, too: a failure may be of the batch alone.

        Raises:
            EngineBrokenError: the engine can answer nothing more.
        """
        if not requests:
            return
        reason, ran_out = "", False
        try:
            found = self._generate(requests)
        except (ImportError, EngineBrokenError):  # a package is missing: every request would fail alike
            raise
        except (Exception, SystemExit) as error:  # a model's code may raise anything; the study goes on
            if is_broken(error):
                raise
            found, reason, ran_out = None, one_line(error), is_out_of_memory(error)
        if found is not None:
            for request, text in zip(requests, found, strict=True):
                self._keep(request, self._texts.take(request) or _checked(text))
            return
        if ran_out:  # outside the handler, which keeps the batch's memory alive
            self._halve_rows(len(requests))
        rest = [request for request in requests if not self._is_finished(request)]
        if rest and len(requests) == 1 and not halves:
            self._fail(rest[0], reason)
            return
        half = (len(rest) + 1) // 2
        self._ask(rest[:half], halves=False)
        self._ask(rest[half:], halves=False)

    def _is_finished(self, request: EngineRequest) -> bool:
        output = self._texts.take(request)
        if output is not None:
            self._keep(request, output)
        return output is not None

    def _keep(self, request: EngineRequest, result: ModelOutput | Failure) -> None:
        self._results[request.number] = result
        if isinstance(result, ModelOutput):
            self._failures, self._answered = 0, [request]

    def _fail(self, request: EngineRequest, reason: str) -> None:
        """Keep a failure; after several in a row see whether the engine still answers what it answered.

        Raises:
            EngineBrokenError: it does not. The failures of this batch are forgotten, so that they are asked
                again; those of an engine that never answered are kept.
        """
        self._results[request.number] = Failure(reason)
        self._failures += 1
        if self._failures % FAILURES_IN_A_ROW or (self._answered and self._answers_again()):
            return
        if self._answered:
            self._results = {
                number: result for number, result in self._results.items() if isinstance(result, ModelOutput)
            }
        raise EngineBrokenError(f"its engine answers nothing more ({reason})")

    def _answers_again(self) -> bool:
        """Whether the engine still answers the last request that it answered."""
        outputs = self._texts.outputs
        self._texts.clear()
        try:
            self._generate(self._answered)
        except (Exception, SystemExit):
            return False
        finally:
            self._texts.outputs = outputs
        return True

    def _halve_rows(self, requests: int) -> None:
        release()
        rows = getattr(self._lm, "batch_size_per_gpu", None)
        if isinstance(rows, int):
            self._lm.batch_size_per_gpu = max(1, min(rows, requests) // 2)

    def _prompt_tokens(self, request: EngineRequest) -> int | None:
        """The tokens of a prompt, where the model has a tokenizer and shows no pictures."""
        text = request.context.text
        if request.context.images or type(text) is not str:
            return None
        try:
            return len(self._lm.tok_encode(text))
        except Exception:  # most models have no tokenizer of their own
            return None

    def _refusal(self, request: EngineRequest, tokens: int | None) -> Failure | None:
        """Why a prompt is refused that the model would truncate at the left; None where it fits."""
        if tokens is None or not self._truncates:
            return None
        if not tokens:
            return Failure("the prompt is empty: it has no tokens", 0)
        most = int(request.generation.get("max_gen_toks", self._lm.max_gen_toks))
        return context_overflow(tokens, most, self._lm.max_length)

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


def _checked(text: Any) -> ModelOutput | Failure:
    if isinstance(text, str):
        return ModelOutput(text)
    return Failure(f"the model gave a value of type {type(text).__name__}, expected text")


def _counted(result: ModelOutput | Failure, tokens: int | None) -> ModelOutput | Failure:
    """With the tokens of its prompt, unless the model said how many it had."""
    return (
        result
        if tokens is None or result.prompt_tokens is not None
        else replace(result, prompt_tokens=tokens)
    )


def engine_of(lm: LM, args: Mapping[str, Any] | None = None, *, left_out: Collection[str] = ()) -> Engine:
    """Choose the engine for a loaded model: vLLM's own, the client of a server, or lm-eval's way.

    Args:
        lm: the model.
        args: the arguments that the user gave, which the model cannot tell from lm-eval's defaults.
        left_out: generation parameters that a server is not to be sent.
    """
    engine: Engine | None = None
    kind = ModelClass(type(lm)).engine
    if kind == "vllm":
        engine = vllm_engine(lm)
    elif kind == "server":
        from .server.connection import settings_of
        from .server.engine import ServerEngine

        engine = ServerEngine(lm, settings_of(lm, args or {}), left_out=left_out)
    return LmEvalEngine(lm, args) if engine is None else engine
