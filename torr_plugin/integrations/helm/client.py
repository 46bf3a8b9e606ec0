"""The embedded baselines as HELM clients, and a tokenizer that no table is too long for."""

from __future__ import annotations

import re
import threading
from importlib.metadata import version
from typing import Any

from helm.clients.client import CachingClient
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Token, wrap_request_time
from helm.common.tokenization_request import (
    DecodeRequest,
    DecodeRequestResult,
    TokenizationRequest,
    TokenizationRequestResult,
    TokenizationToken,
)
from helm.tokenizers.tokenizer import Tokenizer
from lm_eval.api.instance import Instance

from ...running.model import lm_eval_arguments
from ...running.registry import lm_class
from .annotator import text_of_request

_PIECES = re.compile(r"\s+|\S+")


class TorrClient(CachingClient):  # type: ignore[misc]  # HELM ships no types
    """Asks a model of lm-eval's registry in this process, one request after another, through HELM's cache.

    Args:
        cache_config: HELM's cache of this host.
        model: as lm-eval names it, e.g. ``torr-lexical``.
    """

    def __init__(self, cache_config: CacheConfig, model: str) -> None:
        super().__init__(cache_config=cache_config)
        self._model, self._lock = model, threading.Lock()
        self._lm: Any = None

    def make_request(self, request: Request) -> RequestResult:
        """Answer a prompt, or chat messages as the plain text that ``torr run`` would send."""
        asked = {"model": self._model, "prompt": text_of_request(request), **_generation(request)}
        key = CachingClient.make_cache_key({**asked, "version": version("torr-plugin")}, request)
        found, cached = self.cache.get(key, wrap_request_time(lambda: {"text": self._answer(asked)}))
        text = found["text"]
        return RequestResult(
            success=True,
            cached=cached,
            request_time=found["request_time"],
            request_datetime=found.get("request_datetime"),
            completions=[GeneratedOutput(text=text, logprob=0, tokens=[Token(text=text, logprob=0)])],
            embedding=[],
        )

    def _answer(self, asked: dict[str, Any]) -> str:
        arguments = lm_eval_arguments({name: asked[name] for name in ("max_tokens", "temperature", "until")})
        with self._lock:  # HELM asks from several threads
            if self._lm is None:
                self._lm = lm_class(self._model).create_from_arg_obj({})
            instance = Instance("generate_until", {}, (asked["prompt"], arguments), 0)
            return str(self._lm.generate_until([instance])[0])


class WordTokenizer(Tokenizer):  # type: ignore[misc]  # HELM ships no types
    """Splits a text into words and the blanks between them; joined, the tokens give the text again."""

    def tokenize(self, request: TokenizationRequest) -> TokenizationRequestResult:
        """Split into words; with ``truncation``, keep the first ``max_length``."""
        pieces = _PIECES.findall(request.text)
        kept = pieces[: request.max_length] if request.truncation else pieces
        tokens = [TokenizationToken(piece) for piece in kept]
        return TokenizationRequestResult(success=True, cached=False, tokens=tokens, text=request.text)

    def decode(self, request: DecodeRequest) -> DecodeRequestResult:
        """Join tokens to a text."""
        return DecodeRequestResult(success=True, cached=False, text="".join(map(str, request.tokens)))


def _generation(request: Request) -> dict[str, Any]:
    return {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "until": list(request.stop_sequences),
    }
