"""Analysis: open questions whose reference answers are made of computed facts.

The facts hold by construction; that the reference is a good answer, and the only one, does not. A rubric
lists the facts that a good answer has, and answers are judged by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import TypeAlias

from ..measures import Figure, magnitude, percentage
from ..sheet import Place
from .question import FilingQuestion, Source

Analysis: TypeAlias = "Callable[[Random, Source], FilingQuestion | None]"


@dataclass(frozen=True, slots=True)
class History:
    """A row over the years of one series of columns, earliest first."""

    source: Source
    places: tuple[Place, ...]

    @property
    def years(self) -> list[int]:
        """The fiscal years."""
        return [self.source.sheet.columns[place.column].year or 0 for place in self.places]

    @property
    def figures(self) -> list[Figure]:
        """The figures, nil as 0."""
        return [self.at(self.places[0].line, place.column) for place in self.places]

    @property
    def name(self) -> str:
        """The quoted label of the row."""
        return self.source.row(self.places[0])

    @property
    def inside(self) -> str:
        """Which columns are meant, where the table has several series."""
        series = self.source.sheet.columns[self.places[0].column].series
        return f' in the columns "{series}"' if series else ""

    @property
    def parts(self) -> list[int]:
        """The lines that the row adds up."""
        return list(self.source.sheet.addends(self.places[0].line))

    def at(self, line: int, column: int) -> Figure:
        """A figure, nil and empty as 0."""
        return self.source.sheet.lines[line].figures[column] or 0

    def money(self, figure: Figure) -> str:
        """An amount with its unit."""
        return self.source.sheet.measure(self.places[0]).answer(figure)

    def last(self, count: int) -> History:
        """The latest years alone."""
        return History(self.source, self.places[-count:])

    def label(self, line: int) -> str:
        """The label of a line."""
        return self.source.sheet.lines[line].label

    def with_parts(self) -> list[Place]:
        """The places of the row and of the lines that it adds up."""
        lines = (self.places[0].line, *self.parts)
        return [Place(line, place.column) for line in lines for place in self.places]


def _histories(source: Source, *, least_parts: int = 0) -> Iterator[History]:
    """The rows of amounts over several years that add up so many lines."""
    for line in range(len(source.sheet.lines)):
        if len(source.sheet.lines[line].adds) >= least_parts:
            for places in source.sheet.series(line):
                if all(source.sheet.measure(place).kind == "money" for place in places):
                    yield History(source, tuple(places))


def _made(
    kind: str, source: Source, places: Sequence[Place], question: str, *, facts: Sequence[str], verdict: str
) -> FilingQuestion:
    return FilingQuestion(
        "analysis",
        kind,
        question,
        " ".join([*facts, verdict]),
        " ".join(f"{number}. {fact}" for number, fact in enumerate(facts, 1)),
        source.evidence(places),
        source.number,
        tuple(facts),
    )


def _moved(change: Figure | Decimal) -> str:
    return "rose" if change > 0 else "fell" if change < 0 else "stayed the same"


def _moved_by(old: Figure, new: Figure) -> str:
    """``rose by 4.2%``."""
    return f"{_moved(new - old)} by {percentage(magnitude(new - old), old)}%"


def trend(random: Random, source: Source) -> FilingQuestion | None:
    """How a positive amount developed over three years."""
    found = [each for each in _histories(source) if len(each.places) == 3 and min(each.figures) > 0]
    if not found:
        return None
    history = random.choice(found)
    (y0, y1, y2), (a, b, c) = history.years, history.figures
    first, second, third = map(history.money, (a, b, c))
    facts = (
        f"{history.name} was {first} in fiscal {y0}, {second} in fiscal {y1} and {third} in fiscal {y2}.",
        f"From fiscal {y0} to {y1} it {_moved_by(a, b)}.",
        f"From fiscal {y1} to {y2} it {_moved_by(b, c)}.",
        f"Over the whole period it {_moved_by(a, c)}.",
    )
    steady = "The direction was the same in both years."
    unsteady = "The development was not steady: the two years differ in direction."
    return _made(
        "trend",
        source,
        history.places,
        f"Using {source.sheet.phrase}, describe how {history.name}{history.inside} developed from fiscal "
        f"{y0} to fiscal {y2}. State the amounts, the change in per cent in each year and over the whole "
        "period, and whether the development was steady.",
        facts=facts,
        verdict=steady if _moved(b - a) == _moved(c - b) else unsteady,
    )


def drivers(random: Random, source: Source) -> FilingQuestion | None:
    """Which parts of a total drove its change from one year to the next."""
    totals = [each.last(2) for each in _histories(source, least_parts=3)]
    totals = [each for each in totals if each.figures[0] > 0 and len(set(each.figures)) == 2]
    if not totals:
        return None
    history = random.choice(totals)
    facts = _driver_facts(history)
    if facts is None:
        return None
    has_offset = len(facts) > 2
    y1, y2 = history.years
    return _made(
        "drivers",
        source,
        history.with_parts(),
        f"According to {source.sheet.phrase}, what drove the change of {history.name}{history.inside} from "
        f"fiscal {y1} to fiscal {y2}? Quantify the change, name the component that contributed most, and say "
        "whether any component moved against it.",
        facts=facts,
        verdict="So the change is the net of opposite movements."
        if has_offset
        else "No component moved against it.",
    )


def _driver_facts(history: History) -> list[str] | None:
    """The change, its largest contribution and its largest offset, if any; None where two parts tie."""
    (y1, y2), (old, new) = history.years, history.figures
    before, now = (place.column for place in history.places)
    changes = {line: history.at(line, now) - history.at(line, before) for line in history.parts}
    if len(set(changes.values())) < len(changes):
        return None
    rises = new > old
    top = max(changes, key=lambda line: changes[line] if rises else -changes[line])
    last = min(changes, key=lambda line: changes[line] if rises else -changes[line])
    facts = [
        f"{history.name} {_moved(new - old)} by {history.money(magnitude(new - old))}, or "
        f"{percentage(magnitude(new - old), old)}%, from {history.money(old)} in fiscal {y1} to "
        f"{history.money(new)} in fiscal {y2}.",
        f"The largest contribution to the change came from {_part_moved(history, top, changes[top])}.",
    ]
    if changes[last] * (new - old) < 0:
        facts.append(f"The largest offset was {_part_moved(history, last, changes[last])}.")
    return facts


def _part_moved(history: History, line: int, change: Figure) -> str:
    return f'"{history.label(line)}", which {_moved(change)} by {history.money(magnitude(change))}'


_PROFITS = ("Gross profit", "Operating income (loss)", "Net income (loss)", "Contribution (loss)")


def profitability(random: Random, source: Source) -> FilingQuestion | None:
    """How a profit developed as a percentage of revenue over three years."""
    by_label = {each.source.sheet.lines[each.places[0].line].label: each for each in _histories(source)}
    profits = [by_label[label] for label in _PROFITS if label in by_label and not by_label[label].inside]
    if not profits or "Total revenue" not in by_label:
        return None
    profit, revenue = random.choice(profits), by_label["Total revenue"]
    if len(profit.places) != 3 or profit.years != revenue.years:
        return None
    margins = [percentage(part, whole) for part, whole in zip(profit.figures, revenue.figures, strict=True)]
    shift = margins[2] - margins[0]
    y0, y1, y2 = profit.years
    facts = (
        f"{profit.name} as a percentage of total revenue was {margins[0]}% in fiscal {y0}, {margins[1]}% in "
        f"fiscal {y1} and {margins[2]}% in fiscal {y2}.",
        f"Over the period the margin {_moved(shift)} by {abs(shift)} percentage points.",
        f"{profit.name} went from {profit.money(profit.figures[0])} to {profit.money(profit.figures[2])}.",
        f"Total revenue {_moved_by(revenue.figures[0], revenue.figures[2])} over the period.",
    )
    verdict = (
        "Profitability improved." if shift > 0 else "Profitability weakened." if shift else "It was stable."
    )
    return _made(
        "profitability",
        source,
        [*profit.places, *revenue.places],
        f'Using {source.sheet.phrase}, analyze how {profit.name} developed in relation to "Total revenue" '
        f"from fiscal {y0} to fiscal {y2}. Compute the margin of each year and explain whether profitability "
        "improved.",
        facts=facts,
        verdict=verdict,
    )


def mix(random: Random, source: Source) -> FilingQuestion | None:
    """How concentrated a total is, and how its composition shifted."""
    totals = [each.last(2) for each in _histories(source, least_parts=3)]
    totals = [each for each in totals if _is_whole(each)]
    if not totals:
        return None
    history = random.choice(totals)
    before, now = (_shares(history, at) for at in (0, 1))
    gains = {line: now[line] - before[line] for line in now}
    largest, gained = max(now, key=lambda line: now[line]), max(gains, key=lambda line: gains[line])
    if [*now.values()].count(now[largest]) > 1 or [*gains.values()].count(gains[gained]) > 1:
        return None
    y1, y2 = history.years
    name, other = history.label(largest), history.label(gained)
    facts = (
        f'The largest component in fiscal {y2} was "{name}" with {now[largest]}% of the total.',
        f'In fiscal {y1} the share of "{name}" was {before[largest]}%.',
        f'The share of "{other}" increased most, by {gains[gained]} percentage points, to {now[gained]}%.',
    )
    concentrated = "More than half of the total rests on one component."
    spread = "No single component makes up more than half of the total."
    return _made(
        "mix",
        source,
        history.with_parts(),
        f"From {source.sheet.phrase}, assess the composition of {history.name}{history.inside} in fiscal "
        f"{y2} and how it shifted since fiscal {y1}. Name the largest component with its share in both "
        "years, and the component whose share increased most.",
        facts=facts,
        verdict=concentrated if now[largest] > 50 else spread,
    )


def _is_whole(history: History) -> bool:
    """Whether a total is positive and none of its parts negative, in all years."""
    parts = [history.at(line, place.column) for line in history.parts for place in history.places]
    return min(parts) >= 0 and min(history.figures) > 0


def _shares(history: History, at: int) -> dict[int, Decimal]:
    """For each part its percentage of the total in one year."""
    column, whole = history.places[at].column, history.figures[at]
    return {line: percentage(history.at(line, column), whole) for line in history.parts}


ANALYSES: tuple[Analysis, ...] = (trend, drivers, profitability, mix)
