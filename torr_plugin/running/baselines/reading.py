"""A prompt read back from its text: demonstrations' answers, the example asked, and its table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...tables import Table, serializers


@dataclass(frozen=True)
class Grid:
    """Column names (the path of a header of several rows, joined) and the rows below that hold any text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


def grid_of(table: Table) -> Grid:
    """The grid of a table; one that was transposed has its names in a column, and is turned back."""
    body = [[cell.text for cell in row] for row in table.body]
    if not table.header_rows and table.header_columns:
        return _transposed(body, table.header_columns, table.title)
    names = [" ".join(path).strip() for path in table.column_paths]
    if _is_numbered(names):
        return _transposed(body, 1, table.title)
    return Grid(tuple(names), _nonempty_rows(body), table.title)


def _is_numbered(names: Sequence[str]) -> bool:
    """Whether they are those of unitxt's transposition: the header `` ``, ``0``, ``1``, ``2``, ..."""
    return (
        len(names) > 1 and not names[0].strip() and list(names[1:]) == [str(n) for n in range(len(names) - 1)]
    )


def _transposed(body: Sequence[Sequence[str]], depth: int, title: str) -> Grid:
    names = [" ".join(dict.fromkeys(row[:depth])).strip() for row in body]
    rows = list(zip(*(row[depth:] for row in body), strict=True))
    # a column without a name and without any text is a row that was inserted before the table was turned
    kept = [c for c, name in enumerate(names) if name or any(row[c].strip() for row in rows)]
    return Grid(
        tuple(names[c] for c in kept), _nonempty_rows([[row[c] for c in kept] for row in rows]), title
    )


def _nonempty_rows(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row) for row in rows if any(cell.strip() for cell in row))


