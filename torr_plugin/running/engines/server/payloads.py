"""What a server is sent: the bodies of requests, and which parameter it refuses by its name.

Bodies are lm-eval's, with what a study names, without what the server refuses.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from lm_eval.models.api_models import create_image_prompt

from ....core.errors import described
from ..base import EngineRequest, Failure, context_overflow, pil_images

if TYPE_CHECKING:
    from lm_eval.api.model import LM


_log = logging.getLogger(__name__)
_PROMPT = ("messages", "prompt", "input", "text", "system", "input_ids")
_MOST_STOPS = 4
# the fields that a generation parameter may be sent as
_FIELDS = {
    "max_tokens": ("max_tokens", "max_completion_tokens", "max_new_tokens"),
    "until": ("stop", "stop_sequences"),
}
# lm-eval's default of max_length, which no server has: treated as "not given"
_DEFAULT_LENGTH = 2048


class RefusedParameter(NamedTuple):
    """A field of a request, the one that the server wants in its place, if any, and its words."""

    name: str
    instead: str | None
    reason: str


class Payloads:
    """Makes the bodies of requests, as lm-eval's ``amodel_call`` does, but for three things.

    A tokenized prompt that is too long fails, where lm-eval would cut its beginning off. Temperature and stop
    texts are those of the study, where lm-eval sends others by the model's name. What a server refuses by
    its name is sent no more, once a body without it went through.

    Args:
        lm: writes the bodies.
        left_out: generation parameters that are not to be sent.
    """

    def __init__(self, lm: LM, left_out: Collection[str] = ()) -> None:
        self._lm = lm
        self._first: dict[str, Any] = {}
        self._refused: dict[str, str | None] = {}
        self._left_out = {field for name in left_out for field in _FIELDS.get(name, (name,))}
        # lm-eval sends it only with one request at a time; a user who sets it wants it sent
        self._eos = {"eos": lm._eos_string} if getattr(lm, "_eos_string", None) else {}

    @property
    def sent(self) -> dict[str, Any]:
        """The parameters of the first body, without the prompt and without what was refused since."""
        return _without(self._first, self._refused)

    def of(self, requests: Sequence[EngineRequest]) -> list[bytes | Failure]:
        """A body a request, or why there is none."""
        tokens = self._tokens(requests) if self._lm.tokenized_requests else [None] * len(requests)
        return [self._body(request, each) for request, each in zip(requests, tokens, strict=True)]

    def _body(self, request: EngineRequest, tokens: Any) -> bytes | Failure:
        if isinstance(tokens, Failure):
            return tokens
        context = request.context
        try:
            message = (
                create_image_prompt(pil_images(context.images), json.loads(context.text.prompt))
                if context.images
                else self._lm.create_message([context.text if tokens is None else tokens])
            )
            payload = self._lm._create_payload(
                message,
                generate=True,
                gen_kwargs=deepcopy(request.generation),  # lm-eval's models take things out of it
                seed=self._lm._seed,
                **self._eos,
            )
            payload = _without(self._as_said(payload, request.generation), self._refused)
            body = json.dumps(payload).encode()
        except Exception as error:  # a model's code may raise anything
            return Failure(f"the request cannot be written: {described(error)}")
        self._first = self._first or {name: each for name, each in payload.items() if name not in _PROMPT}
        return body

    def _as_said(self, payload: Mapping[str, Any], generation: Mapping[str, Any]) -> dict[str, Any]:
        """The payload with what the study says of it, whatever lm-eval makes of the model's name."""
        said = {**payload, **(payload.get("extra_body") or {})}
        said.pop("extra_body", None)
        budget = said.pop("thinking_tokens", None)
        if "messages" in said and "temperature" in generation and "temperature" in said:
            said["temperature"] = generation["temperature"]
        stops = list(dict.fromkeys([*(generation.get("until") or ()), *self._eos.values()]))
        if "messages" in said and stops and "stop_sequences" not in said:
            said["stop"] = stops[:_MOST_STOPS]
        if "stop_sequences" in said:  # Anthropic's
            said.pop("seed", None)
            if budget:
                said["thinking"] = {"type": "enabled", "budget_tokens": budget}
            if said.get("thinking", {}).get("type") == "enabled":  # which allows no other temperature
                said.pop("temperature", None)
        if isinstance(inner := said.get("sampling_params"), dict):  # SGLang's
            gone = {*self._left_out, "thinking_tokens"}
            said["sampling_params"] = {name: value for name, value in inner.items() if name not in gone}
        return {name: value for name, value in said.items() if name not in self._left_out}

    def revised(self, body: bytes, parameter: RefusedParameter) -> bytes | None:
        """A body without what the server refused of it; None where that is not there, or is needed."""
        payload = json.loads(body)
        name, instead, _ = parameter
        if name not in payload or (name in NEEDED and instead is None):
            return None
        return json.dumps(_without(payload, {**self._refused, name: instead})).encode()

    def refuse(self, parameters: Iterable[RefusedParameter]) -> None:
        """Write no further body with what the server refused."""
        for name, instead, _ in parameters:
            if name not in self._refused:
                what = f"{instead!r} is sent" if instead else "it is sent no more"
                _log.warning("the server refuses %r: %s", name, what)
                self._refused = {**self._refused, name: instead}  # another thread may be reading it

    def _tokens(self, requests: Sequence[EngineRequest]) -> list[Any]:
        """The tokens of each prompt; a tokenizer may be on the server, and fail like one."""
        texts = tuple(request.context.text for request in requests)
        try:
            found = self._lm.tok_encode(texts, add_special_tokens=self._lm.add_bos_token)
            return [self._fitting(each, request) for each, request in zip(found, requests, strict=True)]
        except Exception as error:  # a tokenizer may raise anything
            return [Failure(f"the prompt cannot be tokenized: {described(error)}")] * len(requests)

    def _fitting(self, tokens: Any, request: EngineRequest) -> Any:
        most = self._lm.max_length + 1
        if most == _DEFAULT_LENGTH or not isinstance(tokens, list):
            return tokens
        wanted = int(request.generation.get("max_gen_toks", self._lm._max_gen_toks))
        return context_overflow(len(tokens), wanted, most) or tokens


