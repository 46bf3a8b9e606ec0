# ruff: noqa: RUF001 (signs that look like a minus are read as one)
"""The normal form of a short answer, LaTeX read as text, and how many tokens a text takes."""

from __future__ import annotations

import re
import unicodedata

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


_PIECE = re.compile(r" ?[^\W\d_]{1,7}|\d{1,3}|[^\S\n]+|\n+|[^\w\s]{1,2}|_")


def token_pieces(text: str) -> int:
    """Estimate the tokens of a table's text, to compare formats by: the pieces that tokenizers cut it into.

    A piece is a word of up to seven letters with the space before it, three digits, white space, or two
    other signs.
    """
    return sum(1 for _ in _PIECE.finditer(text))


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


CHARACTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take up to twice as
    many.
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)
