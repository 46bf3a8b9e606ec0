"""The document: an immutable value of blocks of text and tables in order, with its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

from ...core.errors import ParseError, TableError, counted
from ..serializers.json import Json
from ..serializers.markup import Html, escape
from ..table import Table

TextKind: TypeAlias = Literal["heading", "paragraph", "note"]
_KINDS: tuple[str, ...] = get_args(TextKind)
_MOST_LEVELS = 9
_HTML, _JSON = Html(), Json()

BETWEEN_BLOCKS = "\n\n"
"""What stands between the blocks of a written document."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of running text: a heading of a level (1 is the outermost), a paragraph, or a note to a table.

    Raises:
        TableError: another kind, or a level that is not 0 to 9.
    """

    text: str
    kind: TextKind = "paragraph"
    level: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise TableError(f"the kind of a text block is {self.kind!r}; expected {', '.join(_KINDS)}")
        if not 0 <= self.level <= _MOST_LEVELS:
            raise TableError(f"the level of a text block is {self.level}; expected 0 to {_MOST_LEVELS}")


Block: TypeAlias = "TextBlock | Table"


def characters(block: Block) -> int:
    """The length of a text; of a table, that of its cells' texts, each once, without title and notes."""
    if isinstance(block, TextBlock):
        return len(block.text)
    return sum([len(cell.text) for row in block.rows for cell in row])


