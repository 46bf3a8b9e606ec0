"""Cut the documents of examples so that their prompts fit a limit in every configuration.

In: examples, and the most characters of a prompt in each configuration. Out: the examples with as much of
their documents, from the beginning, as fits in all configurations, the same in each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalog.cuts import DocumentCut
from ..catalog.documents import PackedDocument, unpacked
from ..core.caches import IdentityCache
from ..core.errors import RecipeError
from ..core.texts import CHARACTERS_A_TOKEN
from ..tables import Table, perturbations
from ..tables.documents import Block, Document, TextBlock, introduces, sentence_ends
from ..tables.documents.document import BETWEEN_BLOCKS, characters
from .design import Configuration, places
from .message import text_format
from .prompt_lengths import longest_prompt
from .registered import designs
from .rendering import is_shared

if TYPE_CHECKING:
    from ..catalog import Example
    from .builder import PromptBuilder

STEPS = 32
"""What a prompt holds beside its document counts in this part of the limit, rounded up: so questions of
different lengths are mostly shown the same part of a document."""

_AHEAD = 2  # a document is looked at up to so many times the limit in characters, before it is written
_MOST_LENGTHS = 1_000_000  # of blocks, that are kept
_MOST_DOCUMENTS = 200  # that are kept, packed, as far as they were looked at

_EMPTY = Document(())

Place = tuple[int, int]
"""Whole blocks, and characters of the one after them."""


class DocumentCutter:
    """Cuts the documents of one card's examples.

    A document is cut after a block or a sentence, never in a table, and not right after a heading or a
    sentence that introduces what is cut off. The cut depends on the example, the configurations and the limit
    alone.

    Args:
        builder: of the card's prompts; what it shows as demonstrations is cut by :meth:`demonstration`.
        most: the most characters of a prompt, for each configuration.
    """

    def __init__(self, builder: PromptBuilder, most: Mapping[Configuration, int]) -> None:
        self._builder = builder
        self._most = {each: limit for each, limit in most.items() if _shows_document(builder, each)}
        self._longest = max(most.values())
        self._looked_at: IdentityCache[tuple[Document, int]] = IdentityCache(_MOST_DOCUMENTS, lambda _: 1)
        self._cut: IdentityCache[Document] = IdentityCache(
            0, lambda _: 0
        )  # all: examples share and keep them
        self._lengths: IdentityCache[list[int]] = IdentityCache(_MOST_LENGTHS, len)

    def cut(self, example: Example) -> Example:
        """The example with the beginning of its document; the example itself where all of it fits.

        Raises:
            RecipeError: not even the first sentence fits, or a configuration refuses a table.
        """
        if example.document is None or not self._most:
            return example
        ahead = self._ahead(example.document)
        if ahead is example.document and not any(self._excess(example).values()):
            return example
        rooms = {each: limit - self._rest(example, each) for each, limit in self._most.items()}
        while True:
            shown = self._shortened(example, rooms)
            excess = self._excess(shown)
            if not any(excess.values()):
                return shown
            # blocks may be written longer where later ones are missing, as words are renamed by all tables
            rooms = {
                each: room - max(excess[each], self._step(each)) if excess[each] else room
                for each, room in rooms.items()
            }

    def demonstration(self, example: Example) -> Example:
        """The same of a demonstration; the documents of all in a prompt may take half of it.

        Raises:
            RecipeError: as :meth:`cut`.
        """
        if example.document is None or not self._most:
            return example
        parts = 2 * max(self._builder.shots, 1)
        rooms = {each: limit // parts for each, limit in self._most.items()}
        return self._shortened(example, rooms)

    def _ahead(self, document: Document) -> Document:
        """The document, or as much of it as can matter, so that no more is perturbed and written."""
        return self._looked_at.made_of(document, "", lambda: self._look_at(document))[0]

    def _look_at(self, document: Document) -> tuple[Document, int]:
        blocks = unpacked(document).blocks
        total = sum(map(characters, blocks))
        # pictures of tables take the characters of their marks alone
        if total <= _AHEAD * self._longest or not any(text_format(each.serializer) for each in self._most):
            return document, total
        left = _AHEAD * self._longest
        for place, block in enumerate(blocks):
            left -= characters(block)
            if left < 0:
                return PackedDocument(blocks[: place + 1], document.title), total
        return document, total

    def _shortened(self, example: Example, rooms: Mapping[Configuration, int]) -> Example:
        """The example with the part of its document that has room in all configurations."""
        document: Document = example.document  # type: ignore[assignment]  # see the callers
        ahead = self._ahead(document)
        trial = example if ahead is document else replace(example, document=ahead)
        found = {
            each: _place(ahead.blocks, self._block_lengths(trial, each), room) for each, room in rooms.items()
        }
        tightest = min(found, key=lambda each: found[each])
        blocks, part = _sensible(ahead.blocks, found[tightest])
        if blocks == len(document.blocks):
            return example
        if not (blocks or part):
            raise self._cannot(trial, tightest, rooms[tightest])
        shown = self._cut.made_of(document, f"{blocks} {part}", lambda: _packed(ahead, blocks, part))
        return replace(example, document=shown, cut=self._cut_of(example, document, shown))

    def _cut_of(self, example: Example, document: Document, shown: Document) -> DocumentCut:
        total = self._looked_at.made_of(document, "", lambda: self._look_at(document))[1]
        lost = None if example.evidence is None else example.evidence >= len(shown.table_places)
        return DocumentCut(
            len(shown.blocks), len(document.blocks), sum(map(characters, shown.blocks)), total, lost
        )

    def _block_lengths(self, example: Example, configuration: Configuration) -> list[int]:
        """Characters of the first blocks in a configuration, up to the block that exceeds the limit."""

        def measured() -> list[int]:
            lengths: list[int] = []
            left = self._most[configuration]
            for text in self._builder.block_texts(example, configuration):
                lengths.append(len(text))
                left -= len(text)
                if left < 0:
                    break
            return lengths

        if not is_shared(example, perturbations.get(configuration.perturbation)):
            return measured()
        return self._lengths.made_of(example.document, configuration.id, measured)

    def _rest(self, example: Example, configuration: Configuration) -> int:
        """Characters of a prompt without the document, in whole :data:`STEPS` of the limit."""
        step = self._step(configuration)
        rest = longest_prompt(self._builder, replace(example, document=_EMPTY), configuration)
        return -(-rest // step) * step

    def _step(self, configuration: Configuration) -> int:
        return max(1, self._most[configuration] // STEPS)

    def _excess(self, example: Example) -> dict[Configuration, int]:
        """By how many characters prompts exceed the limit; 0 where they do not."""
        return {
            each: max(0, longest_prompt(self._builder, example, each) - limit)
            for each, limit in self._most.items()
        }

    def _cannot(self, example: Example, configuration: Configuration, room: int) -> RecipeError:
        blocks = [] if example.document is None else example.document.blocks
        first = next((place for place, each in enumerate(blocks) if not _is_heading(each)), 0)
        what = "table" if isinstance(blocks[first], Table) else "sentence"
        return RecipeError(
            f"{self._builder.card.name}: example {example.id!r} in configuration {configuration.id}: of a "
            f"prompt of {_tokens(self._most[configuration])} tokens {_tokens(max(room, 0))} are left for its "
            f"document, and its first {what} does not end there; expected a higher examples.context, or "
            "fewer shots"
        )


def _shows_document(builder: PromptBuilder, configuration: Configuration) -> bool:
    design = designs.get(configuration.design)
    return not design.carries and "document" in places(design.template(builder.card))


def _place(blocks: Sequence[Block], lengths: Sequence[int], room: int) -> Place:
    """Where a document must end to take at most ``room`` characters, of blocks with these lengths."""
    for place, (block, length) in enumerate(zip(blocks, lengths, strict=False)):
        written = length + (len(BETWEEN_BLOCKS) if place else 0)
        if written > room:
            if isinstance(block, Table) or _is_heading(block):
                return place, 0
            left = room - (written - len(block.text))
            return place, max([end for end in sentence_ends(block.text) if end <= left], default=0)
        room -= written
    return len(blocks), 0


def _sensible(blocks: Sequence[Block], place: Place) -> Place:
    """The place, before headings and an introduction that nothing would follow; not before all text."""
    place = _without_headings(blocks, place)
    earlier = _without_headings(blocks, _without_introduction(blocks, place))
    return earlier if any(earlier) else place


def _without_introduction(blocks: Sequence[Block], place: Place) -> Place:
    """The place, before a last sentence that introduces what comes next, such as a table."""
    whole, part = place
    last = whole if part else whole - 1
    block = blocks[last] if 0 <= last < len(blocks) and whole < len(blocks) else None
    if not isinstance(block, TextBlock):
        return place
    text = block.text[:part] if part else block.text
    *earlier, end = (0, *sentence_ends(text))
    start = earlier[-1] if earlier else 0
    return (last, start) if introduces(text[start:end]) else place


def _without_headings(blocks: Sequence[Block], place: Place) -> Place:
    """The place, before headings that nothing would follow."""
    whole, part = place
    while not part and 0 < whole < len(blocks) and _is_heading(blocks[whole - 1]):
        whole -= 1
    return whole, part


def _is_heading(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.kind == "heading"


def _packed(document: Document, blocks: int, part: int) -> Document:
    return PackedDocument(unpacked(document).first(blocks, part).blocks, document.title)


def _tokens(length: int) -> str:
    return f"{-(-length // CHARACTERS_A_TOKEN):,}"
