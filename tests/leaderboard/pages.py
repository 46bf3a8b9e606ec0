"""Reads a page as a parser sees it, not as text."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

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

    def attributes(self, name: str) -> list[str]:
        return [value or "" for _, attrs in self.tags for key, value in attrs.items() if key == name]


def read(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))
