"""What can be added to any design's prompts about the table: notes that the model makes first, and facts.

After "Table Meets LLM" (Sui et al. 2024, section 4 and Table 6), in our own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...core.errors import RecipeError
from ...prompts import DefaultDesign, Design, Shown, Step
from ...prompts.design import SEPARATOR, places, refuse_documents
from ...tables import Table

if TYPE_CHECKING:
    from ...catalog import Card, Template
    from ...prompts import Configuration, Prompt

MOST_TOKENS = 400
"""The longest notes that a model may make, unless the study allows longer answers."""

MOST_MERGED = 50
"""Merged cells whose places are listed; the others are counted."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a model is asked about a table before the task.

    ``request`` asks for notes; ``heading`` introduces them in the prompt of the task.
    """

    name: str
    heading: str
    request: str


@dataclass(frozen=True, slots=True)
class Fact:
    """What is read off the table as it is shown, without the model; ``heading`` introduces it."""

    name: str
    heading: str
    of: Callable[[Table], str]


class AugmentedDesign(Design):
    """The prompts of another design, with more about the table below the asked example.

    Demonstrations stay as they are. Facts are in all prompts that show the example. Notes take a call each,
    without demonstrations, since these show answers of the task; the calls are independent of each other, and
    the notes are in the last prompt. If all notes are empty it is the other design's own. Prompts of a
    zero-shot example over a design of one user message begin alike, so that an engine with a prefix cache
    reads the table once.

    Args:
        name: the design's name.
        about: its first line in ``torr list designs``.
        asks: the notes that the model is asked for.
        facts: what the prompt says of the table.
        below: the design to which they are added.

    Raises:
        RecipeError: that sends prompts that are ready, or something would be added twice.
    """

    def __init__(
        self,
        name: str,
        about: str,
        asks: Sequence[Knowledge] = (),
        facts: Sequence[Fact] = (),
        below: Design | None = None,
    ) -> None:
        self.below = below = below or DefaultDesign()
        self.name, self.base, self.__doc__ = name, below.name, about
        self.asks, self.facts = tuple(asks), tuple(facts)
        self._check()
        # the study's stop texts, such as a line break, are meant for answers and would cut the notes off
        notes = [Step(ask.name, max_tokens=MOST_TOKENS, until=()) for ask in asks]
        *others, last = below.steps
        after = (*last.after, *(ask.name for ask in asks))
        self.steps = (*notes, *others, replace(last, after=after))

    def _check(self) -> None:
        if self.below.carries:
            raise RecipeError(
                f"design {self.name!r}: {self.below.name!r} sends the data set's own prompts, to which "
                "nothing can be added; expected another design after the '+', such as 'default'"
            )
        below = self.below.facts if isinstance(self.below, AugmentedDesign) else ()
        steps = [*(ask.name for ask in self.asks), *(step.name for step in self.below.steps)]
        facts = [fact.name for fact in (*self.facts, *below)]
        for name, times in Counter([*steps, *facts]).items():
            if times > 1:
                raise RecipeError(
                    f"design {self.name!r}: its parts have {name!r} {times} times; "
                    "expected each step and each fact once"
                )

    def over(self, below: Design) -> Design:
        """The same added to another design; what that adds itself, by its name, comes after it."""
        name, asks, facts = f"{self.name}{SEPARATOR}{below.name}", self.asks, self.facts
        if isinstance(below, AugmentedDesign) and SEPARATOR in below.name:
            asks, facts, below = (*asks, *below.asks), (*facts, *below.facts), below.below
        return AugmentedDesign(name, "", asks, facts, below)

    def compared_with(self, among: Collection[str]) -> str | None:
        """The first that a study has of: all but the first part, further parts left out, the last part.

        Else the same parts over the last part's base, as ``table_size+suc`` for ``table_size+suc_no_role``.
        """
        parts = self.name.split(SEPARATOR)
        shorter = [SEPARATOR.join(parts[start:]) for start in range(1, len(parts))]
        changed = [SEPARATOR.join([*parts[:-1], self.below.base])] if self.below.base and shorter else []
        return next((each for each in [*shorter, *changed] if each in among), self.base)

    def check(self, card: Card, configuration: Configuration) -> None:
        """Refuse what the other design refuses, and for facts a card without a table or with documents."""
        self.below.check(card, configuration)
        if self.facts:
            refuse_documents(self, card, configuration)
            if "table" not in places(self.template(card)):
                raise RecipeError(
                    f"{card.name}: configuration {configuration.id}: the card shows no table, about which "
                    f"{self.facts[0].name!r} could be said; expected the design {self.below.name!r}"
                )

    def template(self, card: Card) -> Template:
        """The other design's."""
        return self.below.template(card)

    def marked(self, table: str) -> str:
        """As the other design marks it."""
        return self.below.marked(table)

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The other design's."""
        return self.below.source(template, table, fields)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The other design's prompt with the facts, without notes."""
        return self.below.compose(self._with_facts(asked), demonstrations)

    def ask(self, asked: Shown, request: str) -> Prompt:
        """The other design's prompt that asks for notes, with the facts."""
        return self.below.ask(self._with_facts(asked), request)

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The request for notes, or the other design's first prompt with the facts."""
        request = next((each.request for each in self.asks if each.name == step.name), None)
        if request is not None:
            return self.ask(asked, request)
        return self._prompt_below(step, self._with_facts(asked), demonstrations, {})

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The other design's prompt with the facts, and in the last step with the notes below them."""
        shown = self._with_facts(asked)
        notes = [(each.heading, answers[each.name].strip()) for each in self.asks if each.name in step.after]
        return self._prompt_below(step, _with_notes(shown, notes), demonstrations, answers)

    def final_answer(self, answer: str) -> str:
        """The other design's."""
        return self.below.final_answer(answer)

    @property
    def scores_whole_answer(self) -> bool:
        """Whether the other design's whole answer is scored."""
        return self.below.scores_whole_answer

    def _with_facts(self, asked: Shown) -> Shown:
        if asked.table is None:
            return asked
        return _with_notes(asked, [(each.heading, each.of(asked.table)) for each in self.facts])

    def _prompt_below(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        own = next(each for each in self.below.steps if each.name == step.name)
        if len(self.below.steps) == 1:
            return self.below.compose(asked, demonstrations)
        if own.after:
            earlier = {name: answers[name] for name in own.after}
            return self.below.follow(own, asked, demonstrations, earlier)
        return self.below.begin(own, asked, demonstrations)


def _with_notes(asked: Shown, notes: Sequence[tuple[str, str]]) -> Shown:
    """The example with what is known of its table below it, each under its heading; empty ones left out."""
    written = [f"\n\n{heading}: {text}" for heading, text in notes if text]
    return replace(asked, source=f"{asked.source}{''.join(written)}") if written else asked


def size_text(table: Table) -> str:
    """Its rows without the header's, and its columns: ``9 rows below the header, 4 columns``."""
    below = " below the header" if table.header_rows else ""
    rows = table.n_rows - table.header_rows
    return f"{_number(rows, 'row')}{below}, {_number(table.n_columns, 'column')}"


def merged_cells_text(table: Table) -> str:
    """The places of the cells that cover several rows or columns, the first :data:`MOST_MERGED` of them.

    ``header row 0, columns 1 to 2; rows 3 to 5, column 0``, counted as in SUC's tasks: from 0, rows below the
    header.
    """
    merged = [
        f"{_rows(table, row, row + cell.rowspan - 1)}, {_columns(column, column + cell.colspan - 1)}"
        for row, line in enumerate(table.placed_rows if table.has_spans else [])
        for column, cell in line
        if (cell.rowspan, cell.colspan) != (1, 1)
    ]
    if not merged:
        return "none"
    more = f"; and {len(merged) - MOST_MERGED} more" if len(merged) > MOST_MERGED else ""
    below = ", rows below the header" if table.header_rows else ""
    return f"{'; '.join(merged[:MOST_MERGED])}{more} (counted from 0{below})"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rows(table: Table, first: int, last: int) -> str:
    begin, end = _row(table, first), _row(table, last)
    if first == last:
        return begin
    if (first < table.header_rows) != (last < table.header_rows):
        return f"{begin} to {end}"
    return f"{begin.replace('row', 'rows')} to {end.rpartition(' ')[2]}"


def _row(table: Table, row: int) -> str:
    return f"header row {row}" if row < table.header_rows else f"row {row - table.header_rows}"


def _columns(first: int, last: int) -> str:
    return f"column {first}" if first == last else f"columns {first} to {last}"


VALUES = Knowledge(
    "values",
    "Values and ranges that matter",
    "Do not do the task yet. First name the values and the ranges of values in the table that matter for it, "
    "in at most five sentences.",
)
FORMAT = Knowledge(
    "format",
    "How the table is written",
    "Do not do the task yet. First explain the format in which the table is written and what the table is "
    "about, in at most five sentences.",
)
STRUCTURE = Knowledge(
    "structure",
    "How the table is built",
    "Do not do the task yet. First describe how the table is built: its size, its headers, patterns and "
    "statistics of its values, in at most five sentences.",
)
TABLE_SIZE = Fact("table_size", "Size of the table", size_text)
MERGED_CELLS = Fact("merged_cells", "Merged cells", merged_cells_text)

AUGMENTED_DESIGNS = (
    AugmentedDesign(
        "self_augmented",
        "Two calls: name values and ranges that matter, then the task; over 'default' or what follows a '+'.",
        asks=[VALUES],
    ),
    AugmentedDesign(
        "self_augmented_all",
        "Four calls: values, format and structure, then the task; over 'default' or what follows a '+'.",
        asks=[VALUES, FORMAT, STRUCTURE],
    ),
    AugmentedDesign(
        "self_augmented_format",
        "Two calls: explain the table's format, then the task; over 'default' or what follows a '+'.",
        asks=[FORMAT],
    ),
    AugmentedDesign(
        "self_augmented_structure",
        "Two calls: describe the table's structure, then the task; over 'default' or what follows a '+'.",
        asks=[STRUCTURE],
    ),
    AugmentedDesign(
        "table_size",
        "The prompt says how large the table is; over 'default' or what follows a '+'.",
        facts=[TABLE_SIZE],
    ),
    AugmentedDesign(
        "merged_cells",
        "The prompt says where cells are merged; over 'default' or what follows a '+'.",
        facts=[MERGED_CELLS],
    ),
)
"""Each over ``default``; in front of a ``+`` their names add the same to any design."""
