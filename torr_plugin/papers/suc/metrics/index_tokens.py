# ruff: noqa: RUF001 (typographic dashes and the multiplication sign are read as what they look like)
"""The parts of an answer that counts rows and columns: numbers, words for rows and columns, marks, brackets.

In: an answer. Out: its parts in order, or nothing where any other word or sign stands among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....scoring.answers import QUOTES, without_formatting
from .phrases import VOCABULARY, without_remarks

LONGEST = 10_000
"""The most characters that are read."""

_UNITS_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS, _TENS = _UNITS_WORDS.split(), _TENS_WORDS.split()
_IN_WORDS = {word: number for number, word in enumerate(_UNITS)} | {
    f"{ten}{unit and '-'}{unit}": 20 + 10 * place + number
    for place, ten in enumerate(_TENS)
    for number, unit in enumerate(["", *_UNITS[1:10]])
}
_AXES = {
    **dict.fromkeys(("r", "row", "rows"), "row"),
    **dict.fromkeys(("c", "col", "cols", "column", "columns"), "column"),
}
_JOINING = {"and": "and", "&": "and", "by": "x", "x": "x", "×": "x", "–": "-", "—": "-"}
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,9}})(?![\d]|\.\d)|(?P<tens>(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_UNITS[1:10])})\b)"
    r"|(?P<word>[^\W\d_]+)|(?P<mark>[,|;:/=×–—&\n-])|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]*\d)")
_PLACE = re.compile(r"[(\[]\d{1,9},\d{1,9}[)\]]")
_RULE = re.compile(r"(?m)^[|: ]*-[-|: ]*$\n?")
_IGNORED = frozenset(QUOTES + " \t.!_#*")


@dataclass(frozen=True, slots=True)
class Token:
    """A part of an answer: ``kind`` is ``number``, ``row``, ``column``, ``open``, ``close``, or a mark."""

    kind: str
    number: int = 0
    is_plural: bool = False


def readings(answer: str) -> Iterator[Sequence[Token]]:
    """The tokens of an answer; commas within numbers are between two of them, or part thousands."""
    if len(answer) > LONGEST:
        return
    plain = without_remarks(without_formatting(answer))
    lines = "\n".join(line for each in plain.split("\n") if (line := " ".join(each.split())))
    lines = _RULE.sub("", lines)
    lines = _without_numbering(lines[1:-1] if lines[:1] == "<" and lines[-1:] == ">" else lines)
    whole = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), lines)
    # 9,400 is one number, (9,400) two
    for text in (whole,) if _THOUSANDS.search(_PLACE.sub(" ", lines)) else dict.fromkeys((lines, whole)):
        tokens = _tokens(text)
        if tokens is not None:
            yield tokens


_NUMBERING = re.compile(r"(?m)^(\d{1,3})[.)] ")


def _without_numbering(lines: str) -> str:
    """The lines without ``1.``, ``2.`` before them, if all are numbered so."""
    count = lines.count("\n") + 1
    numbers = [int(number) for number in _NUMBERING.findall(lines)]
    return _NUMBERING.sub("", lines) if count > 1 and numbers == [*range(1, count + 1)] else lines


def _tokens(text: str) -> list[Token] | None:
    """The tokens that matter; None where any other word or sign stands among them."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        kind, sign = found.lastgroup, found[0].casefold()
        if kind == "number":
            tokens.append(Token("number", int(sign)))
        elif kind == "tens":
            tokens.append(Token("number", number_in_words(sign) or 0))
        elif kind in ("open", "close"):
            tokens.append(Token(kind))
        elif sign in _AXES:
            tokens.append(Token(_AXES[sign], is_plural=sign.endswith("s")))
        elif sign in _JOINING or kind == "mark":
            tokens.append(Token(_JOINING.get(sign, sign)))
        elif sign in _RANGE:
            tokens.append(Token("to"))
        elif sign in _IN_WORDS:
            tokens.append(Token("number", _IN_WORDS[sign]))
        elif sign not in _IGNORED and sign not in VOCABULARY:
            return None
    return tokens


_RANGE = ("to", "through")
_LISTED = frozenset(
    first + second for first in ("", ",", ";", "|", "\n", ",\n", ";\n", "|\n") for second in ("", "and")
)
PAIRED = _LISTED | {":", "/", "-", "x"}
RANGED = _LISTED | {"-", "to"}
_LEADING = re.compile(r"(?:and|to|[:=\n|,])*")
_ENDS = frozenset(("", "|", "\n", ",", "\n|"))


def marks_of(tokens: Sequence[Token]) -> list[str]:
    """The marks before the first number, between two neighbours, and after the last one.

    Colons and signs of equality after a word for rows or columns are none.
    """
    between = [""]
    labelled = False
    for token in tokens:
        if token.kind == "number":
            between.append("")
            labelled = False
        elif token.kind in ("row", "column"):
            labelled = True
        elif token.kind not in ("open", "close") and not (labelled and token.kind in ":="):
            between[-1] += token.kind
    return between


def is_list(tokens: Sequence[Token], between: frozenset[str] = PAIRED) -> bool:
    """Whether the marks between numbers are those of a list."""
    first, *inner, last = marks_of(tokens)
    return bool(_LEADING.fullmatch(first)) and last in _ENDS and between.issuperset(inner)


def numbers_of(tokens: Sequence[Token]) -> list[int]:
    """The numbers in order."""
    return [token.number for token in tokens if token.kind == "number"]


def axes_of(tokens: Sequence[Token]) -> str:
    """The order of numbers, rows, and columns, a letter each: ``nrnc`` for ``9 rows, 4 columns``."""
    return "".join(token.kind[0] for token in tokens if token.kind in ("number", "row", "column"))


def number_in_words(word: str) -> int | None:
    """``nine`` as 9; from zero to ninety-nine."""
    return _IN_WORDS.get("-".join(word.casefold().replace("-", " ").split()))
