"""Read the HTML of an annual report as EDGAR has it, or any other HTML, into a document."""

from __future__ import annotations

import re
from dataclasses import replace

from ...core.errors import ParseError
from ..serializers.html_tree import declared_encoding, parsed
from ..table import Table
from .document import Document
from .filings.flow import FlowReader
from .filings.headings import text_block
from .filings.pages import without_pages
from .filings.surroundings import with_surroundings

_BODY = re.compile(r"<TEXT>(.*?)(?:</TEXT>|\Z)", re.S)
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f]")
_SAMPLE = 100_000


def read_filing(html: str | bytes, *, title: str = "") -> Document:
    """The document that an HTML text shows: a 10-K as filers write it (inline XBRL too), or any other HTML.

    What is hidden, scripts, page numbers and running headers are left out. Tables that only lay text out
    become text. Tables of data lose the columns and rows that only make space, and ``$``, ``(``, ``)`` and
    ``%`` in cells of their own are joined to their numbers; header rows, row labels (indented by two spaces a
    level), titles and footnotes are found. Tables with ``thead``, ``caption`` or our own attributes are read
    as they are. Of a complete submission the first document is read. Time is linear in the text's length.

    Args:
        html: the text, or its bytes, in UTF-8 or as they say themselves.
        title: the document's; by default what ``title`` holds.

    Raises:
        ParseError: binary data, tags nested more than 2000 deep, more than 1000 attributes in one, or tables
            whose merged cells cover more than 4 million places beyond one a cell.
    """
    text = _decoded(html) if isinstance(html, bytes) else html
    check_text(text, "filing")
    document = read_html(_main_part(text), "filing")
    return replace(document, title=title or document.title)


def read_html(html: str, name: str) -> Document:
    """See :func:`read_filing`; ``name`` is that of the format in messages."""
    root, unmarked = parsed(html, name)
    if root is None:
        return Document(())
    reader = FlowReader(unmarked, name)
    reader.walk(root)
    flow = without_pages(reader.found)
    blocks = [each if isinstance(each, Table) else text_block(each) for each in flow]
    return Document(tuple(with_surroundings(blocks)), _title(root))


def _decoded(html: bytes) -> str:
    """The text of bytes: UTF-8, else what they say, else as Windows writes them; a byte order mark wins."""
    names = ["utf-8-sig", declared_encoding(html) or "cp1252", "cp1252"]
    if html.startswith((b"\xff\xfe", b"\xfe\xff")):
        names.insert(0, "utf-16")
    for name in names:
        try:
            return html.decode(name)
        except UnicodeDecodeError:
            continue
    return html.decode("latin-1")


def check_text(text: str, name: str) -> None:
    """Refuse binary data.

    Raises:
        ParseError: more than one in a hundred of the first characters are control characters.
    """
    sample = text[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) * 100 > len(sample):
        raise ParseError(f"{name}: binary data, starting with {text[:20]!r}; expected a text")


def _main_part(text: str) -> str:
    """The first document of a complete submission, which holds several between tags of its own."""
    if "<TEXT>" not in text[:_SAMPLE]:
        return text
    body = _BODY.search(text)
    return body[1] if body else text


def _title(root: object) -> str:
    found = root.findtext(".//title")  # type: ignore[attr-defined]
    return " ".join((found or "").split())
