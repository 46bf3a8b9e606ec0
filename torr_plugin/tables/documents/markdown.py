"""Read Markdown with tables into a document, by way of HTML."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ...core.errors import ParseError
from .document import Document
from .filing import check_text, read_html
from .markdown_blocks import MOST_NESTED, html_renderer

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n((?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*([\"']?)(.*?)\1[ \t]*$", re.M)
_KEY = re.compile(r"[\w-]+:")


def read_markdown(text: str, *, title: str = "") -> Document:
    """The document that a Markdown text shows: CommonMark with pipe tables, as papers and web pages have it.

    Headings of both kinds, paragraphs, items of lists, quotes and code become blocks of text without marks of
    emphasis and links; formulas (``$x_i$``) stay as written. Tables are pipe tables, short rows filled and
    long ones kept, those of the format ``markdown`` with their comments, and ``<table>`` amid the text.
    Captions (``Table 3: ...``) above or below a table become its title, footnotes below it its notes, as in
    :func:`read_filing`; :func:`to_html` gives the canonical HTML of TableQuest's appendix F. Time is linear.

    Args:
        text: the Markdown.
        title: the document's; by default that of the metadata between lines of ``---``, else its first
            heading of level 1.

    Raises:
        ParseError: binary data, lists and quotes nested too deep, tables that cover too many places, and what
            :func:`read_filing` refuses of HTML amid the text.
    """
    check_text(text, "markdown")
    metadata, body = _parted(text.replace("\r\n", "\n").replace("\r", "\n"))
    parser = _parser()
    tokens = parser.parse(body)
    if any(token.level >= MOST_NESTED - 1 for token in tokens):
        raise ParseError(f"markdown: lists and quotes are nested more than {MOST_NESTED // 2} deep")
    html = parser.renderer.render(tokens, parser.options, {})
    document = read_html(f"<body>{html}</body>", "markdown")
    return Document(document.blocks, title or metadata or _first_heading(document))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return html_renderer()


def _parted(text: str) -> tuple[str, str]:
    """The title that the metadata give, and the text below them."""
    front = _FRONT.match(text)
    if not front or not _KEY.match(front[1]):
        return "", text
    found = _TITLE.search(front[1])
    return found[2] if found else "", text[front.end() :]


def _first_heading(document: Document) -> str:
    return next((text.text for text in document.texts if text.kind == "heading" and text.level == 1), "")
