"""Reads a page as a parser sees it, not as text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

VOID = {"meta", "link", "wbr", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Elements of a page; ``problems`` lists tags that are not closed in their order.

    ``tags`` are (name, attributes), ``rows`` the cells' texts of each table row, ``text`` all text shown.
    """

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.problems: list[str] = []
        self.rows: list[list[str]] = []
        self.pre: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if len(dict(attrs)) < len(attrs):
            self.problems.append(f"<{tag}> has an attribute twice")
        if tag not in VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "pre":
            self.pre.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self._open[-1:]}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data
        if "pre" in self._open:
            self.pre[-1] += data
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        """The first row whose first cell reads so."""
        return next(
            [" ".join(cell.split()) for cell in row] for row in self.rows if row and row[0].strip() == first
        )

    def of_board(self, model: str) -> list[str]:
        """The row of a model on the overview."""
        return next(
            [" ".join(cell.split()) for cell in row]
            for row in self.rows
            if len(row) > 3 and (row[0].split() or [""])[0] == model
        )

    def attributes(self, name: str) -> list[str]:
        return [value or "" for _, attrs in self.tags for key, value in attrs.items() if key == name]


def read(path: Path) -> Page:
    return _parsed(path.read_text(encoding="utf-8"))


_parsed = lru_cache(maxsize=64)(Page)


_SCRIPT = re.compile(
    r"""torr\.(?:put\((?P<path>"[^"\\<>&']*"),JSON\.parse\('(?P<text>[^'<>&\u2028\u2029\n\r]*)'\)\)"""
    r"""|packed\((?P<packed_path>"[^"\\<>&']*"),"(?P<packed>[A-Za-z0-9+/=]*)"\));\n"""
)
# a text in single quotes may have no backslash alone, which would end it early or name a character
_ESCAPED = re.compile(r"(?:[^\\]|\\\\)*")


def read_script(content: str | bytes) -> tuple[str, Any]:
    """The path and the value of a file that pages load by script, which may hold nothing else.

    Raises:
        ValueError: it is more or other than one call with texts as its arguments.
    """
    text = content if isinstance(content, str) else content.decode("utf-8")
    found = _SCRIPT.fullmatch(text)
    if found is None:
        raise ValueError(f"found {text[:120]!r}, expected one call of torr.put or torr.packed")
    if found["packed"] is not None:
        return json.loads(found["packed_path"]), json.loads(
            gzip.decompress(base64.b64decode(found["packed"]))
        )
    if not _ESCAPED.fullmatch(found["text"]):
        raise ValueError("a backslash stands alone in the text for JSON.parse")
    return json.loads(found["path"]), json.loads(found["text"].replace("\\\\", "\\"))


def read_example(file: Any, place: int) -> dict[str, Any]:
    """An example of a file, with its texts as example.js puts them together of the parts that they share."""
    example: dict[str, Any] = file["examples"][place]
    if "texts" not in example:
        return example
    return {**example, "texts": [_text(numbers, file["parts"]) for numbers in example["texts"]]}


def _text(numbers: list[int], parts: list[str]) -> Any:
    found: list[Any] = [""]
    for number in numbers:
        if number < 0:
            found += [-number, ""]
        else:
            found[-1] += parts[number]
    return found if len(found) > 1 else found[0]
