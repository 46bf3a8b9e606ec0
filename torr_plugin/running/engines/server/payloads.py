"""The bodies of requests, written by lm-eval's models."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lm_eval.models.api_models import create_image_prompt

from ...answer import one_line
from ...contexts import Context, Failure, pil_images
from ..base import EngineRequest, context_overflow

if TYPE_CHECKING:
    from lm_eval.api.model import LM

# lm-eval's default of max_length, which no server has: treated as "not given"
_DEFAULT_LENGTH = 2048


class Payloads:
    """Makes the bodies of requests, equal to those of lm-eval's ``amodel_call``.

    With one exception: a tokenized prompt that is too long fails, where lm-eval would cut its beginning off.
    """

    def __init__(self, lm: LM) -> None:
        self._lm = lm
        # lm-eval sends it only with one request at a time; a user who sets it wants it sent
        self._eos = {"eos": lm._eos_string} if getattr(lm, "_eos_string", None) else {}

    def of(self, requests: Sequence[EngineRequest]) -> list[bytes | Failure]:
        """A body a request, or why there is none."""
        tokens = self._tokens(requests) if self._lm.tokenized_requests else [None] * len(requests)
        return [self._body(request, each) for request, each in zip(requests, tokens, strict=True)]

    def _body(self, request: EngineRequest, tokens: Any) -> bytes | Failure:
        if isinstance(tokens, Failure):
            return tokens
        try:
            payload = self._lm._create_payload(
                self._message(request.context, tokens),
                generate=True,
                gen_kwargs=_own(request.generation),  # lm-eval's models take things out of it
                seed=self._lm._seed,
                **self._eos,
            )
            return json.dumps(payload).encode()
        except Exception as error:  # a model's code may raise anything
            return Failure(f"the request cannot be written: {one_line(error)}")

    def _message(self, context: Context, tokens: Any) -> Any:
        if context.images:
            return _with_images(context)
        return self._lm.create_message([context.text if tokens is None else tokens])

    def _tokens(self, requests: Sequence[EngineRequest]) -> list[Any]:
        """The tokens of each prompt; a tokenizer may be on the server, and fail like one."""
        texts = tuple(request.context.text for request in requests)
        try:
            found = self._lm.tok_encode(texts, add_special_tokens=self._lm.add_bos_token)
            return [self._fitting(each, request) for each, request in zip(found, requests, strict=True)]
        except Exception as error:  # a tokenizer may raise anything
            return [Failure(f"the prompt cannot be tokenized: {one_line(error)}")] * len(requests)

    def _fitting(self, tokens: Any, request: EngineRequest) -> Any:
        most = self._lm.max_length + 1
        if most == _DEFAULT_LENGTH or not isinstance(tokens, list):
            return tokens
        wanted = int(request.generation.get("max_gen_toks", self._lm._max_gen_toks))
        return context_overflow(len(tokens), wanted, most) or tokens


def _own(generation: Mapping[str, Any]) -> dict[str, Any]:
    """A deep copy; most values are numbers and texts, which need none."""
    return {
        name: copy.deepcopy(value) if isinstance(value, (dict, list)) else value
        for name, value in generation.items()
    }


def _with_images(context: Context) -> Any:
    return create_image_prompt(pil_images(context.images), json.loads(context.text.prompt))
