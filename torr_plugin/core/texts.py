# ruff: noqa: RUF001 (signs that look like a minus are read as one)
"""Answers as texts: where thoughts end, the normal form of a short answer, LaTeX as text, tokens counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

# -- where thoughts end --------------------------------------------------------------------------------------

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


# -- what is compared ----------------------------------------------------------------------------------------

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_DECIMALS = re.compile(r"(?<![\d.])(\d+)\.(\d+)(?![\d.])")


# zero-width characters, soft hyphens, and marks of direction
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_MINUS = str.maketrans(dict.fromkeys("−﹣－", "-"))


def as_seen(text: str) -> str:
    """The text in Unicode's composed form (NFC), without characters that take no place on a page."""
    return text if text.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFC", text))


def normalize(text: str) -> str:
    """``n`` of :class:`torr_plugin.scoring.metrics.exact_match.ExactMatch`, which says what it does."""
    if not text.isascii():
        text = as_seen(as_seen(text).translate(_MINUS).casefold())
    folded = " ".join(text.casefold().split())
    if folded.endswith("."):
        folded = folded[:-1].rstrip()
    # most texts have neither mark, and to look for one is quicker than to search by a pattern
    plain = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), folded) if "," in folded else folded
    return _DECIMALS.sub(_without_zeros, plain) if "." in plain else plain


def _without_zeros(number: re.Match[str]) -> str:
    fraction = number[2].rstrip("0")
    return f"{number[1]}.{fraction}" if fraction else number[1]


_LATEX_ARGUMENT = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf)?|math(?:rm|bf|it|sf|tt)|emph|boxed|fbox|operatorname) ?"
    r"\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_LATEX_NESTING = 4
_LATEX_SIGNS = (
    (re.compile(r"(?<=\d) ?(?=\\[dt]?frac)"), " "),
    (re.compile(r"\\[dt]?frac ?(?:\{(-?\d{1,9})\}\{(\d{1,9})\}|(\d)(\d))"), r"\1\3/\2\4"),
    (re.compile(r"\\(?:mid|l?vert|rvert)(?![A-Za-z])|\\\|"), "|"),
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "×"),
    (re.compile(r"(?<=\d)\\,(?=\d{3}(?!\d))"), ","),
    (re.compile(r"\\[,;:! ]|\\q?quad(?![A-Za-z])"), " "),
    (re.compile(r"\\(?:left|right|displaystyle)(?![A-Za-z])|\\[()\[\]]|\$\$"), ""),
    # as Markdown has it: nothing but a sum of money has a blank before the second sign, or a digit after it
    (re.compile(r"\$(?=\S)([^$]*)(?<=\S)\$(?!\d)"), r"\1"),
    (re.compile(r"\\([%&$#_{}])"), r"\1"),
)


def without_latex(text: str) -> str:
    r"""LaTeX's signs as text, without its commands: ``\boxed{9 \mid 4}`` is ``9 | 4``."""
    text = text.replace("{,}", ",")
    if "\\" not in text and "$" not in text:
        return text
    for _ in range(_LATEX_NESTING):
        text, count = _LATEX_ARGUMENT.subn(r"\1", text)
        if not count:
            break
    for pattern, instead in _LATEX_SIGNS:
        text = pattern.sub(instead, text)
    return text


# -- how many tokens -----------------------------------------------------------------------------------------

CHARACTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take up to twice as
    many.
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)


_PIECE = re.compile(r" ?[^\W\d_]{1,7}|\d{1,3}|[^\S\n]+|\n+|[^\w\s]{1,2}|_")


def token_pieces(text: str) -> int:
    """Estimate the tokens of a table's text, to compare formats by: the pieces that tokenizers cut it into.

    A piece is a word of up to seven letters with the space before it, three digits, white space, or two
    other signs.
    """
    return sum(1 for _ in _PIECE.finditer(text))


def names_in(text: str | Iterable[str] | None) -> tuple[str, ...]:
    """The names in ``a, b``, or in several such texts; empty for none."""
    texts = [text] if isinstance(text, str) else text or ()
    return tuple(part.strip() for each in texts for part in each.split(",") if part.strip())
