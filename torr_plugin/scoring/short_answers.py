"""The short answer in a reply that may hold more: thoughts before it, further lines after it."""

from __future__ import annotations

import re

LONGEST = 100_000
"""The most characters of a reply that are read."""

_FENCES = ("```", "~~~")
_BOXED = re.compile(r"\\boxed ?\{((?:[^{}]|\{[^{}]{0,500}\}){1,2000})\}")
_MARKER = re.compile(r"(?i)^[ \t>#*_]{0,8}(?:the )?(?:final )?answer[*_]{0,3}(?::| is:?)[*_]{0,3}[ \t]{0,8}")
_NEXT_EXAMPLE = re.compile(r"(?i)^(?:question|table|text|context|<<<)")
_TWO_LINES = re.compile(r"(?i)[^|]{0,30}\b(row|col|first|last)(?:umn)?s?\b[^|]{0,60}")
_BLOCK_START = re.compile(r"[-*+•] |\d{1,3}[.)] |\||[\[{]$|[\[{][^\]}]*$|\\\[$|\$\$$")


def short_answer(text: str) -> str:
    r"""The answer alone, without what is said before and after it.

    What follows the last thought (``</think>``) counts; in it the contents of ``\boxed{}``, if there are any
    (of several, all of them with ``|`` between); else the first line. Where that line opens a code fence, a
    list, a table, or JSON, all of it is the answer; where it announces one and ends with a colon, what
    follows. Where a later line begins with ``Answer:`` or ``Final answer:`` before another example begins,
    what follows that is read instead.

    Args:
        text: a reply of any length; of a longer one than :data:`LONGEST` the first line is given.
    """
    if len(text) > LONGEST:
        return text.strip().split("\n", 1)[0].strip()
    said = text.rpartition("</think>")[2].strip()
    boxed = list(dict.fromkeys(_BOXED.findall(said)))
    if boxed:
        return " | ".join(boxed)
    lines = said.split("\n")
    start = _marked_line(lines)
    return _block(lines[start:])


def _marked_line(lines: list[str]) -> int:
    """The line that says that the answer follows; the first line where none does."""
    marked = 0
    for at, line in enumerate(lines):
        if at and _NEXT_EXAMPLE.match(line.strip()):
            break
        if _MARKER.match(line):
            marked = at
    return marked


def _block(lines: list[str]) -> str:
    """The first line, or all of the fence, list, table, or JSON that it opens or announces."""
    first = lines[0].strip()
    following = next((at for at, line in enumerate(lines) if at and line.strip()), None)
    if following is None or not first.rstrip("*_ ").endswith(":"):
        return _opened(lines)
    block = _opened(lines[following:])
    return block if _MARKER.match(first) else f"{first}\n{block}"


def _opened(lines: list[str]) -> str:
    """The first line, or all of the fence, list, table, or JSON that it opens."""
    first = lines[0].strip()
    if first.startswith(_FENCES):
        return _fence(lines)
    if first and (_BLOCK_START.match(first) or _names_two(lines[:2])):
        return _paragraph(lines)
    return first


def _names_two(lines: list[str]) -> bool:
    """Whether there is a line for rows and one for columns, or for a first and for a last cell."""
    named = [found[1].casefold() for line in lines if (found := _TWO_LINES.fullmatch(line.strip()))]
    return sorted(named) in (["col", "row"], ["first", "last"])


def _fence(lines: list[str]) -> str:
    mark = lines[0].strip()[:3]
    inner = []
    for line in lines[1:]:
        if line.strip().startswith(mark):
            break
        inner.append(line)
    return "\n".join(inner).strip()


def _paragraph(lines: list[str]) -> str:
    """The lines up to a blank one, or to the end of the brackets that the first line opens."""
    kept: list[str] = []
    is_json, depth = lines[0].strip()[:1] in ("[", "{"), 0
    for line in lines:
        if not line.strip() or line.strip().startswith(_FENCES) or (kept and _NEXT_EXAMPLE.match(line)):
            break
        kept.append(line)
        depth += sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}")
        if is_json and depth <= 0:
            break
    return "\n".join(kept).strip()
