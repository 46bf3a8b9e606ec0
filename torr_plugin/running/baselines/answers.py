"""The baselines' answers: by matching words, a random cell, the most frequent demonstration.

In: the text of a prompt. Out: an answer.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from ...core.seeds import seed as seed_of
from .reading import PlainPrompt, PlainTable, number, read_prompt, words


def majority_answer(prompt: str) -> str:
    """The most frequent of the demonstrations' answers, of equally frequent ones the first; none: no text."""
    answers = Counter(read_prompt(prompt).answers)
    return answers.most_common(1)[0][0] if answers else ""


def random_cell_answer(prompt: str, seed: int = 0) -> str:
    """A cell of a table's body, drawn by ``seed`` and the prompt; a word where nothing separates cells."""
    asked = read_prompt(prompt)
    cells = [cell for table in asked.tables for row in table.body for cell in row if cell]
    choices = cells or asked.text.split() or [""]
    return _in_form(asked, choices[seed_of(seed, "torr-random-cell", prompt) % len(choices)])


def lexical_answer(prompt: str) -> str:
    """What matching the question's words to a table's rows and columns finds.

    A label for a statement; sentences where a description is asked for; else what a question asks to
    calculate, or a cell.
    """
    asked = read_prompt(prompt)
    table = _table_asked_about(asked)
    if labels := _labels(asked):
        holds = _holds(table, asked.question) if table else _is_near(asked)
        return labels[0 if holds else 1]
    if _asks_for_text(asked):
        return _in_form(asked, _description(asked, table))
    return _in_form(asked, _found(table, asked.question) if table else _nearest_word(asked))


def _in_form(asked: PlainPrompt, answer: str) -> str:
    """The answer as JSON with steps, where the prompt asks for it."""
    return json.dumps({"steps": "", "answer": answer}, ensure_ascii=False) if asked.wants_json else answer


def _table_asked_about(asked: PlainPrompt) -> PlainTable | None:
    """The table that shares most words with the question, in it or right before; a rare word weighs more."""
    if len(asked.tables) < 2:
        return asked.tables[0] if asked.tables else None
    wanted = set(words(asked.question))
    shared = [
        wanted.intersection(words(" ".join([t.before, *map(" ".join, (*t.header, *t.body))])))
        for t in asked.tables
    ]
    counts = Counter(word for each in shared for word in each)
    weights = [sum(math.log(1 + len(shared) / counts[word]) for word in each) for each in shared]
    return asked.tables[max(range(len(weights)), key=weights.__getitem__)]


_LABELS = (
    ("entailed", "refuted"),
    ("supported", "refuted"),
    ("entailment", "contradiction"),
    ("yes", "no"),
    ("true", "false"),
)
"""How prompts say that a statement holds, and that it does not."""


def _labels(asked: PlainPrompt) -> tuple[str, str] | None:
    """The labels of statements as the demonstrations show them, else as the instruction writes them."""
    shown = asked.answers or re.findall(r"[A-Za-z]+", asked.instruction)
    said = {answer.strip(" .").lower(): answer for answer in shown}
    for holds, fails in _LABELS:
        if said.keys() <= {holds, fails} if asked.answers else {holds, fails} <= said.keys():
            return said.get(holds, holds), said.get(fails, fails)
    return None


def _holds(table: PlainTable, statement: str) -> bool:
    """Whether two cells compare as a statement says, a result is that, or a row has its numbers."""
    left, right = (_numbers(table, half) for half in (statement.partition(" than ")[::2]))
    if " than " in statement and left and right:
        return (left[0] > right[0]) is bool(re.search(r"\b(?:more|higher|greater|larger)\b", statement))
    subject, _, claim = re.sub(r" (?:is|are) ", "\n", statement).rpartition("\n")
    claimed = [word for word in words(claim) if word[0].isdigit()]
    if claimed and (found := _calculated(table, subject) or list(map(_written, _numbers(table, subject)))):
        return claimed == found[: len(claimed)]
    asked = words(statement)
    row = table.body[_best(table.body, frozenset(asked))[0]] if table.body else ()
    known = {*words(" ".join(row)), *words(" ".join(table.header[0]))}
    has_numbers = all(word in known for word in asked if word[0].isdigit())
    return has_numbers and 2 * sum(word in known for word in asked) >= len(asked)


def _asks_for_text(asked: PlainPrompt) -> bool:
    """Whether the demonstrations show sentences; without any, whether the instruction says so."""
    if asked.answers and not asked.wants_json:
        return sum(len(answer.split()) for answer in asked.answers) > 12 * len(asked.answers)
    return re.search(r"(?i)\b(?:describe|paragraph|sentences|summary)\b", asked.instruction) is not None


def _description(asked: PlainPrompt, table: PlainTable | None) -> str:
    """The caption and the leading rows, as sentences; of a table without cells its first words."""
    if table is None:
        return f"{asked.question} {' '.join(asked.text.split()[:40])}"
    rows = [
        f"{row[0]} has "
        + ", ".join(f"{cell} {name}" for name, cell in zip(table.header[0][1:], row[1:], strict=False))
        for row in table.body[:3]
    ]
    return ". ".join([asked.question.rstrip("."), *rows]) + "."


