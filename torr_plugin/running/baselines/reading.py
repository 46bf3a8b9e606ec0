"""Finds the serialized table in an example's text, in whatever of the formats it is, and reads it back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ...tables import TableError, serializers
from .grid import Grid, grid_of
from .prompt_parts import PromptParts, fields

Span: TypeAlias = "tuple[int, int]"

_HTML = re.compile(r"<table[ >].*</table>(?:\n<p class=\"note\">.*?</p>)*", re.DOTALL)
_XML = re.compile(r"<table[^<>]*>\s*<(?:title|row)>.*?</table>", re.DOTALL)
_FRAME = re.compile(
    r"(?:^# .*\n)*pd\.DataFrame\((?:\{\n.*?\},\nindex=\[[0-9, ]*\]\)|.*?^[}\]].*?\)(?=\n|\Z))",
    re.DOTALL | re.MULTILINE,
)
_COMMENTS = r"(?:^<!-- .* -->\n)*"
_MARKDOWN = re.compile(_COMMENTS + r"^\|.*\n^ *\| *:?-+:? *\|.*(?:\n.*)*\|[ \t]*$", re.MULTILINE)
_LATEX = re.compile(
    r"(?:^% .*\n)*\\begin\{(table|tabular)\}.*?\\end\{\1\}(?:\n% .*$)*", re.DOTALL | re.MULTILINE
)
_INDEXED = re.compile(r"(?:^# .*\n)*(?:(?<=[ \n])|^)(?:col : |row 1 : )", re.MULTILINE)
_JSON = re.compile(r"(?:(?<=[ \n])|^)[\[{](?=[\s\[{\"])", re.MULTILINE)
_TABLE_LABEL = re.compile(r"table|context|data", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """An example's text, read.

    Attributes:
        grid: its table; None where nothing says where cells end (``concat``) or the table cannot be read
            back.
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


def read_asked(parts: PromptParts) -> Reading:
    """Read the example that a prompt asks."""
    labelled = fields(parts.asked, parts.labels)
    marked = [(at, found) for at, (_, text) in enumerate(labelled) if (found := _find(text))]
    at, (name, (start, end)) = marked[0] if marked else _unmarked(labelled)
    text = labelled[at][1]
    outside = (text[:start] + text[end:]).strip()
    rest = [(label, outside if index == at else said) for index, (label, said) in enumerate(labelled)]
    table = text[start:end]
    return Reading(_read(name, table), table, tuple(entry for entry in rest if entry[1]))


def _unmarked(labelled: list[tuple[str, str]]) -> tuple[int, tuple[str, Span]]:
    """The part that is CSV, lines with bars or plain words: the one called a table, else the longest."""
    called = [at for at, (label, text) in enumerate(labelled) if _TABLE_LABEL.search(label) and text]
    at = max(called or range(len(labelled)), key=lambda index: len(labelled[index][1]))
    text = labelled[at][1]
    name = "csv" if "," in text.partition("\n")[0] or "\n" in text else "concat"
    return at, (name, (0, len(text)))


def _find(text: str) -> tuple[str, Span] | None:
    """The format whose marks a text shows, and from where to where."""
    for name, finder in _FINDERS.items():
        span = finder(text)
        if span is not None:
            return name, span
    return None


def _by(pattern: re.Pattern[str], mark: str) -> Callable[[str], Span | None]:
    def find(text: str) -> Span | None:
        match = pattern.search(text) if mark in text else None
        return match.span() if match else None

    return find


def _find_indexed(text: str) -> Span | None:
    match = _INDEXED.search(text) if "row 1 : " in text else None
    return (match.start(), len(text)) if match else None


def _find_json(text: str) -> Span | None:
    decoder = json.JSONDecoder(object_pairs_hook=len)
    for match in _JSON.finditer(text):
        try:
            value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):  # not JSON, or nested too deeply to be a table
            continue
        if value:
            return match.start(), end
    return None


_FINDERS: dict[str, Callable[[str], Span | None]] = {
    "xml": _by(_XML, "<row>"),
    "html": _by(_HTML, "<table"),
    "df": _by(_FRAME, "pd.DataFrame("),
    "latex": _by(_LATEX, "\\begin{tab"),
    "markdown": _by(_MARKDOWN, "---"),
    "indexed_row_major": _find_indexed,
    "json": _find_json,
}


@lru_cache(maxsize=256)
def _read(name: str, text: str) -> Grid | None:
    """The grid of a table's text; the same table is often asked about more than once."""
    for dialect in _dialects(name):
        try:
            grid = grid_of(serializers.get(dialect).parse(text))
        except TableError:
            continue
        if name != "csv" or len(grid.columns) > 1:
            return grid
    return None


def _dialects(name: str) -> Iterator[str]:
    """The serializers that may have written a text with these marks, the likeliest first."""
    known = {
        "concat": (),
        # bars between cells make one column of a text with commas, which is no table
        "csv": ("nl_sep", "csv", "torr.csv"),
        "xml": ("xml",),
        "latex": ("latex",),
        "json": ("torr.json", "json", "json_nested"),
    }
    yield from known.get(name, (f"torr.{name}", name))
