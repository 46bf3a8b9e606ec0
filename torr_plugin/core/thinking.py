"""Where a model's thoughts end and its answer begins, in a text that holds both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# marks of the models that are in use; others are named by a model's think_start and think_end
_PAIRS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("◁think▷", "◁/think▷"),
)
# OpenAI's harmony format, with its special tokens and without them
_CHANNEL, _FINAL = "<|channel|>", "<|channel|>final<|message|>"
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|start|call|channel)\|>")
_BARE_ANALYSIS, _BARE_FINAL = re.compile("analysis[A-Z]"), "assistantfinal"


@dataclass(frozen=True, slots=True)
class ThinkingMarks:
    """The texts around a model's thoughts, beside those that are known; either may be None."""

    start: str | None = None
    end: str | None = None

    @property
    def pattern(self) -> str:
        """A regular expression (RE2's and Python's) that every text with thoughts in it matches."""
        known = [mark for pair in (*_PAIRS, (self.start, self.end)) for mark in pair if mark]
        return "|".join([*map(re.escape, known), re.escape(_CHANNEL), f"^{_BARE_ANALYSIS.pattern}"])


NO_MARKS = ThinkingMarks()


@dataclass(frozen=True, slots=True)
class SplitAnswer:
    """``reasoning``, with its marks, and the ``text`` of the answer; ``open``: the text ends in thoughts."""

    reasoning: str
    text: str
    open: bool = False

    @property
    def unfinished(self) -> bool:
        """Whether it ended in its thoughts."""
        return bool(self.reasoning) and not self.text.strip()


def split_thoughts(
    text: str, marks: ThinkingMarks = NO_MARKS, *, begun: bool = False, cut: bool = False
) -> SplitAnswer:
    """Split a model's text into thoughts and answer.

    The answer is what follows the last mark that ends thoughts, up to a mark that begins others; of
    harmony's channels, the last message in the channel ``final``. Takes time linear in the text.

    Args:
        text: as the model wrote it.
        marks: further marks.
        begun: the prompt ended in a mark that begins thoughts, so the text begins in them.
        cut: the text was cut at the most tokens, so that without ``marks.end``, if that is given, it is
            nothing but thoughts.
    """
    if not _marked(marks).search(text):
        inside = bool(text) and (begun or (cut and marks.end is not None))
        return SplitAnswer(text, "", open=True) if inside else SplitAnswer("", text)
    begin, answer = _in_channels(text)
    after = [answer.rfind(end) + len(end) for end in _ends(marks) if end in answer]
    if after:
        begin, answer = begin + max(after), answer[max(after) :]
    elif begun and not begin:
        return SplitAnswer(text, "", open=True)
    starts = [at for start in _starts(marks) if (at := answer.find(start)) >= 0]
    final = answer[: min(starts)] if starts else answer
    reasoning = text[:begin] + (answer[min(starts) :] if starts else "")
    return SplitAnswer(reasoning, final.strip() if reasoning else final, open=bool(starts))


def ends_in_thoughts(prompt: str, marks: ThinkingMarks = NO_MARKS) -> bool:
    """Whether a prompt, as a chat template wrote it, ends in a mark that begins thoughts."""
    return prompt.rstrip().endswith(_starts(marks))


def _in_channels(text: str) -> tuple[int, str]:
    """Where harmony's final message begins, and that message; all of a text without channels."""
    if _CHANNEL in text:
        before, found, final = text.rpartition(_FINAL)
        if not found:
            return len(text), ""
        end = _END_OF_MESSAGE.search(final)
        return len(before) + len(found), final[: end.start()] if end else final
    if _BARE_ANALYSIS.match(text):
        before, found, final = text.rpartition(_BARE_FINAL)
        return (len(before) + len(found), final) if found else (len(text), "")
    return 0, text


@lru_cache(maxsize=16)
def _marked(marks: ThinkingMarks) -> re.Pattern[str]:
    return re.compile(marks.pattern)


def _starts(marks: ThinkingMarks) -> tuple[str, ...]:
    return tuple(start for start, _ in (*_PAIRS, (marks.start, None)) if start)


def _ends(marks: ThinkingMarks) -> tuple[str, ...]:
    return tuple(end for _, end in (*_PAIRS, (None, marks.end)) if end)
