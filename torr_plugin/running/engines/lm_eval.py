"""The engine that calls lm-eval's own ``generate_until``, batch after batch."""

from __future__ import annotations

import gc
import inspect
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.errors import EngineBrokenError, described
from ..model_classes import ModelClass
from .base import Context, EngineRequest, Failure, Finished, ModelOutput, context_overflow, pil_images
from .hf import HfRows

if TYPE_CHECKING:
    from lm_eval.api.model import LM


SECONDS = 5.0
MOST = 4096
_GROWTH = 4
_FASTER = 1.5
FAILURES_IN_A_ROW = 8
"""After so many requests that failed alone, one after the other, an engine is asked what it answered."""
ROWS_ON_CPU = 16
ROWS_ON_ACCELERATOR = 64
# engines that batch by themselves idle with less
_FIRST_SIZE = 64
# lm-eval's classes, by name
_BATCHING_THEMSELVES = frozenset({"SGLangLM", "TRTLLM", "VLLM"})
_TRUNCATING = frozenset({"HFLM", "SGLangLM", "VLLM"})
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
_LOST = ("CUDA error", "device-side assert", "HIP error", "CUDNN_STATUS_EXECUTION_FAILED")


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
        kind = ModelClass(type(lm))
        bases = kind.bases
        texts, rows = FinishedTexts(_rows(lm, args or {})), getattr(lm, "batch_size_per_gpu", None)
        if isinstance(rows, int) and rows > 0:
            # of its batches HFLM's own generate_until computes so many together; another may compute all
            inherited = kind.inherits("HFLM", "generate_until")
            self._batch_size = BatchSize(rows, most_at_once=rows if inherited else None)
        else:
            self._batch_size = BatchSize(1 if _BATCHING_THEMSELVES.isdisjoint(bases) else _FIRST_SIZE)
        self._requests: list[EngineRequest] = []
        self._results: dict[int, ModelOutput | Failure] = {}
        self._texts = texts
        # long prompts, at the left, though the user did not ask for it
        self._truncates = (
            getattr(lm, "backend", "causal") == "causal"
            and not getattr(lm, "truncation", False)
            and all(hasattr(lm, name) for name in ("max_length", "max_gen_toks"))
            and not _TRUNCATING.isdisjoint(bases)
        )
        self._failures, self._answered = 0, list[EngineRequest]()
        lm.set_cache_hook(self._texts)
        silent = "disable_tqdm" in inspect.signature(lm.generate_until).parameters
        self._silence = {"disable_tqdm": True} if silent else {}

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
        for group in groups.values():
            self._texts.outputs = {}
            self._ask(group, halves=True)
        self._batch_size.record(len(self._requests), time.monotonic() - started)
        return [
            (
                number,
                replace(result, prompt_tokens=tokens[number]) if result.prompt_tokens is None else result,
            )
            for number, result in self._take()
        ]

    def _take(self) -> list[Finished]:
        results, self._results, self._requests = self._results, {}, []
        return list(results.items())

    def recall(self) -> list[int]:
        """Drop nothing: lm-eval's models begin all requests of a batch."""
        return []

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        for request in self._requests:
            if request.number not in self._results and (output := self._texts.take(request)):
                self._results[request.number] = output
        return self._take()

    def close(self) -> None:
        """Release the model."""
        self._lm = self._texts.rows = None

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
            found, reason, ran_out = None, described(error), _is_out_of_memory(error)
            if not ran_out and _is_lost(error):
                raise
        if found is not None:
            for request, text in zip(requests, found, strict=True):
                wrong = Failure(f"the model gave a value of type {type(text).__name__}, expected text")
                output = ModelOutput(text) if isinstance(text, str) else wrong
                self._keep(request, self._texts.take(request) or output)
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
        outputs, self._texts.outputs = self._texts.outputs, {}
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
            Instance("generate_until", {}, instance_arguments(each.context, each.generation), index)
            for index, each in enumerate(requests)
        ]
        found = self._lm.generate_until(instances, **self._silence)
        if not isinstance(found, (list, tuple)) or len(found) != len(requests):
            got = len(found) if isinstance(found, (list, tuple)) else type(found).__name__
            raise ValueError(f"the model gave {got} for {len(requests)} prompts, expected as many texts")
        return list(found)


def instance_arguments(context: Context, generation: Mapping[str, Any]) -> tuple[Any, ...]:
    """What ``generate_until`` takes for a request; some of lm-eval's models change what they are given."""
    own = {**generation, "until": [*generation["until"]]}
    visual = [{"visual": pil_images(context.images)}] if context.images else []
    return (context.text, own, *visual)


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether a smaller batch may help."""
    said = isinstance(error, RuntimeError) and any(part in str(error) for part in _OUT_OF_MEMORY)
    return said or isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def _is_lost(error: BaseException) -> bool:
    """Whether the device is lost to this process."""
    return type(error).__name__ == "AcceleratorError" or any(part in str(error) for part in _LOST)


def release() -> None:
    """Free what nothing refers to, including torch's caches on its devices."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        with suppress(RuntimeError):  # of a broken device; the next model to load reports it
            torch.cuda.empty_cache()


class BatchSize:
    """The size of the next batch, from how long those of each size took.

    A killed run loses a batch, so none should take more than some seconds, unless smaller ones answer far
    fewer requests a second: an engine that computes many at once idles when it is given few. Sizes grow as
    long as batches are short, or that helps; of those tried, the largest short one is taken, or a larger one
    that is much faster.

    Args:
        first: the first size.
        most_at_once: how many the engine computes together, so that no more of them are faster; None where
            that is not known.
    """

    def __init__(self, first: int, most_at_once: int | None = None) -> None:
        self.size, self._most_at_once = first, most_at_once
        self._seconds: dict[int, float] = {}  # of a batch of each size

    def record(self, requests: int, seconds: float) -> None:
        """Adapt to a batch that was answered."""
        if requests < self.size:  # there were no more
            return
        self._seconds[self.size] = max(seconds, 1e-6)
        rates = {size: size / seconds for size, seconds in self._seconds.items()}
        before = rates.get(self.size // _GROWTH, 0.0)
        may_help = self._most_at_once is None or self.size < self._most_at_once
        faster = may_help and rates[self.size] >= _FASTER * before
        if self.size == max(rates) < MOST and (seconds < SECONDS or faster):
            self.size *= _GROWTH
            return
        short = [size for size, seconds in self._seconds.items() if seconds < SECONDS]
        fast = [size for size, rate in rates.items() if rate * _FASTER >= max(rates.values())]
        self.size = max([min(fast), *short])
