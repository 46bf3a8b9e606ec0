"""The tree that lxml builds of an HTML text, and the texts in it.

lxml resolves references, so that ``&#32;`` looks like any blank, and drops characters that HTML forbids. Both
are therefore replaced by a mark and a code before parsing. The mark is a character that the text lacks; in
lxml's output it becomes NUL, which no HTML can hold.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.errors import ParseError

_MOST_ATTRIBUTES = 1000  # the parser compares every attribute of a tag with all others of it
_TAG = re.compile(r"""<[A-Za-z](?:[^>=]+|=(?:\s*"[^"]*"|\s*'[^']*')?)*""")
_ATTRIBUTE = re.compile(r"""[^\s"'=/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']*))?""")
# a run of spaces is looked at once, from its start: time stays linear
_WRAP = re.compile(r"(?<! ) *[\t\n\f\r][ \t\n\f\r]*")
# NUL cannot occur in HTML, so it marks what must survive the collapse of white space
BREAK, EDGE, SPACE = "\0b", "\0e", "\0s"
"""A line break, the edge of a block and a space that stays, among the pieces of a text."""
_SOFT = re.compile(r"(?<! ) *(?:\0e *)+")
_BEFORE_BREAK = re.compile(r"(?<! ) +(?=\0n)")


def parsed(text: str, name: str) -> tuple[Any, Callable[[str], str]]:
    """The root of the tree, None where there is nothing in the text, and what prepares its texts.

    Each text of the tree goes through the function, then pieces of them through :func:`settled`.

    Raises:
        ParseError: tags are nested deeper than lxml goes, or one has too many attributes.
    """
    _check_attributes(text, name)
    safe, unmarked = carried(text)
    return _tree(safe, name), unmarked


_SILENT = frozenset({"script", "style", "template", "noscript"})
_GONE = re.compile(r"(?:^|;)\s*display\s*:\s*none(?![\w-])", re.IGNORECASE)
_HIDDEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))(?![\w-])", re.IGNORECASE
)
_LONGEST_STYLE = 4000


def is_hidden(element: Any) -> bool:
    """Whether an element shows nothing in a browser with scripts, as far as itself says."""
    if element.tag in _SILENT or element.get("hidden") is not None:
        return True
    style = element.get("style")
    return style is not None and bool(_HIDDEN.search(style[:_LONGEST_STYLE]))


def is_blank_cell(element: Any) -> bool:
    """Whether a hidden element is a cell that keeps its place: an invisible one."""
    if element.tag not in ("td", "th") or element.get("hidden") is not None:
        return False
    return not _GONE.search(element.get("style")[:_LONGEST_STYLE])


def walk(root: Any, skips: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """What an element holds, in order: ``("start", element)``, ``("data", text)``, ``("end", element)``.

    Comments say nothing, and neither does what ``skips`` says to leave out with all in it.
    """
    from lxml import etree

    skipped = None
    walker = etree.iterwalk(root, events=("start", "end", "comment"))
    for event, element in walker:
        if event == "start":
            if skips(element):
                skipped = element
                walker.skip_subtree()
                continue
            yield event, element
            if element.text:
                yield "data", element.text
        else:
            if event == "end" and element is not skipped:
                yield event, element
            if element.tail and element is not root:
                yield "data", element.tail


_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE
)
# what browsers take these names for
_READ_AS = {
    **dict.fromkeys(("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16be"), "utf-8"),
    "iso-8859-9": "cp1254",
}


def declared_encoding(page: bytes) -> str | None:
    """The encoding that a page names in its first 2,048 bytes, as browsers read it; None for none known."""
    declared = _CHARSET.search(page[:2048])
    if not declared:
        return None
    name = declared[1].decode().lower()
    try:
        return codecs.lookup(_READ_AS.get(name, name)).name
    except LookupError:
        return None


def _check_attributes(text: str, name: str) -> None:
    for tag in _TAG.finditer(text):
        start, end = tag.span()
        is_long = end - start > 2 * _MOST_ATTRIBUTES
        if is_long and sum(1 for _ in _ATTRIBUTE.finditer(text, start, end)) > _MOST_ATTRIBUTES:
            raise ParseError(f"{name}: a tag has more than {_MOST_ATTRIBUTES} attributes; expected fewer")


def _tree(text: str, name: str) -> Any:
    """The tree of a text; None where there is nothing in it."""
    from lxml import etree  # writing HTML needs no lxml

    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.LxmlError:
        root = None
    # all else that is wrong with a text is mended, but what is too deep would be left out
    limits = [entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    if limits:
        raise ParseError(f"{name}: tags are nested more than 2000 deep; expected a table that is not")
    return root


def settled(pieces: Sequence[str]) -> str:
    """Collected text with its white space collapsed, breaks and carried characters put in."""
    text = "".join(pieces)
    if text.isprintable():  # most cells: nothing to collapse or to put in
        return text.strip(" ")
    text = _WRAP.sub(" ", text).strip(" ")
    if "\0" not in text:
        return text
    text = _BEFORE_BREAK.sub("", re.sub(r"\0b *", "\0n", text))
    edges = _SOFT.sub(EDGE, text)
    text = edges.removeprefix(EDGE).removesuffix(EDGE).replace(EDGE, "\0n")
    return restored(text)


_SPACE = re.compile(r"&#(?:0*(9|10|12|13|32)|[xX]0*(9|[aA]|[cC]|[dD]|20))(?:;|(?![0-9a-fA-F]))")
_CODES = {"9": "t", "10": "n", "a": "n", "12": "f", "c": "f", "13": "r", "d": "r", "32": "s", "20": "s"}
_LITERAL = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " "}
_REFERENCE = re.compile(
    r"&(?!(?:amp|lt|gt|quot);)(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]{1,31};?)"
)
_MAYBE_ODD = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe-\U0010ffff]")
# control characters, surrogates, and what Unicode reserves
_ODD = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(map(chr, (*range(0x1FFFE, 0x110000, 0x10000), *range(0x1FFFF, 0x110000, 0x10000))))
    + "]"
)
_CARRIED = re.compile("\0(?:([tnfrs])|x([0-9a-f]{1,6});)")
_AS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_PRIVATE = (*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE))


def carried(text: str) -> tuple[str, Callable[[str], str]]:
    """The text for the parser, and what turns the mark in a text that the parser gives back into NUL."""
    text = text.replace("\0", "\ufffd")
    mark = _mark(text)
    if "&" in text:
        text = _SPACE.sub(lambda match: mark + _CODES[(match[1] or match[2]).lower()], text)
        text = _REFERENCE.sub(_resolved, text)
    if _MAYBE_ODD.search(text):  # few ranges, so that it takes a fraction of the time
        text = _ODD.sub(lambda match: f"{mark}x{ord(match[0]):x};", text)
    return text, lambda piece: piece.replace(mark, "\0")


def _mark(text: str) -> str:
    """A character that occurs in the text neither literally nor by reference."""
    plain = html.unescape(text) if "&" in text else ""
    return next(chr(code) for code in _PRIVATE if chr(code) not in text and chr(code) not in plain)


def _resolved(match: re.Match[str]) -> str:
    """The characters that a reference means, by HTML's own rules; one that means nothing stays as it is."""
    return re.sub('[&<>"]', lambda special: _AS[special[0]], html.unescape(match[0]))


def restored(text: str) -> str:
    """The text with what was carried back in its place."""
    return _CARRIED.sub(lambda match: _LITERAL[match[1]] if match[1] else chr(int(match[2], 16)), text)
