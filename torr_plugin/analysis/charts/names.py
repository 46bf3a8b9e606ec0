"""Names as charts show them: on one line, of bounded length, no two alike."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 30
"""Characters of a model's or data set's name in a chart."""


def shown(name: str, longest: int = LONGEST) -> str:
    """A name without line breaks or anything invisible; its middle is left out where it is too long."""
    cut = name[: 20 * longest] + name[-longest:] if len(name) > 21 * longest else name
    line = " ".join("".join(char if char.isprintable() else " " for char in cut).split()) or "?"
    if len(line) <= longest:
        return line
    head = longest // 2
    return f"{line[:head].rstrip()}…{line[head + 1 - longest :].lstrip()}"


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
