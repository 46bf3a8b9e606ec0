"""A random cell: what can be had by reading nothing but where cells are."""

from __future__ import annotations

from ...core.seeds import seed as seed_of
from .prompt_parts import split_prompt
from .reading import read_asked


def random_cell_answer(prompt: str, seed: int = 0) -> str:
    """A cell of the body of the table that is asked about, drawn by ``seed`` and the prompt.

    Equal prompts get equal answers, in whatever order and batch they come. Where no cells can be told apart
    (``concat``), one word of the table is drawn.
    """
    reading = read_asked(split_prompt(prompt))
    if reading.grid is None:
        choices = reading.table_text.split()
    else:
        choices = [cell for row in reading.grid.rows for cell in row if cell.strip()]
    if not choices:
        return ""
    return choices[seed_of(seed, "torr-random-cell", prompt) % len(choices)]
