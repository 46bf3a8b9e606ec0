"""Keys and passwords inside of texts, by the names before them or by the shapes that issuers give them."""

from __future__ import annotations

import re

from ...core.redaction import masked

# long and random enough to be no word
_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|xox[abpr]-[\w-]{10,}"
    r"|AIza[\w-]{30,}|glpat-[\w-]{20,})|\bBearer\s+[\w.~+/-]{16,}"
)


def without_keys(text: str) -> str:
    """The text with ``...`` in place of each key."""
    return _SHAPES.sub("...", masked(text))
