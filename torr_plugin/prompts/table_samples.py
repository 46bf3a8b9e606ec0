"""Sample the rows of tables so that they, and their prompts, fit limits in every configuration.

In: examples, and the most characters of a table and of a prompt in each configuration. Out: the examples with
as many rows of their tables, drawn at random, as fit in all configurations, the same in each ("Table Meets
LLM", section 2.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..catalog.cuts import about_rows
from ..core.errors import RecipeError
from ..core.seeds import generator
from ..core.texts import CHARACTERS_A_TOKEN
from ..tables.row_samples import RowDraw
from .design import Configuration, places
from .message import text_format
from .prompt_lengths import longest_prompt
from .registered import designs

if TYPE_CHECKING:
    from ..catalog import Example
    from .builder import PromptBuilder


@dataclass(frozen=True, slots=True)
class _Limit:
    """The most characters of the table, or of the whole prompt, in a configuration."""

    configuration: Configuration
    most: int
    of_prompt: bool


class _Limits(dict[tuple[str, ...], _Limit]):
    """The tightest limit of each table as it is written, and of each prompt."""

    def add(self, limit: _Limit) -> None:
        each = limit.configuration
        key = (each.serializer, each.perturbation, *([each.design] if limit.of_prompt else []))
        if key not in self or limit.most < self[key].most:
            self[key] = limit


class TableSampler:
    """Samples the rows of the tables of one card's examples.

    The rows are drawn by (study's seed, data set, example), before any perturbation, so that another limit
    shows a part of them, or more beside them. Tables as pictures have no length; the rows of their text count
    where a serializer shows both. Documents and their tables are left alone.

    Args:
        builder: of the card's prompts; what it shows as demonstrations is sampled by :meth:`demonstration`.
        tables: the most characters of a table, for each configuration.
        most: the most characters of a prompt, likewise; None for any.
    """

    def __init__(
        self,
        builder: PromptBuilder,
        tables: Mapping[Configuration, int],
        most: Mapping[Configuration, int] | None,
    ) -> None:
        self._builder = builder
        asked, demonstrating, parts = _Limits(), _Limits(), 2 * max(builder.shots, 1)
        for configuration, as_text in _measured(builder, tables):
            room = tables[configuration]
            asked.add(_Limit(as_text, room, of_prompt=False))
            if most is not None:
                prompt = most[configuration]
                asked.add(_Limit(as_text, prompt, of_prompt=True))
                if room >= prompt or not builder.fits:
                    room = min(room, prompt // parts)
            demonstrating.add(_Limit(as_text, room, of_prompt=False))
        self._asked, self._demonstrating = tuple(asked.values()), tuple(demonstrating.values())

    def cut(self, example: Example) -> Example:
        """The example with a sample of its table's rows; the example itself where all of them fit.

        Raises:
            RecipeError: not even one row fits, or a configuration refuses the table.
        """
        return self._within(example, self._asked)

    def demonstration(self, example: Example) -> Example:
        """The same of a demonstration.

        The tables of all of them may take half of a prompt, unless only those are shown that fit.

        Raises:
            RecipeError: as :meth:`cut`.
        """
        return self._within(example, self._demonstrating)

    def _within(self, example: Example, limits: Collection[_Limit]) -> Example:
        if example.document is not None:
            return example
        excess = {limit: self._length(example, limit) - limit.most for limit in limits}
        if not any(more > 0 for more in excess.values()):
            return example
        builder = self._builder
        draw = RowDraw.of(example.table, generator(builder.seed, builder.card.dataset, example.id, "rows"))
        rows = len(draw.order)
        tightest_first = sorted(limits, key=lambda limit: -excess[limit])
        shown = example
        # a perturbation may make a smaller table the longer one, so what was measured is measured again
        while broken := next(filter(lambda limit: self._exceeds(shown, limit), tightest_first), None):
            rows = self._most_rows(example, draw, broken, rows)
            fitting = _about(example, draw, rows) if rows else None
            if fitting is None:
                raise self._cannot(example, broken)
            shown = fitting
        return shown

    def _most_rows(self, example: Example, draw: RowDraw, limit: _Limit, beyond: int) -> int:
        """A number of rows that keeps a limit while one more does not, below ``beyond``; 0 for none."""
        fits = 0
        while beyond - fits > 1:
            rows = (fits + beyond) // 2
            if self._exceeds(_about(example, draw, rows), limit):
                beyond = rows
            else:
                fits = rows
        return fits

    def _exceeds(self, example: Example | None, limit: _Limit) -> bool:
        """Whether an example is too long, or cannot be asked about its rows."""
        return example is None or self._length(example, limit) > limit.most

    def _length(self, example: Example, limit: _Limit) -> int:
        if limit.of_prompt:
            return longest_prompt(self._builder, example, limit.configuration)
        return len(self._builder.table_text(example, limit.configuration))

    def _cannot(self, example: Example, limit: _Limit) -> RecipeError:
        what, expected = "table", "examples.table_tokens"
        if limit.of_prompt:
            what, expected = "prompt without its answer", "examples.context, or fewer shots"
        about = "" if example.ask_again is None else " that a question can be asked about"
        return RecipeError(
            f"{self._builder.card.name}: example {example.id!r} in configuration {limit.configuration.id}: a "
            f"{what} may take {limit.most // CHARACTERS_A_TOKEN:,} tokens, too few for the header and one row"
            f"{about}; expected a higher {expected}"
        )


def _about(example: Example, draw: RowDraw, rows: int) -> Example | None:
    return about_rows(example, draw.first(rows), draw.rows(rows))


def _measured(
    builder: PromptBuilder, configurations: Collection[Configuration]
) -> Iterator[tuple[Configuration, Configuration]]:
    """The configurations that write a table as text, each with one that shows that text alone."""
    for each in configurations:
        design, text = designs.get(each.design), text_format(each.serializer)
        if text and not design.carries and "table" in places(design.template(builder.card)):
            yield each, replace(each, serializer=text)
