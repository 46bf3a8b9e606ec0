"""Texts in every stage: normal forms, thoughts, secrets, and names of scores, endings and levels."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_DECIMALS = re.compile(r"(?<![\d.])(\d+)\.(\d+)(?![\d.])")


def normalize(text: str) -> str:
    """``n`` of :class:`torr_plugin.scoring.metrics.exact_match.ExactMatch`, which says what it does."""
    folded = " ".join(text.casefold().split())
    if folded.endswith("."):
        folded = folded[:-1].rstrip()
    # most texts have neither mark, and to look for one is quicker than to search by a pattern
    plain = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), folded) if "," in folded else folded
    return _DECIMALS.sub(_without_zeros, plain) if "." in plain else plain


def _without_zeros(number: re.Match[str]) -> str:
    fraction = number[2].rstrip("0")
    return f"{number[1]}.{fraction}" if fraction else number[1]


_PIECE = re.compile(r" ?[^\W\d_]{1,7}|\d{1,3}|[^\S\n]+|\n+|[^\w\s]{1,2}|_")


def token_pieces(text: str) -> int:
    """Estimate the tokens of a table's text, to compare formats by: the pieces that tokenizers cut it into.

    A piece is a word of up to seven letters with the space before it, three digits, white space, or two
    other signs.
    """
    return sum(1 for _ in _PIECE.finditer(text))


CHARACTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take up to twice as
    many.
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)


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


_LENIENT = ".lenient"

ENDED = "ended"
"""The column of scores that is there if some answer did not end as it should; null for those that did."""

UNFINISHED, REFUSED, CUT = "unfinished", "refused", "cut"
"""Its values: no text, as the model ran out of tokens or ended in its thoughts; a refusal; a text that was
cut at ``max_tokens``. The first two score 0, the last one is scored as it stands."""


def lenient_name(score: str) -> str:
    """``accuracy.lenient`` of ``accuracy``, and of itself."""
    return f"{faithful_name(score)}{_LENIENT}"


def faithful_name(score: str) -> str:
    """``accuracy`` of ``accuracy.lenient``, and of itself."""
    return score.removesuffix(_LENIENT)


COMPLEXITY = ("low", "medium", "high")
"""Levels of a table's complexity."""

LENGTH = ("under 10K", "10K to 20K", "20K and more")
"""Classes of a table's length in tokens (RealHiTBench, Fig. 8)."""

_SCALES = (COMPLEXITY, LENGTH)
_STEPS: Mapping[str, float] = {value: float(step) for scale in _SCALES for step, value in enumerate(scale)}


def steps_of(values: Collection[object]) -> list[str]:
    """The values in order if they are all on one scale; empty if they are not."""
    scale = next((scale for scale in _SCALES if set(values) <= set(scale)), ())
    return [step for step in scale if step in values]


def value_order(text: str) -> tuple[bool, list[float], str]:
    """Sort values: numbers (``2`` before ``10``) and steps of scales first, by size; then others, by name.

    Steps of several scales have ``", "`` between them.
    """
    if text.isascii() and text.isdigit() and len(text) < 16:
        return False, [float(text)], text
    steps = [_STEPS.get(part, math.nan) for part in text.split(", ")]
    known = not any(map(math.isnan, steps))
    return not known, steps if known else [], text


NOT_RECORDED = "(not recorded)"
_HIDDEN = "..."

# api_key, my_password, hf_token, but not eos_token
_NAME = (
    r"(?:(?:\w*[_-])?(?:(?:api|access|private|secret|subscription)[_-]?key"
    r"|(?:auth|access|hf|bearer|session|refresh|id|ad)[_-]?token"
    r"|password|passwd|secret|headers?|credentials?|authorization)|token)"
)
_SECRET = re.compile(_NAME, re.IGNORECASE)
_NAMED = re.compile(rf"(?:^|(?<=[,{{\"' =])){_NAME}[\"']?\s*[=:]", re.IGNORECASE)
_MARK = re.compile(r"\\.|['\"(\[{)\]},]", re.DOTALL)
# up to the last @ before the host: a password may contain an @ that was not written as %40
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
# a path from the root, or an address of a file; not the path of another address
_HOME = re.compile(
    r"(?:(?<=file://)|(?<![\w.~/\\-]))"
    r"(?:(?:/[\w.-]+){0,2}/(?:home|homes|users)/[^/\s\"',;:)\]}]+|/(?:var/)?root"
    r"|(?:\\\\\?\\)?[a-z]:(?P<bar>[\\/]+)users(?P=bar)(?:[^\\/\"':\n]+(?=[\\/])|[^\\/\s\"',;:)\]}]+))"
    r"(?![\w.-])",
    re.IGNORECASE,
)
_PARAMETER = re.compile(rf"([?&](?:{_NAME}|key|sig|signature|code)=)[^&#,\s\"']+", re.IGNORECASE)


def without_secrets(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A model's arguments without secrets, including those nested in them or inside URLs."""
    return {
        str(name): NOT_RECORDED if _SECRET.fullmatch(str(name)) else _clean(value)
        for name, value in arguments.items()
    }


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, (list, tuple)):
        return [_clean(each) for each in value]
    return _without_keys(value) if isinstance(value, str) else value


def masked(text: str) -> str:
    """Arguments as typed (``a=b,c=d``, or JSON), with ``...`` in place of secrets."""
    found, at = list[str](), 0
    for match in _NAMED.finditer(text):
        if match.start() >= at:
            found += [text[at : match.end()], _HIDDEN]
            at = _end_of_value(text, match.end())
    return _without_keys("".join([*found, text[at:]]))


def _end_of_value(text: str, start: int) -> int:
    """The end of the value that begins at ``start``: a comma or bracket outside its quotes and brackets."""
    depth, quote = 0, ""
    for mark in _MARK.finditer(text, start):
        sign = mark[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in ("'", '"'):
            quote = sign
        elif sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}", ",") and not depth:
            return mark.start()
        elif sign in (")", "]", "}"):
            depth -= 1
    return len(text)


def _without_keys(text: str) -> str:
    """A text whose URLs have no user names, passwords or key parameters."""
    return _PARAMETER.sub(rf"\1{_HIDDEN}", _USER.sub(f"{_HIDDEN}@", text))


def without_homes(text: str) -> str:
    r"""A text with ``~`` in place of each home folder: ``/home/NAME``, ``/Users/NAME``, ``C:\Users\NAME``."""
    return _HOME.sub("~", text)


def without_homes_inside(value: Any) -> Any:
    """Plain data with ``~`` in place of home folders in all texts; keys of mappings stay."""
    if isinstance(value, Mapping):
        return {name: without_homes_inside(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_homes_inside(each) for each in value]
    return without_homes(value) if isinstance(value, str) else value
