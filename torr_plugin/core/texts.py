"""The normal form of a short answer, and how many tokens a text takes."""

from __future__ import annotations

import re

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
