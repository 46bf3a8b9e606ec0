"""The baselines' answers: by matching words, a random cell, the most frequent demonstration.

In: the text of a prompt. Out: an answer.
"""

from __future__ import annotations

import re
from collections import Counter

from ...core.seeds import seed as seed_of
from .calculation import calculated_answer
from .cells import cell_answer, window_answer
from .document_answers import document_answer, document_description
from .documents import has_paragraphs, read_document
from .fact_verification import label_answer, labels_of
from .json_form import WorkedAnswer, asks_for_json, with_plain_answers
from .matching import number
from .reading import PromptParts, Reading, read_example, split_prompt
from .structural_answers import structural_answer


def lexical_answer(prompt: str) -> str:
    """An answer from the prompt's text alone; no text where the prompt has no table.

    Where it asks for JSON with steps and answer, that.
    """
    parts = split_prompt(prompt)
    if not asks_for_json(parts):
        return _answered(parts).answer
    return _answered(with_plain_answers(parts), is_document=True).as_json


def _answered(parts: PromptParts, *, is_document: bool = False) -> WorkedAnswer:
    """The answer to a prompt that shows a table, or a document with one or several."""
    structural = None if is_document else structural_answer(parts)
    if structural is not None:
        return WorkedAnswer(structural)
    document = read_document(parts) if is_document or has_paragraphs(parts) else None
    if document is not None and (is_document or len(document.tables) > 1):
        is_text = is_description(parts, document.question)
        return document_description(document) if is_text else document_answer(document)
    reading = read_example(parts)
    if not reading.table_text.strip():
        return WorkedAnswer("")
    labels = labels_of(parts)
    if labels:
        return WorkedAnswer(label_answer(reading, labels))
    if is_description(parts, reading.question):
        return WorkedAnswer(description(reading))
    return WorkedAnswer(_looked_up(reading))


def _looked_up(reading: Reading) -> str:
    if reading.grid is None or not reading.grid.rows:
        return window_answer(reading.table_text, reading.question)
    calculated = calculated_answer(reading.grid, reading.question)
    return cell_answer(reading.grid, reading.question) if calculated is None else calculated


_DESCRIBE = re.compile(
    r"\b(?:describe|description|paragraph|sentences?|summari[sz]e|summary|verbali[sz]e|report)\b",
    re.IGNORECASE,
)
_MANY_WORDS = 12
_MOST_ROWS = 3
_MOST_CELLS = 4


def is_description(parts: PromptParts, question: str) -> bool:
    """Whether a prompt asks for running text: its demonstrations show some, or its instruction says so."""
    if parts.answers:
        return sum(len(answer.split()) for answer in parts.answers) > _MANY_WORDS * len(parts.answers)
    return bool(_DESCRIBE.search(parts.instruction)) and "?" not in question


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
    """A cell of the body of the table that is asked about, or of any table of a document.

    It is drawn by ``seed`` and the prompt: equal prompts get equal answers, in whatever order they come.
    Where the format does not separate cells (``concat``), one word of the table is drawn.
    """
    parts = split_prompt(prompt)
    choices = _all_cells(parts)
    if not choices:
        return ""
    chosen = choices[seed_of(seed, "torr-random-cell", prompt) % len(choices)]
    return WorkedAnswer(chosen).as_json if asks_for_json(parts) else chosen


def _all_cells(parts: PromptParts) -> list[str]:
    """The filled cells of the body of the table, or of all tables of a document."""
    document = read_document(parts) if asks_for_json(parts) or has_paragraphs(parts) else None
    if document is not None and (asks_for_json(parts) or len(document.tables) > 1):
        if not document.tables:
            return document.text.split()
        grids = [shown.grid for shown in document.tables]
    else:
        reading = read_example(parts)
        if reading.grid is None:
            return reading.table_text.split()
        grids = [reading.grid]
    return [cell for grid in grids for row in grid.rows for cell in row if cell.strip()]


def majority_answer(prompt: str) -> str:
    """The most frequent of the demonstrations' answers, of equally frequent ones the first; none: no text."""
    answers = Counter(split_prompt(prompt).answers)
    return answers.most_common(1)[0][0] if answers else ""
