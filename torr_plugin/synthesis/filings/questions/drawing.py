"""Draw questions on a filing, no two of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias

from ....core.seeds import seed as seeded
from ..filing import Filing
from .across_tables import across_statements, across_units
from .analysis import ANALYSES
from .calculation import CALCULATIONS
from .extraction import cell
from .question import LEVELS, FilingQuestion, Level, Source

_TRIES = 20
_TABLES = 15

OfOneTable: TypeAlias = "Callable[[Random, Source], FilingQuestion | None]"
OfAllTables: TypeAlias = "Callable[[Random, Mapping[str, Source]], FilingQuestion | None]"


def draw_questions(
    filing: Filing, count: int, *, seed: int, levels: Sequence[Level] = LEVELS
) -> tuple[FilingQuestion, ...]:
    """So many different questions, the levels in turn; fewer where a short filing allows no more."""
    sources = {sheet.name: Source(sheet, number) for number, sheet in enumerate(filing.sheets)}
    random = Random(seeded(seed, "filing", "questions", *levels))  # noqa: S311
    made: dict[str, FilingQuestion] = {}
    for number in range(count):
        kinds = _KINDS[levels[number % len(levels)]]
        for _ in range(_TRIES):
            question = random.choice(kinds)(random, sources)
            if question is not None and question.question not in made:
                made[question.question] = question
                break
    return tuple(made.values())


def _of_some_table(make: OfOneTable) -> OfAllTables:
    """Tries tables until one allows a question of the kind, so that rare kinds are drawn as often."""

    def drawn(random: Random, sources: Mapping[str, Source]) -> FilingQuestion | None:
        some = random.sample(list(sources.values()), min(len(sources), _TABLES))
        return next((made for source in some if (made := make(random, source)) is not None), None)

    return drawn


_KINDS: Mapping[Level, Sequence[OfAllTables]] = {
    "extraction": [_of_some_table(cell)],
    "calculation": [*map(_of_some_table, CALCULATIONS), across_statements, across_units],
    "analysis": [*map(_of_some_table, ANALYSES)],
}
