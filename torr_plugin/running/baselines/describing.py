"""A sentence about a table, for tasks that ask for a description."""

from __future__ import annotations

import re

from .prompt_parts import PromptParts
from .reading import Reading
from .words import number

_DESCRIBE = re.compile(
    r"\b(?:describe|description|paragraph|sentences?|summari[sz]e|summary|verbali[sz]e|report)\b",
    re.IGNORECASE,
)
_MANY_WORDS = 12
_MOST_ROWS = 3
_MOST_CELLS = 4


def is_description(parts: PromptParts, reading: Reading) -> bool:
    """Whether a prompt asks for running text: its demonstrations show some, or its instruction says so."""
    if parts.answers:
        return sum(len(answer.split()) for answer in parts.answers) > _MANY_WORDS * len(parts.answers)
    return bool(_DESCRIBE.search(parts.instruction)) and "?" not in reading.question


def description(reading: Reading) -> str:
    """The title, what the columns are, and the leading rows, as sentences."""
    grid = reading.grid
    title = " ".join(reading.question.split()).rstrip(".")
    if grid is None:
        return (
            f"{title}. " + " ".join(reading.table_text.split()[:40])
            if title
            else " ".join(reading.table_text.split()[:40])
        )
    sentences = [title] if title else []
    for row in grid.rows[:_MOST_ROWS]:
        name = next((cell for cell in row if cell.strip() and number(cell) is None), row[0])
        facts = [
            f"{cell} {column}".strip()
            for column, cell in zip(grid.columns, row, strict=True)
            if cell.strip() and cell != name
        ]
        sentences.append(f"{name} has " + ", ".join(facts[:_MOST_CELLS]) if facts else name)
    return ". ".join(sentences) + "."
