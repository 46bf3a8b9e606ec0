"""Names as charts show them: on one line, of bounded length, no two alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 30
"""Characters of a model's or data set's name in a chart."""


def shown(name: str, longest: int = LONGEST) -> str:
    """A name without line breaks or anything invisible; its middle is left out where it is too long.

    What is left out are whole words, where that costs no more than a third of either end.
    """
    cut = name[: 20 * longest] + name[-longest:] if len(name) > 21 * longest else name
    line = " ".join("".join(char if char.isprintable() else " " for char in cut).split()) or "?"
    if len(line) <= longest:
        return line
    head = longest // 2
    return f"{_begins(line, head)}…{_ends(line, longest - head - 1)}"


def _begins(line: str, length: int) -> str:
    """The beginning of a line, up to the end of a word if one is near."""
    ends = [end.end() for end in re.finditer(r"[^\W_](?=[\W_])", line[: length + 1])]
    near = [end for end in ends if 3 * end >= 2 * length]
    return line[: near[-1] if near else length].rstrip()


def _ends(line: str, length: int) -> str:
    """The end of a line, from the beginning of a word if one is near."""
    tail = line[-length - 1 :]
    starts = [len(tail) - start.start() for start in re.finditer(r"(?<=[\W_])[^\W_]", tail)]
    near = [start for start in starts if 3 * start >= 2 * length]
    return line[-(near[0] if near else length) :].lstrip()


def labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Name -> label, in the given order; names that would look alike are numbered."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label, number = shown(name, longest), 1
        while label in taken:
            number += 1
            label = f"{shown(name, longest - 4)} ({number})"
        taken.add(label)
        found[name] = label
    return found