_LABEL = re.compile(r"^([A-Z][A-Za-z0-9 ()_-]{0,40}):(?= |\n|$)", re.MULTILINE)
_LONGEST_PREFIX = 40


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt, taken apart.

    Attributes:
        instruction: the text before the first example.
        answers: the demonstrations' answers, in order.
        example: the one that is asked, without the answer's prefix.
        labels: words that begin a line with a colon in every example (``Question``, ``Table``).
        prefix: the prompt's last line, which asks for the answer (``Answer:``).
        sources: the demonstrations without their answers, in order; empty where they are not told apart.
    """

    instruction: str
    answers: tuple[str, ...]
    example: str
    labels: tuple[str, ...]
    prefix: str
    sources: tuple[str, ...] = ()


def split_prompt(prompt: str) -> PromptParts:
    """Take a prompt apart.

    The last line is taken for the answer's prefix; where an earlier line begins with it, an answer follows up
    to the next blank line, or a line of JSON. Without such a prefix, answers are taken to follow the line
    whose label begins the last line. Any other prompt is one example without demonstrations.
    """
    body, _, last = prompt.rstrip().rpartition("\n")
    prefix = last.strip()
    if not body or len(prefix) > _LONGEST_PREFIX or not prefix.endswith(":"):
        return _without_prefix(body, last.rstrip()) or _single_example(prompt, "")
    first, *rest = _split_at_lines(body, prefix)
    if not rest:
        return _single_example(body, prefix)
    answers, sources = [], [first]
    for piece in rest:
        answer, source = _answer_before(piece)
        answers.append(answer.strip())
        sources.append(source)
    example = sources[-1].strip("\n")
    labels = _shared_labels(sources)
    instruction = _before(first, labels)
    shown = (first[len(instruction) :], *sources[1:-1])
    return PromptParts(instruction, tuple(answers), example, labels, prefix, shown)


def _split_at_lines(text: str, beginning: str) -> list[str]:
    """The pieces of a text between lines that begin so, without these beginnings and the breaks before."""
    first, *rest = f"\n{text}".split(f"\n{beginning}")
    return [first.removeprefix("\n"), *rest]


def _answer_before(piece: str) -> tuple[str, str]:
    """The answer that a text begins with, and what follows it."""
    line, newline, after = piece.partition("\n")
    if newline and line.strip().startswith("{") and line.rstrip().endswith("}"):
        return line, after
    answer, _, after = piece.partition("\n\n")
    return answer, after


def _without_prefix(body: str, last: str) -> PromptParts | None:
    """A prompt whose last line is the last labelled part of the example asked, as in its demonstrations."""
    label = _LABEL.match(last)
    if label is None:
        return None
    first, *rest = _split_at_lines(body, label[0])
    answers, sources = [], [f"{first}\n{label[0]}"]
    for piece in rest:
        shown, _, source = piece.partition("\n\n")
        answers.append(shown.partition("\n")[2].strip())
        sources.append(f"{source}\n{label[0]}")
    if not answers or not all(answers):
        return None
    labels = _shared_labels(sources)
    example = sources[-1].removesuffix(label[0]).strip("\n") + f"\n{last}"
    return PromptParts(_before(first, labels), tuple(answers), example.strip("\n"), labels, "")


def fields(text: str, labels: tuple[str, ...]) -> list[tuple[str, str]]:
    """An example's labelled parts in order; text before the first label has the label ``""``."""
    marks = [match for match in _LABEL.finditer(text) if match[1] in labels]
    if not marks:
        return [("", text)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    found = [(mark[1], text[mark.end() : end].strip("\n ")) for mark, end in zip(marks, ends, strict=True)]
    before = text[: marks[0].start()].strip()
    return [("", before), *found] if before else found


def _single_example(text: str, prefix: str) -> PromptParts:
    labels = tuple(dict.fromkeys(_LABEL.findall(text)))
    instruction = _before(text, labels)
    return PromptParts(instruction, (), text[len(instruction) :].strip("\n"), labels, prefix)


def _shared_labels(sources: list[str]) -> tuple[str, ...]:
    found = [dict.fromkeys(_LABEL.findall(source)) for source in sources]
    return tuple(label for label in found[-1] if all(label in labels for labels in found))


def _before(text: str, labels: tuple[str, ...]) -> str:
    """The text before the first label; without labels the first line, where there are more."""
    for mark in _LABEL.finditer(text):
        if mark[1] in labels:
            return text[: mark.start()]
    line, newline, _ = text.partition("\n")
    return line + newline if newline else ""


_LEAST_SHARE = 0.05
_TABLE_LABEL = re.compile(r"table|context|data", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """An example's text, read.

    Attributes:
        grid: its table; None where no registered format finds one (nothing in ``concat`` says where cells
            end).
        table_text: the text that is the table.
        rest: the other labelled parts (label, text), e.g. the question.
    """

    grid: Grid | None
    table_text: str
    rest: tuple[tuple[str, str], ...]

    @property
    def question(self) -> str:
        """All that is not the table, without labels."""
        return "\n".join(text for _, text in self.rest)


def read_example(parts: PromptParts) -> Reading:
    """Read the example that a prompt asks.

    Its table is looked for in the parts labelled as a table, then in all others, which may be prose with
    commas; of several tables the one wins whose format explains most of it. The explanation of a format is no
    part of the question.
    """
    labelled = without_explanations(fields(parts.example, parts.labels))
    found = [(at, table) for at, (_, text) in enumerate(labelled) if (table := _find(text))]
    found = [each for each in found if _is_called_table(labelled[each[0]])] or [
        (at, table) for at, table in found if table.explained > _LEAST_SHARE * (table.stop - table.start)
    ]
    if not found:
        return _without_table(labelled)
    at, table = max(found, key=lambda each: each[1].explained)
    text = labelled[at][1]
    outside = (text[: table.start] + text[table.stop :]).strip()
    rest = [
        (label, outside if index == at else text_of_part)
        for index, (label, text_of_part) in enumerate(labelled)
    ]
    return Reading(table.grid, text[table.start : table.stop], tuple(entry for entry in rest if entry[1]))


def without_explanations(labelled: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parts of an example that explain no format; plugins' formats come and go."""
    explanations = {serializers.get(name).explanation for name in serializers.names()} - {""}
    return [part for part in labelled if part[1] not in explanations]


def _is_called_table(part: tuple[str, str]) -> bool:
    return bool(_TABLE_LABEL.search(part[0]) and part[1])


def _without_table(labelled: list[tuple[str, str]]) -> Reading:
    """The reading where no format finds a table: it is the part called a table, else the longest."""
    called = [at for at, part in enumerate(labelled) if _is_called_table(part)]
    at = max(called or range(len(labelled)), key=lambda index: len(labelled[index][1]))
    rest = tuple(entry for index, entry in enumerate(labelled) if index != at and entry[1])
    return Reading(None, labelled[at][1], rest)


@dataclass(frozen=True, slots=True)
class _FoundGrid:
    grid: Grid
    start: int
    stop: int
    explained: int


@lru_cache(maxsize=2048)
def _find(text: str) -> _FoundGrid | None:
    """The grid of a text's table; questions share tables, and both baselines read the same prompts."""
    found = serializers.find(text)
    if found is None:
        return None
    return _FoundGrid(grid_of(found.table), found.start, found.stop, found.explained)
