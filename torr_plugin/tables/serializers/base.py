"""The interface of a serializer, which writes, reads, explains and finds one format."""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...core.errors import InputError, SerializationError, described
from ..table import Table

_log = logging.getLogger(__name__)

PARAGRAPH = re.compile(r"[^\n]+(?:\n(?![ \t]*\n)[^\n]*)*")
_MOSTPARAGRAPHS = 30
_MOST_TRIMMED = 2
_LEAST_SHARE = 0.02
_COST_OF_CHANGE = 4


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table found in a text.

    Attributes:
        table: the table.
        start: where it begins in the text.
        stop: where it ends, not included.
        explained: how many characters of the stretch are the format's own marks rather than cells' texts,
            minus four for each character that serializing the table again would drop or add.
        is_exact: whether serializing the table again gives exactly the stretch.
    """

    table: Table
    start: int
    stop: int
    explained: int
    is_exact: bool


class Serializer(ABC):
    """Writes a table as text, and reads it back where the format allows.

    Attributes:
        name: its name in configuration ids.
        lossless: promises ``parse(serialize(t)) == t`` for every table.
        marks: strings that every text of the format holds; a text that lacks one is not searched for tables.
        pattern: matches a table of the format in a text, for formats that their own marks delimit.
        explanation: one or two sentences for prompts that explain the format. Designs that explain formats
            refuse one without.
    """

    name: str
    lossless: bool = False
    marks: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    explanation: str = ""

    @abstractmethod
    def serialize(self, table: Table) -> str:
        """Write the table as text.

        Raises:
            SerializationError: the format cannot hold this table; nothing is dropped silently.
        """

    def parse(self, text: str) -> Table:
        """Read a table from text.

        Raises:
            ParseError: the text is not a table in this format.
            SerializationError: the format has no inverse.
        """
        raise SerializationError(
            f"{self.name!r} cannot be read back: the format has no inverse; use 'csv' or 'html'"
        )

    @property
    def is_readable(self) -> bool:
        """Whether the format can find its tables in a text: it implements ``parse`` or ``find``."""
        return type(self).parse is not Serializer.parse or type(self).find is not Serializer.find

    @property
    def searches_blocks(self) -> bool:
        """Whether ``find`` tries every block of lines, for want of marks that delimit a table."""
        return self.pattern is None and type(self).find is Serializer.find

    def find(self, text: str) -> FoundTable | None:
        """The table of this format in a text such as a prompt, and its place; None where there is none.

        With a ``pattern`` it is the first match. Otherwise ``parse`` tries every block of lines: the whole
        text, its paragraphs, and these without a line or two at either end. The block that the format
        explains best wins; one in which it explains little more than the ends of lines is prose.
        """
        if not all(mark in text for mark in self.marks):
            return None
        if self.pattern:
            match = self.pattern.search(text)
            return self.read(text, *match.span()) if match else None
        found: FoundTable | None = None
        for start, stop in _blocks(text):
            reading = self.read(text, start, stop)
            if reading and reading.explained >= max(reading.table.n_rows, _LEAST_SHARE * (stop - start)):
                found = max(found or reading, reading, key=lambda each: each.explained)
                if reading.is_exact:  # shorter blocks explain less
                    break
        return found

    def read(self, text: str, start: int, stop: int) -> FoundTable | None:
        """Parse a stretch of a text; None where ``parse`` refuses it.

        An exception that is no refusal (:class:`ParseError`, :class:`SerializationError`) is warned of once.
        """
        block = text[start:stop]
        try:
            table = self.parse(block)
            again = self.serialize(table)
        except InputError:
            return None
        except Exception as error:  # a plugin's parser may raise anything
            _warn(self.name, described(error))
            return None
        changed = 0 if again == block else _difference(block, again)
        explained = len(block) - _content(table) - _COST_OF_CHANGE * changed
        return FoundTable(table, start, stop, explained, again == block)

    def read_best(self, text: str, spans: Iterable[tuple[int, int]]) -> FoundTable | None:
        """The stretch of a text that the format explains best, the first of equals."""
        readings = [reading for span in spans if (reading := self.read(text, *span))]
        return max(readings, key=lambda each: each.explained, default=None)


_warned = set[str]()
"""The names of the serializers that were warned of."""


def _warn(name: str, error: str) -> None:
    from . import origin

    if name in _warned:
        return
    _warned.add(name)
    _log.warning(
        "serializer %r of %s fails on a text (%s); expected ParseError where it is no table of the format",
        name,
        origin(name),
        error,
    )


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG file of a table, or of the part of it that ``part`` names (empty for the whole table)."""

    png: bytes
    part: str = ""


