"""Answers by matching words: reads the table back and finds what the question names in it."""

from __future__ import annotations

from .calculating import calculated_answer
from .describing import description, is_description
from .labels import label_answer, labels_of
from .looking_up import cell_answer, window_answer
from .prompt_parts import split_prompt
from .reading import Reading, read_asked


def lexical_answer(prompt: str) -> str:
    """An answer from the prompt's text alone; no text where the prompt has no table."""
    parts = split_prompt(prompt)
    reading = read_asked(parts)
    if not reading.table_text.strip():
        return ""
    labels = labels_of(parts)
    if labels:
        return label_answer(reading, labels)
    if is_description(parts, reading):
        return description(reading)
    return _looked_up(reading)


def _looked_up(reading: Reading) -> str:
    if reading.grid is None or not reading.grid.rows:
        return window_answer(reading.table_text, reading.question)
    calculated = calculated_answer(reading.grid, reading.question)
    return cell_answer(reading.grid, reading.question) if calculated is None else calculated
