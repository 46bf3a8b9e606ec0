"""A prompt read as plain text: lines are rows, and what stands between separators is a cell.

It knows no format, and does not see what the separators of a line do not show.
"""

from __future__ import annotations

import csv
import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+")
_NUMBER = re.compile(r"[^\w.+-]{0,4}([+-]?(?:\d[\d,]*(?:\.\d+)?|\.\d+))\s*(?:%|[^\W\d_]{0,12}\.?)\s*\W{0,3}")
_COMMON = """
a an and any are as at be been by did do does each for from had has have he her him his how i in is it its of
on or she than that the their them then there these they this those to was were what when where which who whom
whose will with would according table
"""
STOP = frozenset(_COMMON.split())
"""Words that name nothing in a table."""


def words(text: str) -> list[str]:
    """The text's words in order: lower case, endings and thousands' commas cut, the commonest left out."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOP]


def stem(word: str) -> str:
    """A word without a plural's or a verb's ending; numbers without commas and zeros after the point."""
    if word[0].isdigit():
        word = word.replace(",", "")
        return word.rstrip("0").rstrip(".") if "." in word else word
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: len(word) - len(ending)] + instead
            break
    return word.rstrip("e") if len(word) > 3 else word


def number(text: str) -> float | None:
    """The number a cell holds, with a currency sign or a unit at most; None for any other text."""
    found = _NUMBER.fullmatch(text.strip())
    return float(found[1].replace(",", "")) * (-1 if text.strip().startswith("(") else 1) if found else None


def _is_value(cell: str) -> bool:
    """Whether it holds a number that is no year: those stand in headers, too."""
    return number(cell) is not None and not re.search(r"(?:19|20)\d\d$", cell)


@dataclass(frozen=True, slots=True)
class PlainTable:
    """Lines that have several cells each, and the text of the paragraph before them."""

    header: Sequence[Sequence[str]]
    body: Sequence[Sequence[str]]
    before: str


@dataclass(frozen=True, slots=True)
class PlainPrompt:
    """A prompt, taken apart.

    Attributes:
        answers: the demonstrations' answers, in order.
        text: the example that is asked; without demonstrations the instruction is part of it.
        instruction: the text before the first table or labelled line.
        question: what is asked of the table.
        tables: those of the example, in order.
    """

    answers: tuple[str, ...]
    text: str
    instruction: str
    question: str
    tables: Sequence[PlainTable]

    @property
    def wants_json(self) -> bool:
        """Whether the answer stands in JSON, under ``answer``."""
        return re.search(r'JSON[^\n]*"answer"', self.instruction) is not None


_LABELLED = re.compile(r"([A-Z][\w ()-]{0,40}):(?: +(.*))?")
_NO_QUESTION = re.compile(r"table|context|data|report", re.IGNORECASE)


def read_prompt(prompt: str) -> PlainPrompt:
    """Take a prompt apart.

    Its last line begins with a label (``Answer:``, ``Statement: ...``); where earlier lines begin with it, an
    answer follows up to the next blank line, or a line of JSON.
    """
    body, _, last = prompt.rstrip().rpartition("\n")
    label, colon, asked = last.partition(":")
    first, *rest = f"\n{body}".split(f"\n{label}:") if colon else [prompt]
    answers, example = [], first
    for piece in rest:
        line, _, after = piece.partition("\n")
        if asked:
            answer, _, example = after.partition("\n\n")
        elif line.strip().startswith("{") and line.rstrip().endswith("}"):
            answer, example = line, after
        else:
            answer, _, example = piece.partition("\n\n")
        answers.append(answer.strip())
    text = f"{example}\n\n{last}" if asked else example
    instruction = re.split(r"\n(?=[A-Z][\w ()-]{0,40}:)", first.strip("\n"), maxsplit=1)[0]
    return PlainPrompt(tuple(answers), text, instruction, _question(text), list(_tables(text)))


def _question(text: str) -> str:
    """The last labelled line that is no table, else the last line."""
    lines = [line for line in text.split("\n") if line.strip()]
    labelled = (found for line in reversed(lines) if (found := _LABELLED.fullmatch(line)))
    asked = next((found[2] for found in labelled if found[2] and not _NO_QUESTION.search(found[1])), None)
    return asked or (lines[-1] if lines else "")


# formats without line breaks begin a row with its number, or end it with a bracket
_BREAK = re.compile(r"\n| (?=(?:row \d+|col) : )|(?<=[}\]]),? ")


def _tables(text: str) -> Iterator[PlainTable]:
    """The paragraphs in which at least two lines have equally many cells."""
    before = ""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        rows: list[list[str]] = []
        for line in _BREAK.split(paragraph):
            labelled = _LABELLED.fullmatch(line)
            if labelled and not _NO_QUESTION.search(labelled[1]):
                continue
            header, cells = _cells(labelled[2] or "" if labelled else line)
            if header and not rows:
                rows.append(header)
            if len(cells) > 1 and any(cell.strip(" :-=") for cell in cells):
                rows.append([html.unescape(cell).strip() for cell in cells])
        if len(rows) > 1 and max(Counter(map(len, rows)).values()) > 1:
            width = max(map(len, rows))  # a shorter line lacks cells at its left, where merged labels stand
            rows = [[""] * (width - len(row)) + row for row in rows]
            depth = _header_depth(rows)
            yield PlainTable(rows[:depth], rows[depth:], before)
        else:
            before = paragraph


def _header_depth(rows: Sequence[Sequence[str]]) -> int:
    """The lines above the first with a number, where most lines below have one too; else a single one."""
    has_number = [any(map(_is_value, row)) for row in rows]
    depth = has_number.index(True, 1) if any(has_number[1:]) else 1
    return depth if 2 * sum(has_number[depth:]) > len(has_number) - depth else 1


_ELEMENT = re.compile(r"<(\w+)(?: colspan=\"(\d{1,2})\")?[^<>]*>([^<>]*)</\1>")
_PAIR = re.compile(r'"([^"]*)": ?(?:"([^"]*)"|([^",{}\[\]\s]+))')


def _cells(line: str) -> tuple[list[str], list[str]]:
    """The names that a line repeats with its cells, if it does, and the cells."""
    line = re.sub(r"^(?:row \d+|col) : ", "", line.strip("\n"))
    if separator := "|" if "|" in line else "&" if line.endswith("\\\\") else "":
        inner = line[1:-1] if line[0] == line[-1] == "|" else line
        return [], [cell.strip(" \\") for cell in inner.split(separator)]
    if elements := _ELEMENT.findall(line):
        return [], [text for _, span, text in elements for _ in range(int(span or 1))]
    if len(pairs := _PAIR.findall(line)) > 1:
        return [name for name, *_ in pairs], [text or bare for _, text, bare in pairs]
    if re.search(r'": ?\[|^\s*\[', line):
        return [], re.findall(r'"([^"]*)"', line)
    try:
        return [], next(csv.reader([line]), [])
    except csv.Error:  # e.g. a line that is too long
        return [], []
