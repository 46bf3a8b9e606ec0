"""Answers about how a table is built: its size, its places, its merged cells, where it begins and ends.

It knows no format: a line of the text is a row, and what stands between marks, tags or quotes is a cell.
The sentences that say how to count are not read. A demonstration shows it: of the ways to count rows and
columns the first that gives the demonstrated answers is used. Without one, rows are counted from 1 below the
header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .plain_lines import PlainTable, read_plainly
from .reading import PromptParts, fields, read_example


@dataclass(frozen=True, slots=True)
class CountingWay:
    """The index of the first row or column, and whether the header is a row."""

    first: int
    has_header: bool


WAYS = (CountingWay(1, False), CountingWay(0, False), CountingWay(1, True), CountingWay(0, True))


@dataclass(frozen=True, slots=True)
class StructuralExample:
    """A question about a table's structure: what it asks, what it names, and the table."""

    kind: str
    names: tuple[str, ...]
    table: PlainTable

    @property
    def lines(self) -> Sequence[Sequence[str]]:
        """The texts of all rows, the header first."""
        return self.table.lines


Values = Sequence[str]
"""The parts of an answer; places in brackets."""

_QUESTIONS = {
    "size": re.compile(r"(?i)\bhow many rows\b.*\bcolumns\b"),
    "merged": re.compile(r"(?i)\bcells\b.*\bmerged\b"),
    "ends": re.compile(r"(?i)\bfirst cell\b.*\blast\b"),
    "places": re.compile(r'(?i)\bwhere in the table\b.* "(.*)"'),
    "column": re.compile(r'(?i)\bcells of the column "(.*)"'),
    "cell": re.compile(r"(?i)\brow (\d{1,6})\b.{0,20}\bcolumn (\d{1,6})\b"),
    "name": re.compile(r"(?i)\bname of column (\d{1,6})\b"),
    "row": re.compile(r"(?i)\bcells of row (\d{1,6})\b"),
}
# the explanation of a format that has a line of hyphens below its header
_RULE = re.compile(r"(?i)\b(?:dashes|hyphens)\b")
_MARKED = re.compile(r"(?ms)^<<<[^\n]*\n(.*?)\n[^\n]*>>>$")
_LONGEST_QUESTION = 4000  # characters; the patterns may take quadratic time


def structural_answer(parts: PromptParts) -> str | None:
    """The answer to a structural question; None where the prompt asks another one, or shows no table."""
    asked = _example(parts)
    if asked is None:
        return None
    shown = [
        (example, answer)
        for source, answer in zip(parts.sources, parts.answers, strict=False)
        if (example := _example(replace(parts, example=source))) and example.kind == asked.kind
    ]
    ways = [way for way in WAYS if all(_words(_values(each, way)) == _words([said]) for each, said in shown)]
    between = " | " if any(" | " in said for said in parts.answers) else ", "
    return between.join(_values(asked, (ways or WAYS)[0]))


def _example(parts: PromptParts) -> StructuralExample | None:
    """The question and the table of one example; marks say where the table is, else it is looked for."""
    labelled = fields(parts.example, parts.labels)
    question = next((text for label, text in labelled if label == "Question"), "")
    question = question.strip().partition("\n")[0][:_LONGEST_QUESTION]
    kind, found = next(
        ((kind, found) for kind, pattern in _QUESTIONS.items() if (found := pattern.search(question))),
        ("", None),
    )
    if found is None:
        return None
    marked = _MARKED.search(parts.example) if ">>>" in parts.example else None
    text = marked[1] if marked else read_example(parts).table_text
    table = read_plainly(text, skips_rules=bool(_RULE.search(f"{parts.instruction}\n{parts.example}")))
    return StructuralExample(kind, found.groups(), table) if table.lines else None


def _words(values: Values) -> list[str]:
    return re.findall(r"\w+", " ".join(values).casefold())


def _values(example: StructuralExample, way: CountingWay) -> Values:
    return _ANSWERS[example.kind](example, way)


def _size(example: StructuralExample, way: CountingWay) -> Values:
    return str(len(example.lines) - (not way.has_header)), str(max(map(len, example.lines)))


def _ends(example: StructuralExample, way: CountingWay) -> Values:
    return example.lines[0][0], example.lines[-1][-1]


def _merged(example: StructuralExample, way: CountingWay) -> Values:
    return [str(column + way.first) for column in example.table.merged] or ["None"]


def _top(way: CountingWay) -> int:
    """The line that has the first index."""
    return 0 if way.has_header else 1


def _places(example: StructuralExample, way: CountingWay) -> Values:
    top = _top(way)
    return [
        f"({r + way.first}, {c + way.first})"
        for r, line in enumerate(example.lines[top:])
        for c, text in enumerate(line)
        if text == example.names[0]
    ]


def _line(example: StructuralExample, way: CountingWay, index: str) -> Sequence[str]:
    """The texts of the row with this index; of one that is not there, none."""
    at = int(index) - way.first + _top(way)
    return example.lines[at] if 0 <= at < len(example.lines) else []


def _at(texts: Sequence[str], way: CountingWay, index: str) -> Values:
    at = int(index) - way.first
    return texts[at : at + 1] if at >= 0 else ()


def _cell(example: StructuralExample, way: CountingWay) -> Values:
    row, column = example.names
    return _at(_line(example, way, row), way, column)


def _name(example: StructuralExample, way: CountingWay) -> Values:
    return _at(example.lines[0], way, example.names[0])


def _row(example: StructuralExample, way: CountingWay) -> Values:
    return _line(example, way, example.names[0])


def _column(example: StructuralExample, way: CountingWay) -> Values:
    header, body = example.lines[0], example.lines[_top(way) :]
    at = next((at for at, name in enumerate(header) if name == example.names[0]), None)
    return [] if at is None else [line[at] for line in body if at < len(line)]


_ANSWERS: dict[str, Callable[[StructuralExample, CountingWay], Values]] = {
    "size": _size,
    "merged": _merged,
    "ends": _ends,
    "places": _places,
    "column": _column,
    "cell": _cell,
    "name": _name,
    "row": _row,
}
