"""vLLM's engine inside lm-eval's class ``vllm``, driven request by request.

lm-eval's own ``generate_until`` sorts a batch by length, waits for its slowest answer before it returns any
or takes the next batch, cuts prompts that are too long, and drops token counts and finish reasons. Here vLLM
gets requests in our order (it schedules them first come, first served), so many that its queue never empties,
and each comes back when it is done. Tokens, stop texts and sampling parameters are those of lm-eval's class.

vLLM computes in a child process. Ctrl-C in a terminal reaches every process of the foreground group, and
vLLM's would end at once, with all requests in flight; so the child and its workers get a process group of
their own. A child whose parent was killed does not notice while it waits for requests; so it checks. And a
child that was killed (out of memory) reports nothing: vLLM's monitor thread notices, yet a caller that waits
for output keeps waiting. So a thread of ours puts the error into the queue where the caller waits.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

from ...core.errors import described
from ..model_classes import without_progress_bars
from .base import EngineRequest, Failure, Finished, ModelOutput, context_overflow

if TYPE_CHECKING:
    from lm_eval.api.model import LM


_SECONDS_BETWEEN_CHECKS = 1.0
# vLLM's function while ours replaces it; a forked child finds it here
_vllms: list[Any] = []


@contextmanager
def vllm_in_own_process_group() -> Iterator[None]:
    """Let the engine processes that vLLM starts lead their own process group."""
    core = _engine_core()
    if core is None:
        yield
        return
    found = core.__dict__["run_engine_core"]
    _vllms.append(core.run_engine_core)
    core.run_engine_core = staticmethod(run_engine_core)
    try:
        yield
    finally:
        core.run_engine_core = found
        _vllms.pop()


def _on_cpu() -> bool:
    """Whether vLLM is on a CPU, where a seeded prompt that is read in parts ends its engine (0.32)."""
    from vllm.platforms import current_platform

    return bool(current_platform.is_cpu())


def _engine_core() -> Any:
    try:
        from vllm.v1.engine.core import EngineCoreProc
    except ImportError:  # not installed (reported elsewhere), or another version
        return None
    return EngineCoreProc if hasattr(EngineCoreProc, "run_engine_core") else None


def run_engine_core(*args: Any, **kwargs: Any) -> None:
    """Replaces vLLM's function of this name in its child process, and calls it."""
    lead_process_group()
    if _vllms:
        _vllms[-1](*args, **kwargs)
        return
    from vllm.v1.engine.core import EngineCoreProc

    EngineCoreProc.run_engine_core(*args, **kwargs)


def lead_process_group() -> None:
    """Lead a new process group that ends with the parent process, and send stdout to stderr."""
    with suppress(OSError):
        os.setpgid(0, 0)
    with suppress(OSError):
        os.dup2(2, 1)  # stdout is for results
    parent = parent_process()
    if parent is not None and parent.pid is not None:
        threading.Thread(target=_end_with, args=(parent.pid,), daemon=True, name="torr-parent").start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_CHECKS)
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


class EngineDeathWatch:
    """Watches one engine process until closed."""

    def __init__(self, core: Any) -> None:
        client: Any = getattr(core, "engine_core", None)
        self._resources: Any = getattr(client, "resources", None)
        self._outputs: Any = getattr(client, "outputs_queue", None)
        self._closed = threading.Event()
        if hasattr(self._resources, "engine_dead") and hasattr(self._outputs, "put_nowait"):
            threading.Thread(target=self._watch, daemon=True, name="torr-engine-watch").start()

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN_CHECKS):
            if self._resources.engine_dead:
                from vllm.v1.engine.exceptions import EngineDeadError

                self._outputs.put_nowait(EngineDeadError())
                return


_log = logging.getLogger(__name__)
_METHODS = ("add_request", "step", "abort_request", "get_num_unfinished_requests")
_SECONDS_A_STEP = 0.25
_FEWEST_WAITING = 16


def vllm_engine(lm: LM) -> VllmEngine | None:
    """An engine for lm-eval's ``vllm``; None where that runs several vLLMs.

    Also None, with a warning, for a version of vLLM that we cannot drive.
    """
    if getattr(lm, "data_parallel_size", 1) > 1:
        return None
    core = getattr(getattr(lm, "model", None), "llm_engine", None)
    if not all(callable(getattr(core, method, None)) for method in _METHODS):
        _log.warning(
            "torr-plugin cannot drive this version of vLLM or lm-eval: requests go through lm-eval's "
            "generate_until, without token counts and finish reasons"
        )
        return None
    return VllmEngine(lm)


