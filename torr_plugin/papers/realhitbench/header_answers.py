# ruff: noqa: RUF001 (quotation marks as models write them)
"""Read header tuples in a model's answer, however it wrote them; never fails, in time linear in the text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from ...tables.header_tree import HeaderNode
from ...tables.header_tuples import Axis, HeaderTuple

LONGEST_ANSWER = 200_000
"""The most characters of an answer that are read."""

MOST_TUPLES = 10_000
LONGEST_LABEL = 2_000
_LONGEST_BARE = 300  # of a label without quotation marks but with brackets of its own

# (R0, 1, 2, ...), ["R0", 1, 2, ...], R0 | 1 | 2 | ..., Row 0: 1-2: ...; every repetition is bounded
_HEAD = re.compile(
    r"""
    (?P<open>[(\[{])? [\s"'`*]{0,8} (?<![^\W_])
    (?P<axis>r(?:ow)?|c(?:ol(?:umn)?)?) [\s_,;|:"'`*]{0,6} (?P<level>\d{1,2}) ["'`*]{0,4}
    \s{0,4} [,;|:(] [\s"'`*(\[]{0,8} (?P<start>\d{1,7}) ["'`]{0,2}
    (?P<last> \s{0,4} (?:[,;|–-]|\.\.|to) [\s"'`]{0,8} (?P<end>\d{1,7}) ["'`]{0,2} )?
    (?(last)|(?(open)|(?!)))  # one position alone counts in brackets only, not in prose
    \s{0,4} [,;|:)] [^\S\n]{0,4} :? [^\S\n]{0,4}
    """,
    re.I | re.X,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_QUOTES = {"'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", '"': '"'}
_AFTER_TEXT = re.compile(r"\s{0,8}(?:[)\]}|,;\n]|$)")
_DECODER = json.JSONDecoder(strict=False)

# an object's own values, up to the objects inside it
_OBJECT = re.compile(r"\{([^{}]{1,4000})")
_PAIR = re.compile(r'"(\w{1,20})"\s{0,4}:\s{0,4}("(?:[^"\\]|\\.){0,2000}"|-?\d{1,7})')
_NAMES = {
    "axis": ("axis", "flag", "type", "t1"),
    "level": ("level", "depth"),
    "start": ("start", "t2", "from", "begin"),
    "end": ("end", "t3", "to", "stop"),
    "text": ("text", "t4", "value", "label", "content", "name"),
}
_AXIS = re.compile(r"\s*([rc])[a-z\s_]{0,16}(\d{1,2})?", re.I)


def read_header_tuples(answer: str) -> tuple[HeaderTuple, ...]:
    """The header tuples in a text, each once, in their order.

    Tuples may stand in round or square brackets, in a list or a table of Markdown, or be objects of JSON
    (``{"axis": "R", "level": 0, "start": 1, "end": 2, "text": "City"}``, nested ones too); the label in
    quotation marks or bare, with commas and brackets in it. One position stands for start and end, and
    reversed ones are put in order. What has no label (ROOT, a blank header) is left out, whatever else the
    text holds is passed over.

    Of the answer the first ``LONGEST_ANSWER`` characters are read, at most ``MOST_TUPLES`` tuples, and
    ``LONGEST_LABEL`` characters of a label.
    """
    text = answer[:LONGEST_ANSWER]
    return tuple(dict.fromkeys(islice(chain(_written(text), _objects(text)), MOST_TUPLES)))


def _written(text: str) -> Iterator[HeaderTuple]:
    at = 0
    while head := _HEAD.search(text, at):
        label, at = _label(text, head)
        yield from _tuple(head["axis"], head["level"], head["start"], head["end"], label)


def _tuple(axis: str, level: str, start: str, end: str | None, label: str) -> Iterator[HeaderTuple]:
    """The tuple of what was read, if it has a label."""
    label = label.strip()[:LONGEST_LABEL].rstrip()
    first, last = sorted((int(start), int(end or start)))
    if label:
        yield HeaderTuple("R" if axis[0] in "rR" else "C", int(level), first, last, label)


def _label(text: str, head: re.Match[str]) -> tuple[str, int]:
    """The label after the numbers of a tuple, and where it ends."""
    part = text[head.end() : head.end() + 6 * LONGEST_LABEL]
    label, size = _quoted(part) or _bare(part, head["open"])
    return label, head.end() + size


def _quoted(part: str) -> tuple[str, int] | None:
    """The text in quotation marks at the beginning, if a tuple can end behind them."""
    if part.startswith('"'):
        try:
            label, size = _DECODER.raw_decode(part)
        except ValueError:
            return None
        return (label, size) if _AFTER_TEXT.match(part, size) else None
    closing = _QUOTES.get(part[:1])
    end = part.find(closing, 1) if closing else -1
    while end > 0 and not _AFTER_TEXT.match(part, end + 1):
        end = part.find(closing or "", end + 1)
    # a mark that is never closed must not take in the tuples that follow
    return (part[1:end], end + 1) if end > 0 and not _HEAD.search(part, 1, end) else None


def _bare(part: str, opening: str) -> tuple[str, int]:
    """The text up to the bracket that closes the tuple, or to the end of the line or of a table's cell."""
    line = part[:LONGEST_LABEL].partition("\n")[0]
    size = _closed(line, opening) if opening else line.find("|")
    label = line[:size] if size >= 0 else line
    return _without_marks(label), len(label)


def _closed(line: str, opening: str) -> int:
    """The place of the bracket that closes the tuple; -1 without any."""
    closing, depth = _CLOSING[opening], 1
    for place, sign in enumerate(line[:_LONGEST_BARE]):
        depth += (sign == opening) - (sign == closing)
        if not depth:
            return place
    return line.find(closing)


def _without_marks(label: str) -> str:
    """Without Markdown's marks and the quotation marks around it."""
    label = label.strip().rstrip(",;").strip("*` ")
    closing = _QUOTES.get(label[:1])
    return label[1:-1] if closing and len(label) > 1 and label.endswith(closing) else label


def _objects(text: str) -> Iterator[HeaderTuple]:
    for match in _OBJECT.finditer(text):
        values = dict(_PAIR.findall(match[1]))
        axis = _AXIS.match(_value(values, "axis"))
        level = (axis[2] if axis else None) or _value(values, "level")
        start, end = _value(values, "start"), _value(values, "end")
        if axis and level.isdecimal() and start.isdecimal():
            yield from _tuple(axis[1], level, start, end if end.isdecimal() else None, _value(values, "text"))


def _value(values: Mapping[str, str], what: str) -> str:
    """A value of an object, under any of its names, as text; empty without it."""
    written = next((values[name] for name in _NAMES[what] if name in values), "")
    try:
        return str(_DECODER.decode(written)) if written else ""
    except ValueError:
        return ""


# from tuples to trees


def tree_roots(tuples: Iterable[HeaderTuple], axis: Axis) -> tuple[HeaderNode, ...]:
    """The children of ROOT in the tree that follows from the tuples of one axis.

    A tuple's parent is one whose range contains its own, on the nearest level above that has such a tuple; of
    several that overlap the one that starts last. Without one it is ROOT. This is the paper's rule, but that
    tuples of one row have parents too. No order of the tuples makes a difference, equal ones count once, and
    no tuple can lie below itself, as parents have lower levels.
    """
    ordered = sorted({each for each in tuples if each.axis == axis}, key=_outside_in)
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(_parents(ordered)):
        children.setdefault(parent, []).append(place)
    nodes: dict[int, HeaderNode] = {}
    for place in sorted(range(len(ordered)), key=lambda place: -ordered[place].level):
        below = tuple([nodes[child] for child in children.get(place, ())])
        each = ordered[place]
        nodes[place] = HeaderNode(each.text, each.start, each.end + 1, below)
    return tuple([nodes[place] for place in children.get(_ROOT, ())])


_ROOT = -1


def _outside_in(each: HeaderTuple) -> tuple[int, int, int, str]:
    return each.start, -each.end, each.level, each.text


def _parents(ordered: Sequence[HeaderTuple]) -> list[int]:
    """For each tuple the place of its parent.

    For each level the tuples that may still contain a later one are held with falling ends: where one begins
    later than another and does not end before it, the other is no candidate any more.
    """
    held: dict[int, list[tuple[int, int]]] = {}  # (-end, place)
    found = []
    for place, each in enumerate(ordered):
        parent = _ROOT
        for level in sorted((level for level in held if level < each.level), reverse=True):
            containing = bisect_right(held[level], (-each.end, len(ordered)))
            if containing:
                parent = held[level][containing - 1][1]
                break
        found.append(parent)
        rivals = held.setdefault(each.level, [])
        while rivals and -rivals[-1][0] <= each.end:
            rivals.pop()
        rivals.append((-each.end, place))
    return found
