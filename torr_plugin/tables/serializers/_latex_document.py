r"""Reading the first table of a LaTeX text, ours or the world's.

Known: ``tabular`` and its kin (``tabular*``, ``tabularx``, ``longtable``...), rules of any package, merged
cells by ``\multicolumn`` and ``\multirow`` (upwards too), ``\makecell`` and ``\thead``, comments, marks on
letters. The header is what stands above the first rule that has rows on both sides. A text that stops
early is read as far as it goes.
"""

from __future__ import annotations

import re

from ...core.errors import ParseError, TableError
from ..table import Table
from ._latex_layout import lay
from ._latex_rows import read_body
from ._latex_text import read
from ._latex_tokens import Tokens, tokenize

# what an environment takes before its rows, the columns' specification last
_ENVIRONMENTS = {
    "tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2, "longtable": 1, "xltabular": 2, "array": 1,
    "tabu": 1, "longtabu": 1, "supertabular": 1, "NiceTabular": 1, "tblr": 1, "longtblr": 1,
}  # fmt: skip
_TOLD = re.compile(r"% header (rows|columns): ([0-9]{1,9})\s*")


def read_table(text: str, name: str) -> Table:
    """The first table of a LaTeX text.

    Raises:
        ParseError: there is no table, none with rows, or one that covers too many places.
    """
    tokens = tokenize(text)
    begin = _begin(tokens)
    if begin is None:
        raise ParseError(f"{name}: the text has no \\begin{{tabular}}; it starts with {text[:40]!r}")
    first, start = begin
    body, end = read_body(tokens, start)
    rows = body.all_rows
    if not rows:
        raise ParseError(f"{name}: the table has no rows; expected cells with & between them and \\\\ behind")
    told = _told(tokens, first)
    around = _around(tokens, first, end)
    title = body.caption or _caption(tokens, *around)
    try:
        return Table(
            lay(rows, name),
            header_rows=told.get("rows", body.header_rows),
            header_columns=told.get("columns", 0),
            title=read(tokens, *title).text if title else "",
            notes=_notes(tokens, end, around[1]),
        )
    except ParseError:
        raise
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None


def _begin(tokens: Tokens) -> tuple[int, int] | None:
    r"""Where the first table's ``\begin`` stands, and where its rows begin."""
    for index, item in enumerate(tokens.items):
        if item == "\\begin":
            name = tokens.argument(index + 1)
            arguments = _ENVIRONMENTS.get(tokens.source(name))
            if name and arguments:
                return index, tokens.after(name[1] + 1, arguments)
    return None


def _told(tokens: Tokens, first: int) -> dict[str, int]:
    """The header's depth where a comment tells it."""
    matches = (_TOLD.fullmatch(item) for item in tokens.items[:first] if item[0] == "%")
    return {match[1]: int(match[2]) for match in matches if match}


def _around(tokens: Tokens, first: int, end: int) -> tuple[int, int]:
    """The float that a table stands in; all that is before and behind it where there is none."""
    start, stop, is_float = 0, len(tokens.items), False
    for index in range(first):
        if tokens.items[index] in ("\\begin", "\\end") and _is_float(tokens, index):
            is_float = tokens.items[index] == "\\begin"
            start = index
    for index in range(end, len(tokens.items)):
        is_begin = tokens.items[index] == "\\begin"
        if (is_begin or (is_float and tokens.items[index] == "\\end")) and _ends(tokens, index, is_begin):
            stop = index
            break
    return start, stop


def _is_float(tokens: Tokens, index: int) -> bool:
    return tokens.source(tokens.argument(index + 1)) in ("table", "table*", "sidewaystable", "wraptable")


def _ends(tokens: Tokens, index: int, is_begin: bool) -> bool:
    """Whether another table begins here, or the float ends."""
    if _is_float(tokens, index):
        return True
    return is_begin and tokens.source(tokens.argument(index + 1)) in _ENVIRONMENTS


def _caption(tokens: Tokens, start: int, stop: int) -> tuple[int, int] | None:
    for index in range(start, stop):
        if tokens.items[index] in ("\\caption", "\\captionof"):
            following = index + 1
            if tokens.items[index] == "\\captionof":
                following = tokens.after(following, 1)
            option = tokens.option(following)
            return tokens.argument(option[1] + 1 if option else following)
    return None


def _notes(tokens: Tokens, start: int, stop: int) -> tuple[str, ...]:
    r"""The items of ``tablenotes`` below the table."""
    notes: list[str] = []
    begun: int | None = None
    inside = False
    for index in range(start, stop):
        item = tokens.items[index]
        if item not in ("\\begin", "\\end", "\\item"):
            continue
        if begun is not None:
            notes.append(read(tokens, begun, index).text)
            begun = None
        if item == "\\item":
            begun = index + 1 if inside else None
        elif tokens.source(tokens.argument(index + 1)) == "tablenotes":
            inside = item == "\\begin"
    return tuple(notes)
