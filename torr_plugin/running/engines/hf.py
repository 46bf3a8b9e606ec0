"""What lm-eval's ``hf`` does not tell: where each row of a batch ends, why, and after how many tokens.

lm-eval returns texts alone, and generates the rows of a batch on until the last is done. So a model's
``_model_generate``, lm-eval's own hook for other ways of generating, is called through here.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .base import ModelOutput

if TYPE_CHECKING:
    from lm_eval.api.model import LM


class HfRows:
    """Replaces ``_model_generate`` of one model; each row is as it would be alone.

    Attributes:
        waiting: the outputs of the last batch, without their text, in the order of its rows.
    """

    def __init__(self, lm: LM) -> None:
        self._lm: Any = lm
        self._generate = self._lm._model_generate
        self._lm._model_generate = self
        self.waiting: deque[ModelOutput] = deque()
        self._end_text = (
            self._decode([lm.tokenizer.eos_token_id]) if lm.tokenizer.eos_token_id is not None else ""
        )
        own = getattr(self._lm.model, "generation_config", None)
        if own is not None:
            own.max_new_tokens = None  # it would outdo the study's max_tokens
        ends = getattr(own, "eos_token_id", None)
        several = ends if isinstance(ends, (list, tuple)) else [ends]
        self._ends = {token for token in [*several, lm.tokenizer.eos_token_id] if token is not None}

    def __call__(
        self,
        context: Any,
        *,
        max_length: int,
        stop: Sequence[str],
        attention_mask: Any,
        seed: int | None = None,
        **sampling: Any,
    ) -> Any:
        """The tokens of prompts and answers; what a row has after its end is padding."""
        if seed is not None:
            import torch

            # by the prompt too, so that batches differ
            torch.manual_seed(zlib.crc32(repr((seed, context[0].tolist())).encode()))
        self.waiting.clear()
        # a stop text may stand in the thoughts, which lm-eval cuts off before it looks for stop texts
        thinks = self._lm.think_end_token is not None
        tokens = self._generate(
            context=context,
            attention_mask=attention_mask,
            max_length=max_length,
            stop=[text for text in stop if text and (text == self._end_text or not thinks)],
            **sampling,
        )
        width = context.shape[1]
        prompts = attention_mask.sum(dim=1).tolist()
        for place, row in enumerate(tokens[:, width:].tolist()):
            output = self._output(row, prompts[place], [text for text in stop if text], max_length - width)
            tokens[place, width + (output.completion_tokens or 0) :] = self._lm.tokenizer.pad_token_id
            self.waiting.append(output)
        return tokens

    def _output(self, row: list[int], prompt_tokens: int, stops: Sequence[str], most: int) -> ModelOutput:
        """The output of a row; the tokens that end it are counted, as vLLM counts them."""
        end = next((place for place, token in enumerate(row) if token in self._ends), None)
        row = row if end is None else row[: end + 1]
        thoughts, _, marks = self._divided(row)

        def stopped(count: int) -> bool:
            _, reply, before = self._divided(row[:count])
            return before == marks and any(stop in reply for stop in stops)

        count = bisect_left(range(len(row)), True, key=stopped)
        reason = "stop" if end is not None or len(row) < most or stopped(len(row)) else "length"
        return ModelOutput("", reason, prompt_tokens, count, reasoning=thoughts or None)

    def _divided(self, row: list[int]) -> tuple[str, str, int]:
        """Thoughts, the reply as lm-eval tells it from them, and how many marks end thoughts."""
        mark = self._lm.think_end_token
        if isinstance(mark, str):
            text = self._decode(row)
            before, found, reply = text.rpartition(mark)
            return before + found, reply.lstrip() if found else text, text.count(mark)
        begin = max((place + 1 for place, token in enumerate(row) if token == mark), default=0)
        reply = self._decode(row[begin:])
        return self._decode(row[:begin]), reply.lstrip() if begin else reply, row.count(mark)

    def _decode(self, row: list[int]) -> str:
        """With special tokens, as a stop text may name one."""
        text: str = self._lm.tok_decode(row, skip_special_tokens=False)
        return text
