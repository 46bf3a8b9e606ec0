"""Reads the formats of SUC, CSV and LaTeX with the standard library alone; shares no code with the rest."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any


@dataclass
class Sheet:
    """The places of a table, each with its text and the number of its cell; merged places share a number."""

    lines: list[list[tuple[str, int]]]
    header_rows: int = 1


Placed = tuple[str, int, int]
"""Text, rows and columns that a cell covers."""


def laid_out(rows: Iterable[list[Placed]], header_rows: int) -> Sheet:
    """Cells in the order of HTML: each takes the first free place of its row."""
    rows = list(rows)
    taken: dict[tuple[int, int], tuple[str, int]] = {}
    number = 0
    for r, row in enumerate(rows):
        c = 0
        for text, down, across in row:
            while (r, c) in taken:
                c += 1
            for place in ((r + i, c + j) for i in range(down) for j in range(across)):
                taken[place] = (text, number)
            number += 1
    width = 1 + max(c for _, c in taken)
    return Sheet([[taken[r, c] for c in range(width)] for r in range(len(rows))], header_rows)


def merged(lines: list[list[str]], ranges: Iterable[str], header_rows: int) -> Sheet:
    """Texts in a rectangle, and ranges of merged places as spreadsheets name them."""
    width = len(lines[0])
    numbered = [[(text, r * width + c) for c, text in enumerate(line)] for r, line in enumerate(lines)]
    sheet = Sheet(numbered, header_rows)
    for each in ranges:
        (left, top), (right, bottom) = re.findall(r"([A-Z]+)(\d+)", each)
        rows, columns = range(int(top) - 1, int(bottom)), range(column_of(left), column_of(right) + 1)
        first = sheet.lines[rows[0]][columns[0]]
        for r in rows:
            for c in columns:
                sheet.lines[r][c] = first
    return sheet


def column_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) + 1
    return number - 1


def said_first(text: str, comment: str = r"# (.*)") -> tuple[dict[str, str], str]:
    """What the comments above a table say, and the text below them."""
    said = {}
    while match := re.match(rf"{comment}\n", text):
        name, _, value = match[1].partition(": ")
        said[name] = value
        text = text[match.end() :]
    return said, text


def with_comments(lines: list[list[str]], said: dict[str, str], header_rows: int = 1) -> Sheet:
    ranges = said["merged"].split(", ") if "merged" in said else []
    return merged(lines, ranges, int(said.get("header rows", header_rows)))


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[list[Any]]] = []
        self.head = 0
        self.in_head = self.in_cell = False
        self.declared: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "table":
            self.declared = told.get("data-header-rows")
        elif tag == "thead":
            self.in_head = True
        elif tag == "tr":
            self.rows.append([])
            self.head += self.in_head
        elif tag in ("th", "td"):
            self.rows[-1].append(["", int(told.get("rowspan") or 1), int(told.get("colspan") or 1)])
            self.in_cell = True
        elif tag == "br" and self.in_cell:
            self.rows[-1][-1][0] += "\n"

    def handle_endtag(self, tag: str) -> None:
        self.in_head = self.in_head and tag != "thead"
        self.in_cell = self.in_cell and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[-1][-1][0] += data


def from_html(text: str) -> Sheet:
    reader = _Html()
    reader.feed(text)
    depth = reader.head if reader.declared is None else int(reader.declared)
    return laid_out([[(cell[0], cell[1], cell[2]) for cell in row] for row in reader.rows], depth)


def from_xml(text: str) -> Sheet:
    # XML 1.0 has neither control characters nor some others, and its parser refuses even references to them
    safe = re.sub("[\ufffe\uffff]", lambda found: chr(ord(found[0]) - 0x1000), text)
    root = ElementTree.fromstring(re.sub(r"&#(\d+);", lambda found: chr(0xE000 + int(found[1])), safe))
    rows = [
        [
            (controlled(cell.text or ""), int(cell.get("rowspan", 1)), int(cell.get("colspan", 1)))
            for cell in row
        ]
        for row in root.findall("row")
    ]
    return laid_out(rows, int(root.get("header_rows", 1)))


def controlled(text: str) -> str:
    text = re.sub("[\ue000-\ue0ff]", lambda found: chr(ord(found[0]) - 0xE000), text)
    return re.sub("[\ueffe\uefff]", lambda found: chr(ord(found[0]) + 0x1000), text)


def from_csv(text: str) -> Sheet:
    said, text = said_first(text)
    return with_comments(list(csv.reader(io.StringIO(text, newline=""))), said)


def from_nl_sep(text: str) -> Sheet:
    said, text = said_first(text)
    return with_comments([between_bars(line) for line in text.split("\n")], said)


def between_bars(line: str) -> list[str]:
    """The cells of a line; a bar within one has a backslash before it, and so no space."""
    return [unescaped(cell) for cell in line.split(" | ")]


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), text)


def from_markdown(text: str) -> Sheet:
    said, text = said_first(text, r"<!-- (.*) -->")
    lines = []
    for line in text.split("\n"):
        cells = re.findall(r"((?:[^\\|]|\\.)*)\|", line)[1:]
        lines.append([from_cell_of_markdown(cell.strip(" \t")) for cell in cells])
    assert set(lines.pop(1)) == {"---"}
    return with_comments(lines if said.get("header rows") != "0" else lines[1:], said)


def from_cell_of_markdown(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found[0][0] == "\\":
            return found[0][1]
        return "\n" if found[0][0] == "<" else html.unescape(found[0])

    return re.sub(r"\\.|<br>|&#?\w+;", plain, text)


def shown(values: Iterable[object]) -> list[str]:
    return ["" if value is None else str(value) for value in values]


def from_json(text: str) -> Sheet:
    content = json.loads(text)
    content = {"rows": content} if isinstance(content, list) else content
    rows = content["rows"]
    if "header" not in content:
        return merged([list(rows[0]), *(shown(row.values()) for row in rows)], [], 1)
    heads = content["header"]
    heads = [heads] if heads and not isinstance(heads[0], list) else heads
    return merged(list(map(shown, (*heads, *rows))), content.get("merged", ()), len(heads))


def from_latex(text: str) -> Sheet:
    body = text[text.index("\\toprule") + 8 : text.index("\\bottomrule")]
    head, rule, rest = body.partition("\\midrule")
    heads = list(latex_rows(head)) if rule else []
    rows = [*heads, *latex_rows(rest if rule else body)]
    taken: set[tuple[int, int]] = set()
    kept: list[list[Placed]] = []
    for r, row in enumerate(rows):
        c = 0
        kept.append([])
        for text_, down, across in row:  # there is an empty cell where one from above reaches to
            if (r, c) not in taken:
                kept[-1].append((text_, down, across))
                taken |= {(r + i, c + j) for i in range(down) for j in range(across)}
            c += across
    return laid_out(kept, len(heads))


def latex_rows(text: str) -> Iterator[list[Placed]]:
    """The rows between rules: those end in two backslashes, and outside of braces & divides cells."""
    row, cell, level = [], "", 0
    for item in re.findall(r"\\\\|\\.|[{}&]|[^\\{}&]+", text, re.DOTALL):
        level += (item == "{") - (item == "}")
        if level == 0 and item in ("&", "\\\\"):
            row.append(latex_cell(cell))
            cell = ""
            if item == "\\\\":
                yield row
                row = []
        else:
            cell += item


def latex_cell(text: str) -> Placed:
    down = across = 1
    text = re.sub(r"(?<!\\)[ \n]+\Z", "", text.lstrip())
    if found := re.fullmatch(r"\\multicolumn\{(\d+)\}\{c\}\{(.*)\}", text, re.DOTALL):
        across, text = int(found[1]), found[2]
    if found := re.fullmatch(r"\\multirow\{(\d+)\}\{\*\}\{(.*)\}", text, re.DOTALL):
        down, text = int(found[1]), found[2]
    if found := re.fullmatch(r"\\makecell\{(.*)\}", text, re.DOTALL):
        text = found[1].replace("\\\\", "\n")
    return latex_text(text), down, across


LATEX = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~"}


def latex_text(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found["name"]:
            return LATEX[found["name"]]
        if found["code"]:
            return chr(int(found["code"], 16))
        return {"~": "\u00a0", "{": "", "}": ""}.get(found[0], found[0][-1])

    return re.sub(r'\\symbol\{"(?P<code>\w+)\}|\\(?P<name>[a-z]+)\{\}|\\.|[~{}]', plain, text)


READERS: dict[str, Callable[[str], Sheet]] = {
    "csv": from_csv,
    "html": from_html,
    "json": from_json,
    "latex": from_latex,
    "markdown": from_markdown,
    "nl_sep": from_nl_sep,
    "xml": from_xml,
}
