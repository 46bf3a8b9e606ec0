"""Text that holds a table: parsed, never run, and refused where it is too long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.errors import TableError

LONGEST = 5_000_000
WRONG = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)


def parsed(
    text: object,
    parse: Callable[[str], Any],
    what: str,
    *,
    expected: tuple[str, str],
    verbs: tuple[str, str] = ("is", "starts"),
) -> Any:
    """What ``parse`` makes of ``text``.

    Args:
        text: at most ``LONGEST`` characters.
        parse: raises one of ``WRONG`` on what it cannot read.
        what: names the text in messages.
        expected: the kind of text, as it is called alone and where its beginning was shown.
        verbs: that follow ``what``.

    Raises:
        TableError: no text, too long a one, or one that ``parse`` cannot read.
    """
    is_, starts = verbs
    if not isinstance(text, str) or len(text) > LONGEST:
        found = f"{len(text)} characters" if isinstance(text, str) else type(text).__name__
        raise TableError(f"{what} {is_} {found}; expected {expected[0]} of at most {LONGEST} characters")
    try:
        return parse(text)
    except WRONG as error:
        reason = str(error).splitlines()[0][:80] if str(error) else type(error).__name__
        raise TableError(f"{what} {starts} with {text[:40]!r}; expected {expected[1]} ({reason})") from None