class VllmEngine:
    """See :class:`torr_plugin.running.engines.base.Engine`."""

    def __init__(self, lm: Any) -> None:
        self._lm, self._core = lm, lm.model.llm_engine
        self._eos = end_of_sequence(lm.tokenizer)
        self._side = _running_at_most(self._core)
        self._ids = count()
        self._submitted: dict[str, tuple[int, list[str]]] = {}  # number and stop texts
        self._refused: list[Finished] = []
        self._death = EngineDeathWatch(self._core)
        self._takes_seeds = not _on_cpu()

    def room(self) -> int:
        """As many waiting as running requests; 0 while few are missing, as requests are read in bulk."""
        missing = 2 * self._side - self._core.get_num_unfinished_requests()
        return missing if missing >= max(1, self._side // 4) else 0

    def add(self, requests: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
        with without_progress_bars():
            for request, tokens in zip(requests, self._tokens(requests), strict=True):
                refusal = tokens if isinstance(tokens, Failure) else self._submit(request, tokens)
                if refusal is not None:
                    self._refused.append((request.number, refusal))

    def step(self) -> list[Finished]:
        """See :class:`Engine`."""
        found, self._refused = self._refused, []
        until = time.monotonic() + _SECONDS_A_STEP
        while not found and self._submitted and time.monotonic() < until:
            outputs = self._core.step()
            found += [
                self._finished(each)
                for each in outputs
                if each.finished and each.request_id in self._submitted
            ]
        return found

    def recall(self) -> list[int]:
        """Take back the requests that are not running yet; called when a run stops."""
        waiting = list(self._submitted)[self._side :]
        if waiting:
            self._core.abort_request(waiting)
        return [self._submitted.pop(name)[0] for name in waiting]

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        found, self._refused = self._refused, []
        names, self._submitted = list(self._submitted), {}
        if names:
            self._core.abort_request(names)
        return found

    def close(self) -> None:
        """End vLLM's processes and release the model."""
        self._death.close()
        client: Any = getattr(self._core, "engine_core", None)
        if hasattr(client, "shutdown"):
            client.shutdown()
        self._lm.model = None

    def _tokens(self, requests: Sequence[EngineRequest]) -> list[list[int] | Failure]:
        try:
            return list(self._lm.tok_encode([request.context.text for request in requests]))
        except Exception as error:  # one text that the tokenizer refuses fails them all
            if len(requests) == 1:
                return [Failure(described(error))]
            return [self._tokens([request])[0] for request in requests]

    def _submit(self, request: EngineRequest, tokens: list[int]) -> Failure | None:
        """Give a request to vLLM; gives why that is not possible."""
        try:
            sampling, until = self._sampling(request.generation)
        except Exception as error:  # vLLM refuses the arguments
            return Failure(described(error), len(tokens))
        refusal = context_overflow(len(tokens), sampling.max_tokens, self._lm.max_length)
        if refusal is not None:
            return refusal
        name = str(next(self._ids))
        # the type spares a second parse
        prompt = {"type": "token", "prompt_token_ids": tokens}
        try:
            self._core.add_request(name, prompt, sampling, lora_request=self._lm.lora_request)
        except ValueError as error:  # vLLM refuses the request
            return Failure(described(error), len(tokens))
        self._submitted[name] = request.number, until
        return None

    def _sampling(self, generation: Mapping[str, Any]) -> tuple[Any, list[str]]:
        """The ``SamplingParams`` of a request, and the texts at which its answer ends.

        Raises:
            Exception: vLLM's, for arguments that it does not take.
        """
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        rest, until, most = self._lm.modify_gen_kwargs(
            dict(generation), eos=self._eos, default_max_gen_toks=self._lm.max_gen_toks
        )
        if not self._takes_seeds:
            rest.pop("seed", None)
        # a text that ends an answer may stand in the thinking before it, which is cut away afterwards
        stop = [text for text in until if text == self._eos] if self._lm.think_end_token else until
        kind = RequestOutputKind.FINAL_ONLY
        return SamplingParams(max_tokens=most, stop=stop, output_kind=kind, **rest), until

    def _finished(self, output: Any) -> Finished:
        number, until = self._submitted.pop(output.request_id)
        return number, _generated(output, until, self._lm.think_end_token)


def _generated(output: Any, until: list[str], think_end: str | None) -> ModelOutput | Failure:
    written, prompt_tokens = output.outputs[0], len(output.prompt_token_ids or ()) or None
    if written.finish_reason in ("abort", "error"):
        return Failure(f"vLLM ended the request: {written.finish_reason}", prompt_tokens)
    thoughts, found, answer = written.text.rpartition(think_end) if think_end else ("", "", written.text)
    return ModelOutput(
        before_first(answer.lstrip() if found else answer, until),
        reasoning=thoughts + found or None,
        finish_reason=written.finish_reason,
        prompt_tokens=prompt_tokens,
        completion_tokens=len(written.token_ids),
        cached_tokens=getattr(output, "num_cached_tokens", None),
    )


def _running_at_most(core: Any) -> int:
    scheduler = getattr(getattr(core, "vllm_config", None), "scheduler_config", None)
    return max(int(getattr(scheduler, "max_num_seqs", None) or 0), _FEWEST_WAITING)


def end_of_sequence(tokenizer: Any) -> str:
    """The text of the end-of-sequence token (some tokenizers decode its number to nothing)."""
    return tokenizer.decode(tokenizer.eos_token_id) or getattr(tokenizer, "eos_token", None) or ""


def before_first(text: str, stops: Sequence[str]) -> str:
    """The text before the first of the stop texts."""
    for stop in stops:
        if stop:
            text = text.split(stop, 1)[0]
    return text
