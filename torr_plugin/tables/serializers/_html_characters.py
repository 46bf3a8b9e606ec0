"""Characters that must outlive the parsing of HTML, carried through it.

The parser resolves references, after which ``&#32;`` is a blank like any other, and drops what HTML forbids.
So both are written as a mark and a code before, and the mark is a character that the text has nowhere. What
the parser gives back has NUL for the mark, which no HTML can hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SPACE = re.compile(r"&#(?:0*(9|10|12|13|32)|[xX]0*(9|[aA]|[cC]|[dD]|20))(?:;|(?![0-9a-fA-F]))")
_CODES = {"9": "t", "10": "n", "a": "n", "12": "f", "c": "f", "13": "r", "d": "r", "32": "s", "20": "s"}
_LITERAL = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " "}
_REFERENCE = re.compile(
    r"&(?!(?:amp|lt|gt|quot);)(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]{1,31};?)"
)
# control characters, surrogates, and what Unicode reserves
_ODD = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(plane << 16 | end) for plane in range(1, 17) for end in (0xFFFE, 0xFFFF))
    + "]"
)
_CARRIED = re.compile("\0(?:([tnfrs])|x([0-9a-f]{1,6});)")
_AS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_PRIVATE = (*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE))


def carried(text: str) -> tuple[str, Callable[[str], str]]:
    """The text for the parser, and what turns the mark in a text that the parser gives back into NUL."""
    text = text.replace("\0", "\ufffd")
    mark = _mark(text)
    if "&" in text:
        text = _SPACE.sub(lambda match: mark + _CODES[(match[1] or match[2]).lower()], text)
        text = _REFERENCE.sub(_resolved, text)
    if _ODD.search(text):
        text = _ODD.sub(lambda match: f"{mark}x{ord(match[0]):x};", text)
    return text, lambda piece: piece.replace(mark, "\0")


def _mark(text: str) -> str:
    """A character that neither stands in the text nor is meant by a reference in it."""
    import html

    plain = html.unescape(text) if "&" in text else ""
    return next(chr(code) for code in _PRIVATE if chr(code) not in text and chr(code) not in plain)


def _resolved(match: re.Match[str]) -> str:
    """The characters that a reference means, by HTML's own rules; one that means nothing stays as it is."""
    import html

    return re.sub('[&<>"]', lambda special: _AS[special[0]], html.unescape(match[0]))


def restored(text: str) -> str:
    """The text with what was carried back in its place."""
    return _CARRIED.sub(lambda match: _LITERAL[match[1]] if match[1] else chr(int(match[2], 16)), text)
