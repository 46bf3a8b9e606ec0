"""lm-eval's generation arguments as vLLM's sampling parameters, as lm-eval's own class makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one request is generated.

    Attributes:
        params: vLLM's ``SamplingParams``.
        until: the texts at which an answer ends, the end-of-sequence token's among them.
        most: tokens to generate at most.
    """

    params: Any
    until: list[str]
    most: int


class Samplings:
    """Makes them for one model; those of equal arguments are one value (a study has few)."""

    def __init__(self, lm: Any) -> None:
        self._lm, self._eos = lm, end_of_sequence(lm.tokenizer)
        self._kept: list[tuple[Mapping[str, Any], Sampling]] = []

    def of(self, generation: Mapping[str, Any]) -> Sampling:
        """The sampling of a request.

        Raises:
            Exception: vLLM's, for arguments that it does not take.
        """
        for known, sampling in self._kept:
            if known is generation or known == generation:
                return sampling
        made = self._made(generation)
        self._kept = [*self._kept[1 - _MOST_KEPT :], (dict(generation), made)]
        return made

    def _made(self, generation: Mapping[str, Any]) -> Sampling:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        rest, until, most = self._lm.modify_gen_kwargs(
            dict(generation), eos=self._eos, default_max_gen_toks=self._lm.max_gen_toks
        )
        # a text that ends an answer may stand in the thinking before it, which is cut away afterwards
        stop = [text for text in until if text == self._eos] if self._lm.think_end_token else until
        params = SamplingParams(max_tokens=most, stop=stop, output_kind=RequestOutputKind.FINAL_ONLY, **rest)
        return Sampling(params, until, most)


def end_of_sequence(tokenizer: Any) -> str:
    """The text of the end-of-sequence token (some tokenizers decode its number to nothing)."""
    return tokenizer.decode(tokenizer.eos_token_id) or getattr(tokenizer, "eos_token", None) or ""
