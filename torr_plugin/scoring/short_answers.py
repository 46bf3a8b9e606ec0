"""The short answer in a reply that may hold more: thoughts before it, further lines after it."""

from __future__ import annotations

import re
from itertools import takewhile

from ..core.texts import split_thoughts

LONGEST = 100_000
"""The most characters of a reply that are read."""

_FENCES = ("```", "~~~")
_BOXED = re.compile(r"\\boxed ?\{((?:[^{}]|\{[^{}]{0,500}\}){1,2000})\}")
_MARKER = re.compile(r"(?i)^[ \t>#*_]{0,8}(?:the )?(?:final )?answer[*_]{0,3}(?::| is:?)[*_]{0,3}[ \t]{0,8}")
_NEXT_EXAMPLE = re.compile(r"(?i)^(?:question|table|text|context|<<<)")
_TWO_LINES = re.compile(r"(?i)[^|]{0,30}\b(row|col|first|last)(?:umn)?s?\b[^|]{0,60}")
_BLOCK_START = re.compile(r"[-*+•] |\d{1,3}[.)] |\||[\[{]$|[\[{][^\]}]*$|\\\[$|\$\$$")
_INDEXES = re.compile(r"(?i)(?:(?:rows?|columns?|cols?|index|and|[rc])(?![a-z])|[\W\d_])+")
_VALUE = re.compile(r"(?!.*\w: )[^|(\[][^|]{0,99}(?<![.!?:;,])")


def short_answer(text: str) -> str:
    r"""The answer alone, without what is said before and after it.

    What follows the last thought (``</think>``) counts; in it the contents of ``\boxed{}``, if there are any
    (of several, all of them with ``|`` between); else the first line. Where that line opens a code fence, a
    list, a table, or JSON, all of it is the answer; where it announces one and ends with a colon, what
    follows. So are lines of one kind, a place or a value in each. Where a later line begins with ``Answer:``
    or ``Final answer:`` before another example begins, what follows that is read instead.

    Args:
        text: a reply of any length; of a longer one than :data:`LONGEST` the first line is given.
    """
    if len(text) > LONGEST:
        return text.strip().split("\n", 1)[0].strip()
    said = split_thoughts(text).text.strip()
    boxed = boxed_answers(said)
    if boxed:
        return " | ".join(boxed)
    lines = said.split("\n")
    start = _marked_line(lines)
    return _block(lines[start:])


def boxed_answers(text: str) -> list[str]:
    r"""The contents of ``\boxed{}``, each once."""
    return list(dict.fromkeys(_BOXED.findall(text)))


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
    if _names_two([first, *lines[2:3]]) and not lines[1].strip():
        return f"{first}\n{_paragraph(lines[2:])}"
    return "\n".join(_listed(lines)) if first else ""


def _names_two(lines: list[str]) -> bool:
    """Whether there is a line for rows and one for columns, or for a first and for a last cell."""
    named = [found[1].casefold() for line in lines if (found := _TWO_LINES.fullmatch(line.strip()))]
    return sorted(named) in (["col", "row"], ["first", "last"])


def _listed(lines: list[str]) -> list[str]:
    """The first line, with those below it where each has places, or each a value; one that only repeats."""
    lines = [lines[0].strip(), *(line.strip() for line in takewhile(_goes_on, lines[1:]))]
    places = list(takewhile(_has_indexes, lines))
    values = lines if all(map(_VALUE.fullmatch, lines)) else lines[:1]
    listed = places if len(places) > 1 else values
    return listed if len({*listed}) > 1 else lines[:1]


def _has_indexes(line: str) -> bool:
    """Whether a line has two numbers or more, and otherwise only what stands around indexes."""
    return bool(_INDEXES.fullmatch(line)) and len(re.findall(r"\d+", line)) > 1


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
        if kept and not _goes_on(line):
            break
        kept.append(line)
        depth += sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}")
        if is_json and depth <= 0:
            break
    return "\n".join(kept).strip()


def _goes_on(line: str) -> bool:
    """Whether a line may belong to the answer of the line before it."""
    return bool(line.strip()) and not line.strip().startswith(_FENCES) and not _NEXT_EXAMPLE.match(line)
