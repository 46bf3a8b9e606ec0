"""Make examples fit a limit: documents are cut, rows of tables left out, demonstrations shown while they fit.

In: examples, and the most characters of a prompt and of a table in each configuration. Out: the examples with
as much as fits in all configurations, the same in each. Pictures have no length but their marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..catalog.documents import PackedDocument, unpacked
from ..catalog.examples import DocumentCut, RowSample
from ..core.caches import IdentityCache
from ..core.errors import RecipeError
from ..core.seeds import generator
from ..core.texts import CHARACTERS_A_TOKEN, normalize
from ..tables import Table
from ..tables.documents import Block, Document, TextBlock, introduces, sentence_ends
from ..tables.documents.document import BETWEEN_BLOCKS, characters
from ..tables.row_samples import RowDraw
from .design import Configuration, designs, places
from .message import text_format, text_of

if TYPE_CHECKING:
    from ..catalog import Example
    from .builder import PromptBuilder

STEPS = 32
"""What a prompt holds beside its document counts in this part of the limit, rounded up: so questions of
different lengths are mostly shown the same part of a document."""

_ANY_ANSWER = "."  # of a step of a design, where a later one's prompt is measured
_TOO_LONG = 2  # times the limit, from which a document is cut without being written whole first
_MOST_KEPT = 2000  # parts of documents, and lengths of their blocks: questions share documents

Limits = Mapping[Configuration, int]
"""The most characters in each configuration."""

Place = tuple[int, int]
"""Whole blocks, and characters of the one after them."""


class _Limit(NamedTuple):
    """The most characters of the table, or of the whole prompt, in a configuration."""

    configuration: Configuration
    most: int
    of_prompt: bool


class Fitter:
    """Makes the examples of one card fit.

    A document is cut after a block or a sentence, never in a table, and not right after a heading or a
    sentence that introduces what is cut off. Rows of a table are drawn at random by (study's seed, data set,
    example), before any perturbation, so that another limit shows a part of them, or more beside them ("Table
    Meets LLM", section 2.2). What is shown depends on the example, the configurations and the limits alone.

    Args:
        builder: of the card's prompts.
        prompts: the most characters of a prompt; None for any.
        tables: the most characters of a table, of which some rows are shown then; None where all are.
        fits: whether an example shows only as many demonstrations as its prompts have room for.
    """

    def __init__(
        self, builder: PromptBuilder, prompts: Limits | None, tables: Limits | None, *, fits: bool
    ) -> None:
        prompts, tables = prompts or {}, tables or {}
        self._builder, self._fits = builder, fits and bool(prompts) and builder.shots > 0
        self._parts = 2 * max(builder.shots, 1)  # demonstrations take half of a prompt at most
        self._documents = {each: most for each, most in prompts.items() if _shows(builder, each, "document")}
        of_prompts, of_tables, of_demonstrations = [], [], []
        for each in {**prompts, **tables}:
            prompt, table, text = prompts.get(each), tables.get(each), _as_text(each)
            if text is not None and prompt is not None:
                of_prompts.append(_Limit(text, prompt, of_prompt=True))
            if text is None or table is None or not _shows(builder, each, "table"):
                continue
            of_tables.append(_Limit(text, table, of_prompt=False))
            if prompt is not None:
                of_tables.append(_Limit(text, prompt, of_prompt=True))
                if not fits or table >= prompt:
                    table = min(table, prompt // self._parts)
            of_demonstrations.append(_Limit(text, table, of_prompt=False))
        self._prompts, self._tables = of_prompts, of_tables
        self._tables_of_demonstrations = of_demonstrations
        self._shown: dict[str, Example | None] = {}
        self._kept: IdentityCache[Any] = IdentityCache(_MOST_KEPT, lambda _: 1)

    def fitted(self, example: Example) -> Example:
        """The example with as much as fits; itself where all does, and no demonstrations are counted.

        Raises:
            RecipeError: not even the first sentence or one row fits, a configuration refuses a table, or the
                pool has too few examples.
        """
        if not self._fits:
            shown = self._part(example)
            self._builder.demonstrations(shown)
            return shown
        shown = self._part(replace(example, demonstrations=0))
        number = len(self._builder.demonstrations(replace(example, demonstrations=None)))
        for limit in self._prompts:
            while number and self._excess(replace(shown, demonstrations=number), limit) > 0:
                number -= 1
        return replace(shown, demonstrations=number)

    def demonstration(self, example: Example) -> Example | None:
        """What a demonstration shows, in any prompt the same; None if it cannot be made so short.

        The documents of all demonstrations may take half of a prompt, and so may their tables, unless only
        those demonstrations are shown that fit.
        """
        if example.id not in self._shown:
            try:
                if example.document is None:
                    shown = self._sampled(example, self._tables_of_demonstrations)
                else:
                    rooms = {each: most // self._parts for each, most in self._documents.items()}
                    shown = self._shortened(example, rooms) if rooms else example
            except RecipeError:
                shown = None
            self._shown[example.id] = shown
        return self._shown[example.id]

    def _part(self, example: Example) -> Example:
        if example.document is None:
            return self._sampled(example, self._tables)
        return self._cut(example, example.document) if self._documents else example

    def _excess(self, example: Example, limit: _Limit) -> int:
        """By how many characters the table, or the longest prompt of a step, exceeds a limit."""
        if not limit.of_prompt:
            return len(self._builder.table_text(example, limit.configuration)) - limit.most
        return self._longest_prompt(example, limit.configuration) - limit.most

    def _longest_prompt(self, example: Example, configuration: Configuration) -> int:
        """Characters of the longest prompt of the design's steps, earlier answers left out."""
        lengths = []
        for step in designs.get(configuration.design).steps:
            answers = dict.fromkeys(step.after, _ANY_ANSWER)
            prompt = self._builder.build(example, configuration, step, answers)
            lengths.append(len(text_of(prompt)))
        return max(lengths)

    def _sampled(self, example: Example, limits: Collection[_Limit]) -> Example:
        """The example with as many rows of its table, drawn at random, as keep all limits."""
        excess = {limit: self._excess(example, limit) for limit in limits}
        if not any(more > 0 for more in excess.values()):
            return example
        builder = self._builder
        draw = RowDraw.of(example.table, generator(builder.seed, builder.card.dataset, example.id, "rows"))
        tightest_first = sorted(limits, key=lambda limit: -excess[limit])

        def about(rows: int) -> Example | None:
            return about_rows(example, draw.first(rows)) if rows else None

        def keeps(rows: int, limit: _Limit) -> bool:
            some = about(rows)
            return some is not None and self._excess(some, limit) <= 0

        shown, rows = example, len(draw.order)
        # a perturbation may make a smaller table the longer one, so what was measured is measured again
        while broken := next((each for each in tightest_first if self._excess(shown, each) > 0), None):
            rows = most_that(rows, partial(keeps, limit=broken))
            found = about(rows)
            if found is None:
                raise self._no_row(example, broken)
            shown = found
        return shown

    def _no_row(self, example: Example, limit: _Limit) -> RecipeError:
        what, expected = "table", "examples.table_tokens"
        if limit.of_prompt:
            what, expected = "prompt without its answer", "examples.context, or fewer shots"
        about = "" if example.ask_again is None else " that a question can be asked about"
        return RecipeError(
            f"{self._builder.card.name}: example {example.id!r} in configuration {limit.configuration.id}: a "
            f"{what} may take {limit.most // CHARACTERS_A_TOKEN:,} tokens, too few for the header and one row"
            f"{about}; expected a higher {expected}"
        )

    def _cut(self, example: Example, document: Document) -> Example:
        """The example with the beginning of its document that fits."""
        most = _TOO_LONG * max(self._documents.values())
        if _characters(document) <= most and not any(self._over(example).values()):
            return example
        empty = replace(example, document=Document(()))
        rooms = {}
        for each, most in self._documents.items():
            step = self._step(each)
            rooms[each] = most - -(-self._longest_prompt(empty, each) // step) * step
        while True:
            shown = self._shortened(example, rooms)
            over = self._over(shown)
            if not any(over.values()):
                return shown
            # blocks may be written longer where later ones are missing, as words are renamed by all tables
            rooms = {
                each: room - max(over[each], self._step(each)) if over[each] else room
                for each, room in rooms.items()
            }

    def _over(self, example: Example) -> dict[Configuration, int]:
        """By how many characters prompts with a document exceed the limit; 0 where they do not."""
        return {
            each: max(0, self._longest_prompt(example, each) - most) for each, most in self._documents.items()
        }

    def _step(self, configuration: Configuration) -> int:
        return max(1, self._documents[configuration] // STEPS)

    def _shortened(self, example: Example, rooms: Mapping[Configuration, int]) -> Example:
        """The example with the part of its document that has room in all configurations."""
        document: Document = example.document  # type: ignore[assignment]  # see the callers
        whole = document.blocks
        ends = {each: _end(whole, self._lengths(example, each), room) for each, room in rooms.items()}
        tightest = min(ends, key=lambda each: ends[each])
        blocks, part = _sensible(whole, ends[tightest])
        if blocks == len(whole):
            return example
        if not (blocks or part):
            raise self._no_sentence(example, document, tightest, rooms[tightest])

        def made() -> Document:
            return PackedDocument(unpacked(document).first(blocks, part).blocks, document.title)

        shown = self._kept.made_of(document, f"{blocks} {part}", made)
        lost = None if example.evidence is None else example.evidence >= len(shown.table_places)
        cut = DocumentCut(len(shown.blocks), len(whole), _characters(shown), _characters(document), lost)
        return replace(example, document=shown, cut=cut)

    def _lengths(self, example: Example, configuration: Configuration) -> list[int]:
        """Characters of the first blocks in a configuration, up to the block that exceeds the limit."""

        def measured() -> list[int]:
            lengths: list[int] = []
            left = self._documents[configuration]
            for text in self._builder.block_texts(example, configuration):
                lengths.append(len(text))
                left -= len(text)
                if left < 0:
                    break
            return lengths

        if not self._builder.is_shared(example, configuration):
            return measured()
        return self._kept.made_of(example.document, configuration.id, measured)  # type: ignore[no-any-return]

    def _no_sentence(
        self, example: Example, document: Document, configuration: Configuration, room: int
    ) -> RecipeError:
        first = next((each for each in document.blocks if not _is_heading(each)), document.blocks[0])
        what = "table" if isinstance(first, Table) else "sentence"
        return RecipeError(
            f"{self._builder.card.name}: example {example.id!r} in configuration {configuration.id}: of a "
            f"prompt of {_tokens(self._documents[configuration])} tokens {_tokens(max(room, 0))} are left "
            f"for its document, and its first {what} does not end there; expected a higher examples.context, "
            "or fewer shots"
        )


def _characters(document: Document) -> int:
    return sum(map(characters, document.blocks))


def most_that(beyond: int, holds: Callable[[int], bool]) -> int:
    """The largest number below ``beyond`` for which something holds that holds up to some number; or 0."""
    most = 0
    while beyond - most > 1:
        middle = (most + beyond) // 2
        if holds(middle):
            most = middle
        else:
            beyond = middle
    return most


def _shows(builder: PromptBuilder, configuration: Configuration, what: str) -> bool:
    design = designs.get(configuration.design)
    return not design.carries and what in places(design.template(builder.card))


def _as_text(configuration: Configuration) -> Configuration | None:
    """A configuration that shows a table's text alone; None where it has none, or composes nothing."""
    text = text_format(configuration.serializer)
    if not text or designs.get(configuration.design).carries:
        return None
    return replace(configuration, serializer=text)


def _end(blocks: Sequence[Block], lengths: Sequence[int], room: int) -> Place:
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


def _tokens(length: int) -> str:
    return f"{-(-length // CHARACTERS_A_TOKEN):,}"


_BETWEEN_ANSWERS = re.compile(r"\s*\|\s*|,\s+")


def about_rows(example: Example, shown: Table) -> Example | None:
    """The example with some rows of its table, and what that leaves of it in ``cut``.

    Where the question was made from the table it is made from these rows; where the answer can be worked out
    from the table it is worked out from these. None where they allow no question.
    """
    cut = RowSample(len(shown.body), len(example.table.body), None)
    if example.ask_again is not None:
        asked = example.ask_again(shown)
        return None if asked is None else replace(example, **asked, cut=replace(cut, lost_answer=False))
    if example.recompute is None:
        lost = answer_is_lost(example.references, example.table, shown)
        return replace(example, table=shown, cut=replace(cut, lost_answer=lost))
    answer = example.recompute(shown)
    if answer is None:
        return replace(example, table=shown, cut=replace(cut, lost_answer=True))
    cut = replace(cut, lost_answer=False)
    return replace(example, table=shown, cut=cut, references=(answer,), target=answer)


def answer_is_lost(references: Iterable[str], whole: Table, shown: Table) -> bool | None:
    """Whether no right answer stands in the shown rows any more; None where none stood in the table.

    An answer stands in a table if it is the text of a cell, or its parts are, divided by bars or commas.
    Texts are compared in normal form. One that stands in several rows is there as long as one of them is.
    """
    before, after = _texts(whole), _texts(shown)
    known = [parts for each in references if (parts := _parts(each, before))]
    return None if not known else not any(after.issuperset(parts) for parts in known)


def _parts(answer: str, texts: Collection[str]) -> list[str]:
    """The texts of cells that make up an answer; none where they are not all of it."""
    if normalize(answer) in texts:
        return [normalize(answer)]
    parts = [normalize(part) for part in _BETWEEN_ANSWERS.split(answer)]
    return parts if all(part in texts for part in parts) else []


def _texts(table: Table) -> set[str]:
    return {normalize(cell.text) for line in table.rows for cell in line} - {""}
