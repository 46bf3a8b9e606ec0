"""The baselines' answers: by matching words, a random cell, the most frequent demonstration.

In: the text of a prompt. Out: an answer.
"""

from __future__ import annotations

import re
from collections import Counter

from ...core.seeds import seed as seed_of
from .calculation import calculated_answer
from .fact_verification import label_answer, labels_of
from .matching import best, match, number, words
from .reading import Grid, PromptParts, Reading, read_example, split_prompt


def lexical_answer(prompt: str) -> str:
    """An answer from the prompt's text alone; no text where the prompt has no table."""
    parts = split_prompt(prompt)
    reading = read_example(parts)
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


def cell_answer(grid: Grid, question: str) -> str:
    """The cell at the best row and column; the column is not one whose cell the question itself names."""
    found = match(grid, question)
    row = found.best_row
    given = found.named[row][:1] if found.rows[row] > 0 else ()
    column = best(
        (weight, c) for c, weight in enumerate(found.columns) if c not in given and grid.rows[row][c].strip()
    )
    if column is None:
        column = _unnamed_column(grid, row, given)
    return grid.rows[row][column]


def _unnamed_column(grid: Grid, row: int, given: tuple[int, ...]) -> int:
    """Where no column is named: the first that is neither given nor empty nor a running number."""
    free = [c for c in range(len(grid.columns)) if c not in given and grid.rows[row][c].strip()]
    texts = [c for c in free if number(grid.rows[row][c]) is None]
    return (texts or free or [0])[0]


def window_answer(text: str, question: str, width: int = 12) -> str:
    """The word that follows the question's words most closely, in a table without cells.

    A number is preferred after the words ``how many`` or ``how much``, else a word that the question does not
    hold.
    """
    tokens, asked = text.split(), set(words(question))
    if not tokens:
        return ""
    hits = [bool(asked.intersection(words(token))) for token in tokens]
    wants_number = "how many" in question.lower() or "how much" in question.lower()
    free = [at for at, hit in enumerate(hits) if not hit and words(tokens[at])]
    numbers = [at for at in free if number(tokens[at]) is not None]
    choices = numbers if wants_number and numbers else free or list(range(len(tokens)))
    return tokens[max(choices, key=lambda at: (_closeness(hits, at, width), -at))]


def _closeness(hits: list[bool], at: int, width: int) -> float:
    """The sum of 1 / distance over the hits before a word, at most ``width`` words back."""
    return sum(1 / (at - hit) for hit in range(max(0, at - width), at) if hits[hit])


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
        text = " ".join(reading.table_text.split()[:40])
        return f"{title}. {text}" if title else text
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


def random_cell_answer(prompt: str, seed: int = 0) -> str:
    """A cell of the body of the table that is asked about, drawn by ``seed`` and the prompt.

    Equal prompts get equal answers, in whatever order and batch they come. Where the format does not separate
    cells (``concat``), one word of the table is drawn.
    """
    reading = read_example(split_prompt(prompt))
    if reading.grid is None:
        choices = reading.table_text.split()
    else:
        choices = [cell for row in reading.grid.rows for cell in row if cell.strip()]
    if not choices:
        return ""
    return choices[seed_of(seed, "torr-random-cell", prompt) % len(choices)]


def majority_answer(prompt: str) -> str:
    """The most frequent of the demonstrations' answers, of equally frequent ones the first; none: no text."""
    answers = Counter(split_prompt(prompt).answers)
    return answers.most_common(1)[0][0] if answers else ""