_FUNCTION = re.compile(
    r"\b(?:(?P<difference>difference)|(?P<mean>average|mean)|(?P<sum>total|sum|altogether|overall)"
    r"|(?P<highest>maximum|highest|most|largest|greatest|longest|latest|last|best)"
    r"|(?P<lowest>minimum|lowest|least|smallest|fewest|shortest|earliest|first|worst))\b"
    r'(?=[^"]*(?:"[^"]*"[^"]*)*$)',  # not within quotation marks
    re.IGNORECASE,
)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "difference": lambda values: max(values) - min(values),
    "mean": fmean,
    "sum": sum,
    "highest": max,
    "lowest": min,
}


def _found(table: PlainTable, question: str) -> str:
    """What a question about a table asks for: a name, results, how many rows there are, or a cell."""
    asked, body = frozenset(words(_FUNCTION.sub(" ", question))), table.body
    rows, columns = _selected(table, asked)
    if not rows:
        return ""
    if re.search(r"(?i)\b(?:which|who|whose)\b", question) and (function := _FUNCTION.search(question)):
        numbers = {r: value for r, row in enumerate(body) for value in _numbers_of(row, columns)[:1]}
        if numbers and function.lastgroup in ("highest", "lowest"):
            extreme = max if function.lastgroup == "highest" else min
            return body[extreme(numbers, key=numbers.__getitem__)][0]
    if results := _calculated(table, question):
        return " || ".join(results)
    if len(rows) > 1 and re.search(r"(?i)\bhow many\b", question):
        return str(len(rows))
    row = body[rows[0]]
    free = [c for c, cell in enumerate(row) if cell and not _named([cell], asked)]
    cell = row[([c for c in columns if c in free] or free or [0])[0]]
    unit = _UNIT.search(" ".join([table.before, *map(" ".join, table.header)]))
    return f"{cell} {unit[1]}" if unit and number(cell) is not None else cell


_UNIT = re.compile(r"\(in (thousand|million|billion)s\b")


def _calculated(table: PlainTable, text: str) -> list[str]:
    """The results of the functions that a text names, in its order, over the numbers that it selects."""
    values = _numbers(table, _FUNCTION.sub(" ", text))
    names = [str(found.lastgroup) for found in _FUNCTION.finditer(text)]
    return [_written(_FUNCTIONS[name](values)) for name in names] if values else []


def _written(value: float) -> str:
    """A number as an answer: at most two decimals, none where it is whole."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _numbers(table: PlainTable, text: str) -> list[float]:
    """The numbers where the rows and columns that a text selects meet."""
    rows, columns = _selected(table, frozenset(words(text)))
    return [value for r in rows for value in _numbers_of(table.body[r], columns)]


def _numbers_of(row: Sequence[str], columns: Sequence[int]) -> list[float]:
    found = (number(row[c]) for c in columns)
    return [value for value in found if value is not None]


def _selected(table: PlainTable, asked: frozenset[str]) -> tuple[list[int], list[int]]:
    """The rows, by all their cells, and the columns, by their header, that a question names best."""
    return _best(table.body, asked), _best([*zip(*table.header, strict=True)], asked)


def _best(lines: Sequence[Sequence[str]], asked: frozenset[str]) -> list[int]:
    """The lines with most names that stand whole in a question; else those that share most words with it."""
    weights = [_named(line, asked) for line in lines]
    if not any(weights):
        weights = [len(asked.intersection(words(" ".join(line)))) for line in lines]
    most = max(weights, default=0)
    return [at for at, weight in enumerate(weights) if weight == most]


def _named(names: Sequence[str], asked: frozenset[str]) -> int:
    """How many of these names, or of the levels of one with ``/``, stand whole in a question."""
    levels = {frozenset(words(level)) for name in names for level in name.split(" / ")} - {frozenset()}
    return sum(level <= asked for level in levels)


def _nearest_word(asked: PlainPrompt) -> str:
    """The word that follows the question's words most closely, for tables without cells."""
    tokens = asked.text.replace(asked.question, " ").split()
    wanted = set(words(asked.question))
    hits = [bool(wanted.intersection(words(token))) for token in tokens]
    free = [at for at, hit in enumerate(hits) if not hit and words(tokens[at])]
    numbers = [at for at in free if number(tokens[at]) is not None]
    choices = numbers if "how many" in asked.question.lower() and numbers else free
    near = {at: sum(1 / (at - hit) for hit in range(max(0, at - 12), at) if hits[hit]) for at in choices}
    return tokens[max(near, key=near.__getitem__)] if near else ""


def _is_near(asked: PlainPrompt) -> bool:
    """Whether a table without cells has the numbers of a statement."""
    shown = set(words(asked.text.replace(asked.question, " ")))
    return all(word in shown for word in words(asked.question) if word[0].isdigit())
