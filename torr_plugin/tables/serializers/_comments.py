"""Leading ``#`` lines, in which the formats that know such comments tell a table's structure."""

from __future__ import annotations

from collections.abc import Iterable


def comments(lines: Iterable[str]) -> str:
    """The lines as comments, each ended by a newline."""
    return "".join(f"# {line}\n" for line in lines)


def leading_comments(text: str) -> tuple[list[str], int]:
    """The comments that a text begins with, and where the rest of it begins."""
    lines, start = [], 0
    while text.startswith("#", start):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(text[start + 1 : end].removeprefix(" ").removesuffix("\r"))
        start = end + 1
    return lines, start
