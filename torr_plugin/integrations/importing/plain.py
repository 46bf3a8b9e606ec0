"""Foreign names, made fit for the columns of a run."""

from __future__ import annotations

import hashlib
import re

_MOST = 120


def plain_name(text: str) -> str:
    """A name without slashes, blanks and control characters; a long one is cut and given a hash.

    The parts of a configuration are joined by ``/``, so no part may hold one.
    """
    plain = re.sub(r"[^\w.+=:-]+", "_", text).strip("_") or "unnamed"
    if len(plain) <= _MOST:
        return plain
    return f"{plain[:_MOST]}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def plain_text(text: str) -> str:
    """A text that can be written anywhere: halves of characters become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def digest(*parts: str) -> str:
    """32 hex digits that stand for some texts."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.hexdigest()[:32]