class PictureSerializer(Serializer):
    """Draws a table as one picture or several, for models with vision.

    Studies name it like any other format; prompts show the result of :meth:`pictures` instead of text, and
    with a ``text_format`` the table in that format after them.
    """

    text_format: str = ""

    @abstractmethod
    def draw(self, table: Table) -> bytes:
        """Draw the whole table as one PNG file; tables of equal cells and styles give equal bytes.

        Raises:
            InputError: the table cannot be drawn, or the library that draws is not installed (with the
                command that installs it).
        """

    def pictures(self, table: Table) -> tuple[Picture, ...]:
        """The pictures that show a table, in reading order; by default one of the whole table.

        Raises:
            InputError: as for :meth:`draw`.
        """
        return (Picture(self.draw(table)),)

    def serialize(self, table: Table) -> str:
        """Refuse: a picture has no text.

        Raises:
            SerializationError: always.
        """
        raise SerializationError(f"{self.name!r} draws the table: it is a picture and has no text")


def picture_places(pictures: Sequence[Picture], marks: Sequence[str], text: str = "") -> str:
    """What stands in a prompt where a table is shown as pictures: a mark for each, and the table's text.

    Of several pictures a line says which part of the table each shows.
    """
    if len(pictures) == 1:
        shown = marks[0]
    else:
        count = len(pictures)
        parts = [
            f"Picture {number} of {count}: {picture.part}\n{mark}"
            for number, (picture, mark) in enumerate(zip(pictures, marks, strict=True), 1)
        ]
        shown = "\n".join([f"The table is shown in {count} pictures.", *parts])
    return f"{shown}\nThe same table as text:\n{text}" if text else shown


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text that may be a table, longest first."""
    spans = {(match.start(), match.end()) for match in PARAGRAPH.finditer(text)}
    spans = set(sorted(spans, key=lambda span: span[0] - span[1])[:_MOSTPARAGRAPHS])
    inner = text.strip("\n")
    begin = text.find(inner)
    whole = (begin, begin + len(inner))
    trimmed = {each for span in (whole, *spans) for each in _trimmed(text, *span)}
    yield from sorted(trimmed, key=lambda span: (span[0] - span[1], span[0]))


def _trimmed(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """A stretch of lines, and the same without up to two lines at either end."""
    starts = [start, *(start + match.end() for match in re.finditer("\n", text[start:stop]))]
    ends = [*(at - 1 for at in starts[1:]), stop]
    for first in range(min(_MOST_TRIMMED + 1, len(starts))):
        for last in range(max(first, len(ends) - 1 - _MOST_TRIMMED), len(ends)):
            if starts[first] < ends[last]:
                yield starts[first], ends[last]


def _content(table: Table) -> int:
    """The number of characters in cells, title and notes."""
    cells = sum(len(cell.text) for row in table.rows for cell in row)
    return cells + len(table.title) + sum(map(len, table.notes))


def _difference(one: str, other: str) -> int:
    """How many characters one of two texts has and the other lacks, regardless of their order."""
    counts, others = Counter(one), Counter(other)
    return (counts - others).total() + (others - counts).total()
