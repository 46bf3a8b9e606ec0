"""vLLM's engine inside lm-eval's class ``vllm``, driven request by request.

lm-eval's own ``generate_until`` sorts a batch by length, waits for its slowest answer before it returns any
or takes the next batch, cuts prompts that are too long, and drops token counts and finish reasons. Here vLLM
gets requests in our order (it schedules them first come, first served), so many that its queue never empties,
and each comes back when it is done. Tokens, stop texts and sampling parameters are those of lm-eval's class.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from lm_eval.models.utils import postprocess_generated_text

from ...core.errors import described
from .base import EngineRequest, Failure, Finished, ModelOutput, context_overflow
from .vllm_patches import watch_for_death

_SECONDS_A_STEP = 0.25
_FEWEST_WAITING = 16


class VllmEngine:
    """See :class:`torr_plugin.running.engines.base.Engine`."""

    def __init__(self, lm: Any) -> None:
        from vllm.platforms import current_platform

        self._lm, self._core = lm, lm.model.llm_engine
        tokenizer = lm.tokenizer  # some decode the number of the token that ends a sequence to nothing
        self._eos = tokenizer.decode(tokenizer.eos_token_id) or getattr(tokenizer, "eos_token", None) or ""
        most = self._core.vllm_config.scheduler_config.max_num_seqs  # that run at once
        self._side = max(most, _FEWEST_WAITING)
        self._ids = count()
        self._submitted: dict[str, tuple[int, list[str]]] = {}  # number and stop texts
        self._refused: list[Finished] = []
        self._closed = watch_for_death(self._core)
        # there a seeded prompt that is read in parts ends its engine (0.32)
        self._takes_seeds = not current_platform.is_cpu()

    def room(self) -> int:
        """As many waiting as running requests; 0 while few are missing, as requests are read in bulk."""
        missing = 2 * self._side - self._core.get_num_unfinished_requests()
        return missing if missing >= max(1, self._side // 4) else 0

    def add(self, requests: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
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
        self._closed.set()
        self._core.engine_core.shutdown()
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
    thoughts, found, _ = written.text.rpartition(think_end) if think_end else ("", "", "")
    return ModelOutput(
        postprocess_generated_text(written.text, until, think_end),
        reasoning=thoughts + found or None,
        finish_reason=written.finish_reason,
        prompt_tokens=prompt_tokens,
        completion_tokens=len(written.token_ids),
        cached_tokens=output.num_cached_tokens,
    )