@dataclass(frozen=True)
class Document:
    """Blocks in reading order, and the document's name."""

    blocks: tuple[Block, ...]
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(self.blocks))

    @cached_property
    def table_places(self) -> tuple[int, ...]:
        """For each table, in order, its place among the blocks."""
        return tuple([place for place, block in enumerate(self.blocks) if isinstance(block, Table)])

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables in order; a table's place here is its number."""
        return tuple([block for block in self.blocks if isinstance(block, Table)])

    @property
    def texts(self) -> tuple[TextBlock, ...]:
        """The blocks of text in order."""
        return tuple([block for block in self.blocks if isinstance(block, TextBlock)])

    def with_tables(self, tables: Iterable[Table]) -> Document:
        """A copy with other tables in the places of its own.

        Raises:
            TableError: more or fewer tables than the document has.
        """
        given = tuple(tables)
        if len(given) != len(self.table_places):
            raise TableError(
                f"the document has {counted(len(self.table_places), 'table')}, but got {len(given)}"
            )
        blocks = list(self.blocks)
        for place, table in zip(self.table_places, given, strict=True):
            blocks[place] = table
        return replace(self, blocks=tuple(blocks))

    def with_words(self, reworded: Callable[[str], str]) -> Document:
        """A copy with every block of text passed through ``reworded``; tables stay."""
        blocks = [
            replace(block, text=reworded(block.text)) if isinstance(block, TextBlock) else block
            for block in self.blocks
        ]
        return replace(self, blocks=tuple(blocks))

    def first(self, blocks: int, characters: int = 0) -> Document:
        """The first blocks, and of the block of text after them the first ``characters``.

        See :func:`sentence_ends` for sensible numbers of characters; tables are never cut.
        """
        kept = self.blocks[:blocks]
        last = self.blocks[blocks] if characters and blocks < len(self.blocks) else None
        if isinstance(last, TextBlock):
            kept = (*kept, replace(last, text=last.text[:characters].rstrip()))
        return replace(self, blocks=kept)

    def written(self, table_text: Callable[[Table], str]) -> str:
        """All blocks with a blank line between them, each table as ``table_text`` writes it."""
        return BETWEEN_BLOCKS.join(
            [block.text if isinstance(block, TextBlock) else table_text(block) for block in self.blocks]
        )

    def to_json(self) -> str:
        """One JSON object: ``title`` and ``blocks``, each ``{"heading": text, "level": 1}``,
        ``{"paragraph": text}``, ``{"note": text}`` or ``{"table": ...}`` as the format ``json`` writes it.
        """  # noqa: D205
        blocks = ",\n".join(map(_block_json, self.blocks))
        return f'{{"title": {_dump(self.title)}, "blocks": [\n{blocks}\n]}}'

    @classmethod
    def of_json(cls, text: str) -> Document:
        """The inverse of :meth:`to_json`, but for cells' values and styles (:attr:`Table.texts_only`).

        Raises:
            ParseError: no JSON, or not of that shape; the message has the block's number.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"document: no JSON ({type(error).__name__}); it starts {text[:40]!r}") from None
        if not isinstance(data, dict) or not isinstance(data.get("blocks"), list):
            raise ParseError(f"document: expected an object with 'blocks', found {text[:40]!r}")
        if unknown := data.keys() - {"title", "blocks"}:
            raise ParseError(f"document: unknown key {min(unknown)[:40]!r}; expected title, blocks")
        title = data.get("title", "")
        if not isinstance(title, str):
            raise ParseError(f"document: 'title' is {str(title)[:40]!r}; expected a text")
        return cls(tuple([_block_of(block, n) for n, block in enumerate(data["blocks"])]), title)


def _block_json(block: Block) -> str:
    if isinstance(block, Table):
        return f'{{"table": {_JSON.serialize(block)}}}'
    level = f', "level": {block.level}' if block.level else ""
    return f'{{"{block.kind}": {_dump(block.text)}{level}}}'


def _block_of(data: Any, number: int) -> Block:
    where = f"document: block {number}"
    if not isinstance(data, Mapping) or len(data.keys() & {*_KINDS, "table"}) != 1:
        raise ParseError(
            f"{where} is {str(data)[:40]!r}; expected an object with one of {', '.join(_KINDS)} or table"
        )
    key = next(iter(data.keys() & {*_KINDS, "table"}))
    if unknown := data.keys() - {key, *(() if key == "table" else ("level",))}:
        raise ParseError(f"{where} has an unknown key {min(unknown)[:40]!r} beside {key!r}")
    if key != "table" and (not isinstance(data[key], str) or type(data.get("level", 0)) is not int):
        raise ParseError(f"{where} is {str(data)[:60]!r}; expected a text and a whole number 'level'")
    try:
        if key == "table":
            return _JSON.parse(json.dumps(data[key]))
        return TextBlock(data[key], key, data.get("level", 0))
    except TableError as error:
        raise ParseError(f"{where}: {error}") from None


def _dump(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def to_html(document: Document) -> str:
    """Canonical HTML: ``h1`` to ``h6``, ``p``, notes as ``<p class="note">``, tables as the format ``html``.

    Reading it back makes notes that follow a table as blocks the table's own.
    """
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html><head><meta charset="utf-8"><title>{escape(document.title)}</title></head><body>',
            *map(_block_html, document.blocks),
            "</body></html>\n",
        ]
    )


def _block_html(block: Block) -> str:
    if not isinstance(block, TextBlock):
        return _HTML.serialize(block)
    if block.kind == "heading":
        level = min(max(block.level, 1), 6)
        return f"<h{level}>{escape(block.text)}</h{level}>"
    mark = ' class="note"' if block.kind == "note" else ""
    return f"<p{mark}>{escape(block.text)}</p>"


# a full stop, closing quotes or parentheses, then white space and what may begin a sentence
_END = re.compile(r"[.!?]['\"\u2019\u201d)\]]*(?=\s+['\"\u2018\u201c(\[]*[A-Z0-9$\u20ac\u00a3])|\n")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\u201c\"])(?:[A-Za-z]|[A-Z]\.[A-Z]|Mr|Mrs|Ms|Dr|St|Inc|Corp|Co|Ltd|No|Nos|vs|cf|Fig|Sec|approx|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.\Z"
)


def sentence_ends(text: str) -> tuple[int, ...]:
    """Where the sentences of a text end, as numbers of characters, the whole length last; none if empty.

    Initials and common abbreviations (``U.S.``, ``No. 5``, ``Inc.``) end no sentence.
    """
    ends = [
        match.end()
        for match in _END.finditer(text)
        if match[0] == "\n" or not _ABBREVIATED.search(text, max(0, match.start() - 8), match.start() + 1)
    ]
    return (*(end for end in ends if end < len(text)), *([len(text)] if text else []))