def _without(payload: Mapping[str, Any], refused: Mapping[str, str | None]) -> dict[str, Any]:
    """The payload without what the server refused, or under the name that it wants."""
    found = {name: value for name, value in payload.items() if name not in refused}
    renamed = {instead: payload[name] for name, instead in refused.items() if instead and name in payload}
    return {**found, **renamed}


NEEDED = frozenset({"max_tokens", "max_completion_tokens"})
"""What is replaced and never left out: an answer without a limit may cost anything."""

# what may be left out: an answer is asked for without it, and that is said
_OPTIONAL = ("temperature", "top_p", "top_k", "stop", "stop_sequences", "seed", "do_sample")
_INSTEAD = re.compile(r"\buse [`'\"]?(max_tokens|max_completion_tokens)\b", re.IGNORECASE)
_REFUSES = re.compile(
    r"unsupported|not (?:\w+ )?(?:supported|permitted|allowed|accepted)|does(?: not|n't) support|deprecated"
    r"|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|only the default|cannot (?:both )?be",
    re.IGNORECASE,
)
_NAME = re.compile(rf"(?<![\w.])({'|'.join([*_OPTIONAL, *sorted(NEEDED)])})(?!\w)")
# servers quote prompts
_QUOTED = re.compile(r"'[^']* [^']*'|\"[^\"]* [^\"]*\"")
_MOST = 2000


# what stands where a field's name would
_NO_FIELD = ("", "None", "body")


def refused_parameter(status: int, problem: str, words: str, reply: Any) -> RefusedParameter | None:
    """Which parameter a server's error refuses; None where it is about something else.

    Args:
        status: HTTP's.
        problem: the error as it would be stored.
        words: its message.
        reply: its JSON.
    """
    if status not in (400, 422) or not _REFUSES.search(words := words[:_MOST]):
        return None
    instead = _INSTEAD.search(words)
    named = _named_field(reply) or _NAME.findall(_QUOTED.sub(" ", words))
    name = next((each for each in named if each in _OPTIONAL or each in NEEDED), None)
    if name is None or (name in NEEDED and (instead is None or instead[1] == name)):
        return None
    return RefusedParameter(name, instead[1] if instead and name in NEEDED else None, problem)


def _named_field(reply: Any) -> list[str]:
    """The names in the error's own field for them: OpenAI's ``param``, the end of pydantic's ``loc``."""
    if not isinstance(reply, Mapping):
        return []
    error, detail = reply.get("error"), reply.get("detail")
    found = [error.get("param")] if isinstance(error, Mapping) else []
    for each in detail[:8] if isinstance(detail, list) else ():
        place = each.get("loc") if isinstance(each, Mapping) else None
        found += place[-1:] if isinstance(place, list) else []
    return [each for each in found if isinstance(each, str) and each not in _NO_FIELD]
