"""One batch through transformers' ``generate``: from prompts to tokens to texts, as in lm-eval's ``hf``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..answer import one_line
from ..contexts import Failure
from ..model_class import model_class_of
from .base import ModelOutput


@dataclass(frozen=True, slots=True)
class EncodedPrompt:
    """A prompt's tokens, and how many may be generated."""

    number: int
    tokens: Sequence[int]
    most: int

    @property
    def width(self) -> int:
        """Tokens of the prompt and of the longest answer."""
        return len(self.tokens) + self.most


def encode(lm: Any, texts: Sequence[str]) -> list[list[int] | Failure]:
    """The tokens of prompts, with lm-eval's special tokens, or why there are none.

    A text that begins with a BOS token, as chat templates write it, gets no second one; lm-eval checks only
    the first text of a batch for that, we check each.
    """
    found: list[list[int] | Failure] = [[] for _ in texts]
    begin = getattr(lm.tokenizer, "bos_token", None)
    for begun in (False, True):
        here = [place for place, text in enumerate(texts) if bool(begin and text.startswith(begin)) is begun]
        special = {"add_special_tokens": False} if begun else _special(lm)
        made = _encoded(lm.tokenizer, [texts[place] for place in here], special)
        for place, tokens in zip(here, made, strict=True):
            found[place] = tokens
    return found


def _encoded(tokenizer: Any, texts: list[str], special: dict[str, bool]) -> list[list[int] | Failure]:
    """All at once, which is fastest; one by one if a text among them cannot be encoded."""
    if not texts:
        return []
    try:
        return [list(tokens) for tokens in tokenizer(texts, **special)["input_ids"]]
    except Exception as error:  # a tokenizer may raise anything, at half a character say
        if len(texts) == 1:
            return [Failure(one_line(error))]
    return [tokens for text in texts for tokens in _encoded(tokenizer, [text], special)]


def _special(lm: Any) -> dict[str, bool]:
    return {} if lm.add_bos_token is None else {"add_special_tokens": bool(lm.add_bos_token)}


def ends(lm: Any) -> frozenset[int]:
    """The tokens that end a sequence: those of the model's configuration and the tokenizer's."""
    eos = getattr(getattr(lm.model, "generation_config", None), "eos_token_id", None)
    several = eos if isinstance(eos, (list, tuple)) else [eos]
    return frozenset(token for token in [*several, lm.tokenizer.eos_token_id] if token is not None)


def generate(
    lm: Any, rows: Sequence[EncodedPrompt], until: Sequence[str], sampling: Mapping[str, Any]
) -> list[list[int]]:
    """The tokens that follow each prompt; after an end token comes padding.

    A row is as it would be alone: where it came to a stop text it is cut, whatever the others of its batch
    did. (lm-eval generates it on until all are done, and then finds again those stop texts that are text.)

    Args:
        lm: lm-eval's model.
        rows: prompts that may be followed by equally many tokens.
        until: texts that end a row.
        sampling: further arguments of ``generate``.
    """
    import torch

    width = max(len(row.tokens) for row in rows)
    pad = lm.tokenizer.pad_token_id
    # padded at the left, so that all rows go on at the same place
    tokens = torch.tensor([[pad] * (width - len(row.tokens)) + list(row.tokens) for row in rows])
    mask = torch.tensor([[0] * (width - len(row.tokens)) + [1] * len(row.tokens) for row in rows])
    texts = [stop for stop in until if stop and stop != end_text(lm)]
    stops = StopTexts(lm.tokenizer, texts, width, lm.think_end_token)
    made = _generate(
        lm,
        until,
        stops,
        context=tokens.to(lm.device),
        attention_mask=mask.to(lm.device),
        max_length=width + rows[0].most,
        **sampling,
    )
    return [row[: stops.stopped.get(place)] for place, row in enumerate(made[:, width:].tolist())]


def _generate(lm: Any, until: Sequence[str], stops: StopTexts, **given: Any) -> Any:
    """As lm-eval's ``_model_generate``, but a row ends at a stop text."""
    if model_class_of(type(lm)).own_generate:
        return lm._model_generate(stop=[*until, end_text(lm)], **given)
    import torch
    from transformers import StoppingCriteriaList

    kind = getattr(lm, "mixed_precision_dtype", None)
    if stops:  # without, transformers need not wait for the device at every token
        given["stopping_criteria"] = StoppingCriteriaList([stops])
    with torch.autocast(device_type=lm.device.type, dtype=kind, enabled=kind is not None):
        return lm.model.generate(
            input_ids=given.pop("context"),
            pad_token_id=lm.tokenizer.pad_token_id,
            eos_token_id=sorted(ends(lm)) or None,
            use_cache=True,
            max_new_tokens=None,  # else one in the model's own configuration outdoes the study's max_tokens
            **given,
        )


def end_text(lm: Any) -> str:
    """The text of the EOS token, which is a stop text for lm-eval; empty if there is none."""
    if lm.tokenizer.eos_token_id is None:
        return ""
    text: str = lm.tok_decode([lm.tokenizer.eos_token_id], skip_special_tokens=False)
    return text


