"""The embedded baselines as HELM clients."""

from __future__ import annotations

import threading
from typing import Any

from helm.clients.client import Client
from helm.common.request import GeneratedOutput, Request, RequestResult, Token, wrap_request_time
from lm_eval.api.instance import Instance

from ...prompts import Message
from ...prompts.message import plain_text
from ...running.loaded_model import lm_eval_arguments
from ...running.model_classes import lm_class


class TorrClient(Client):  # type: ignore[misc]  # HELM ships no types
    """Asks a model of lm-eval's registry in this process, one request after another.

    Args:
        model: as lm-eval names it, e.g. ``torr-lexical``.
    """

    def __init__(self, model: str) -> None:
        self._model, self._lock = model, threading.Lock()
        self._lm: Any = None

    def make_request(self, request: Request) -> RequestResult:
        """Answer a prompt, or chat messages as the plain text that ``torr run`` would send."""
        done = wrap_request_time(lambda: {"text": self._answer(request)})()
        text = done["text"]
        return RequestResult(
            success=True,
            cached=False,
            request_time=done["request_time"],
            request_datetime=done["request_datetime"],
            completions=[GeneratedOutput(text=text, logprob=0, tokens=[Token(text=text, logprob=0)])],
            embedding=[],
        )

    def _answer(self, request: Request) -> str:
        turns = [Message(turn["role"], turn["content"]) for turn in request.messages or ()]
        prompt = plain_text(tuple(turns)) if turns else request.prompt
        generation = {"max_tokens": request.max_tokens, "temperature": request.temperature}
        arguments = lm_eval_arguments({**generation, "until": list(request.stop_sequences)})
        with self._lock:  # HELM asks from several threads
            if self._lm is None:
                self._lm = lm_class(self._model).create_from_arg_obj({})
            return str(self._lm.generate_until([Instance("generate_until", {}, (prompt, arguments), 0)])[0])
