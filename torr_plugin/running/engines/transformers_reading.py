"""From the tokens that transformers generated to a text, as lm-eval's ``hf`` cuts it, and why it ended."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from .base import Generated


@dataclass(frozen=True, slots=True)
class Reading:
    """How tokens are read.

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

    def read(self, tokens: Sequence[int], prompt_tokens: int) -> Generated:
        """What one row of a batch says; ``tokens`` are those after the prompt, padding at their end.

        The tokens that end it (EOS, those of a stop text) are counted, as vLLM counts them.
        """
        end = next((place for place, token in enumerate(tokens) if token in self.ends), None)
        written = tokens if end is None else tokens[: end + 1]
        before = self._thought(written)
        answer = written[before:]
        text = self.decode(answer)
        if isinstance(self.think_end, int):
            text = text.lstrip()
        said = text.split(self.think_end)[-1].lstrip() if isinstance(self.think_end, str) else text
        cut = before_first(said, self.until)
        if cut == said:
            reason = "stop" if end is not None or len(written) < self.most else "length"
            return Generated(cut, reason, prompt_tokens, len(written))
        return Generated(cut, "stop", prompt_tokens, before + self._needed(answer))

    def _thought(self, tokens: Sequence[int]) -> int:
        """How many tokens are thoughts, up to the last token that ends them."""
        if not isinstance(self.think_end, int):
            return 0
        return max((place + 1 for place, token in enumerate(tokens) if token == self.think_end), default=0)

    def _needed(self, tokens: Sequence[int]) -> int:
        """How many of the tokens were generated when the first stop text after the thoughts was there."""

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