class StopTexts:
    """Tells transformers which rows have reached a stop text (:class:`transformers.StoppingCriteria`).

    Where a model thinks first, a stop text counts after its thoughts alone, as where lm-eval cuts the text.

    Attributes:
        stopped: the rows that have, and how many tokens each has written.
    """

    def __init__(
        self, tokenizer: Any, stops: Sequence[str], begin: int, think_end: int | str | None = None
    ) -> None:
        self._tokenizer, self._stops, self._begin = tokenizer, stops, begin
        self._think_end = think_end
        texts = [*stops, *([think_end] if isinstance(think_end, str) else [])]
        longest = max((len(tokenizer.encode(text, add_special_tokens=False)) for text in texts), default=0)
        # a text can be written in more tokens than its own encoding has; lm-eval allows for two as well
        self._back = longest + 2
        self._begins: dict[int, int] = {}
        self.stopped: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._stops)

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        """One truth value a row."""
        import torch

        length, rows = input_ids.shape[1], len(input_ids)
        self._end_thoughts(input_ids)
        going = [row for row in self._begins if row not in self.stopped]
        if going:
            first = {row: max(self._begins[row], length - self._back) for row in going}
            texts = self._tokenizer.batch_decode([input_ids[row, first[row] :] for row in going])
            for row, text in zip(going, texts, strict=True):
                if any(stop in text for stop in self._stops):
                    self.stopped[row] = length - self._begin
        return torch.tensor([row in self.stopped for row in range(rows)], device=input_ids.device)

    def _end_thoughts(self, input_ids: Any) -> None:
        """Record where each row's answer begins: at once, or after the end of its thoughts."""
        if len(self._begins) == len(input_ids):
            return
        length = input_ids.shape[1]
        first = max(self._begin, length - self._back)
        for row in range(len(input_ids)):
            if self._think_end is None:
                self._begins[row] = self._begin
            elif row not in self._begins and self._thought(input_ids[row, first:]):
                self._begins[row] = length

    def _thought(self, tokens: Any) -> bool:
        if isinstance(self._think_end, str):
            return self._think_end in self._tokenizer.decode(tokens)
        return bool(tokens[-1] == self._think_end)


@dataclass(frozen=True, slots=True)
class OutputDecoder:
    """Turns generated tokens into a text and a finish reason.

    Attributes:
        decode: tokens to text, without special tokens.
        ends: the tokens that end a sequence.
        until: the texts that end it; they are cut off.
        most: tokens that may be generated.
        think_end: what ends a model's thinking, a token or a text: only what follows its last is the answer.
    """

    decode: Callable[[Sequence[int]], str]
    ends: Collection[int]
    until: Sequence[str]
    most: int
    think_end: int | str | None = None

    def read(self, tokens: Sequence[int], prompt_tokens: int) -> ModelOutput:
        """The output of one row of a batch; ``tokens`` are those after the prompt, padding at their end.

        The tokens that end it (EOS, those of a stop text) are counted, as vLLM counts them.
        """
        end = next((place for place, token in enumerate(tokens) if token in self.ends), None)
        written = tokens if end is None else tokens[: end + 1]
        before = self._thought(written)
        answer = written[before:]
        text = self.decode(answer)
        if isinstance(self.think_end, int):
            text = text.lstrip()
        thoughts, reply = self.decode(written[:before]) if before else "", text
        if isinstance(self.think_end, str) and self.think_end in text:
            reply = text.split(self.think_end)[-1].lstrip()
            thoughts = text[: len(text) - len(reply)]
        cut = before_first(reply, self.until)
        if cut == reply:
            reason = "stop" if end is not None or len(written) < self.most else "length"
            return ModelOutput(cut, reason, prompt_tokens, len(written), reasoning=thoughts or None)
        count = before + self._needed(answer)
        return ModelOutput(cut, "stop", prompt_tokens, count, reasoning=thoughts or None)

    def _thought(self, tokens: Sequence[int]) -> int:
        """How many tokens are thoughts, up to the last token that ends them."""
        if not isinstance(self.think_end, int):
            return 0
        return max((place + 1 for place, token in enumerate(tokens) if token == self.think_end), default=0)

    def _needed(self, tokens: Sequence[int]) -> int:
        """How many tokens it took to complete the first stop text after the thoughts."""

        def stopped(count: int) -> bool:
            text = self.decode(tokens[:count])
            if isinstance(self.think_end, str):
                _, found, text = text.rpartition(self.think_end)
                if not found and self.think_end in self.decode(tokens):
                    return False
            return any(stop in text for stop in self.until if stop)

        return bisect_left(range(len(tokens)), True, key=stopped)


def before_first(text: str, stops: Sequence[str]) -> str:
    """The text before the first of the stop texts."""
    for stop in stops:
        if stop:
            text = text.split(stop, 1)[0]
    return text
