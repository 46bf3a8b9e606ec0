r"""Read the first table of a LaTeX text, ours or any other.

Known: ``tabular`` and its kin (``tabular*``, ``tabularx``, ``longtable``...), rules of any package, merged
cells by ``\multicolumn`` and ``\multirow`` (upwards too), ``\makecell`` and ``\thead``, comments, marks on
letters. The header is all rows above the first rule that has rows on both sides. A text that stops early is
read as far as it goes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...core.errors import ParseError, TableError
from ..table import Table
from .latex_layout import lay
from .latex_text import Content, Tokens, past_row_end, read, tokenize

# what an environment takes before its rows, the columns' specification last
_ENVIRONMENTS = {
    "tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2, "longtable": 1, "xltabular": 2, "array": 1,
    "tabu": 1, "longtabu": 1, "supertabular": 1, "NiceTabular": 1, "tblr": 1, "longtblr": 1,
}  # fmt: skip
_DECLARED = re.compile(r"% header (rows|columns): ([0-9]{1,9})\s*")


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
    declared = _declared_headers(tokens, first)
    around = _around(tokens, first, end)
    title = body.caption or _caption(tokens, *around)
    try:
        return Table(
            lay(rows, name),
            header_rows=declared.get("rows", body.header_rows),
            header_columns=declared.get("columns", 0),
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


def _declared_headers(tokens: Tokens, first: int) -> dict[str, int]:
    """The header's depth where a comment declares it."""
    matches = (_DECLARED.fullmatch(item) for item in tokens.items[:first] if item[0] == "%")
    return {match[1]: int(match[2]) for match in matches if match}


def _around(tokens: Tokens, first: int, end: int) -> tuple[int, int]:
    """The float around a table; all text before and after it where there is none."""
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


_RULES = {"hline": 0, "toprule": 0, "midrule": 0, "bottomrule": 0, "Xhline": 1, "specialrule": 3, "hhline": 1,
          "thickhline": 0, "firsthline": 0, "lasthline": 0}  # fmt: skip
_BETWEEN = {"cline": 1, "cmidrule": 1, "addlinespace": 0, "morecmidrules": 0, "noalign": 1, "tablehead": 1,
            "rowcolor": 1, "label": 1, "centering": 0, "tabletail": 1, "pagebreak": 0}  # fmt: skip
_FOOTS = frozenset({"endfoot", "endlastfoot"})


@dataclass
class Body:
    """The content of a tabular: rows of cells, the first rule between rows, a long table's caption."""

    rows: list[list[Content]] = field(default_factory=list)
    first_rule: int | None = None
    head: list[list[Content]] | None = None
    caption: tuple[int, int] | None = None

    @property
    def header_rows(self) -> int:
        """The rows above the first rule that has rows on both sides; a long table's own head."""
        if self.head is not None:
            return len(self.head)
        return self.first_rule if self.first_rule and self.first_rule < len(self.rows) else 0

    @property
    def all_rows(self) -> list[list[Content]]:
        """A long table's head, and the rows."""
        return [*(self.head or ()), *self.rows]


def read_body(tokens: Tokens, start: int) -> tuple[Body, int]:
    r"""The rows from ``start`` to the ``\end`` of the environment, and the index of that command."""
    reader = _Rows(tokens, start)
    return reader.body, reader.read()


class _Rows:
    """Goes from token to item and cuts cells at ``&``, rows at their ends."""

    def __init__(self, tokens: Tokens, start: int) -> None:
        self.tokens = tokens
        self.body = Body()
        self.index = self.cell_start = start
        self.row: list[Content] = []
        self.depth = 0  # environments open inside a cell

    def read(self) -> int:
        items = self.tokens.items
        while self.index < len(items):
            item = items[self.index]
            if item == "{":
                self.index = self.tokens.closing.get(self.index, self.index) + 1
            elif item[0] == "\\" and len(item) > 1:
                if item == "\\end" and not self.depth:
                    break
                self._command(item[1:])
            else:
                if item == "&" and not self.depth:
                    self._end_cell(self.index + 1)
                self.index += 1
        end = self.index
        if self.row or self._is_begun():
            self._end_row(end)
        return end

    def _command(self, name: str) -> None:
        if name in ("begin", "end"):
            self.depth += 1 if name == "begin" else -1
        elif not self.depth and name in ("\\", "tabularnewline", "cr"):
            self._end_row(past_row_end(self.tokens, self.index + 1))
            return
        elif not self.depth and not self.row and not self._is_begun():
            self._between_rows(name)
            return
        self.index += 1

    def _is_begun(self) -> bool:
        """Whether the cell that is open has anything in it so far."""
        self.cell_start = min(self.tokens.skip(self.cell_start), self.index)
        return self.cell_start < self.index

    def _between_rows(self, name: str) -> None:
        """A command where a row may begin: a rule, the end of a long table's head, or part of a cell."""
        index = self.index + 1
        if name in _RULES:
            if self.body.first_rule is None and self.body.rows:
                self.body.first_rule = len(self.body.rows)
            self.cell_start = self._past_arguments(index, _RULES[name])
        elif name in _BETWEEN:
            self.cell_start = self._past_arguments(index, _BETWEEN[name])
        elif name == "caption":
            self._caption(index)
        elif name in ("endfirsthead", "endhead") or name in _FOOTS:
            self._end_part(name)
            self.cell_start = index
        self.index = max(index, self.cell_start)

    def _past_arguments(self, index: int, arguments: int) -> int:
        items = self.tokens.items
        if index < len(items) and items[index].startswith("(") and items[index].endswith(")"):
            index += 1  # \cmidrule(lr){1-2}
        option = self.tokens.option(index) if index < len(items) and items[index] == "[" else None
        return self.tokens.after(option[1] + 1 if option else index, arguments)

    def _caption(self, index: int) -> None:
        option = self.tokens.option(index)
        argument = self.tokens.argument(option[1] + 1 if option else index)
        if argument:
            self.body.caption = self.body.caption or argument
            index = self.tokens.skip(argument[1] + 1)
            while index < len(self.tokens.items) and self.tokens.items[index] == "\\label":
                index = self.tokens.skip(self.tokens.after(index + 1, 1))
            if index < len(self.tokens.items) and self.tokens.items[index] in ("\\\\", "\\tabularnewline"):
                index = past_row_end(self.tokens, index + 1)
        self.cell_start = index

    def _end_part(self, name: str) -> None:
        """A long table tells its first head, the head of later pages, and two feet, before its rows."""
        if name not in _FOOTS and self.body.head is None:
            self.body.head = self.body.rows
        self.body.rows = []

    def _end_cell(self, following: int) -> None:
        self.row.append(read(self.tokens, self.cell_start, self.index))
        self.cell_start = following

    def _end_row(self, following: int) -> None:
        self._end_cell(following)
        self.body.rows.append(self.row)
        self.row = []
        self.index = following
