"""The company that a filing is about: its name, trade, parts and calendar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .measures import FigureMeasure
from .words import CITIES, NAME_ENDS, NAME_FORMS, NAME_STARTS, REGIONS, SECTORS, UNIT_STARTS, Sector

CLOSES = ("December 31", "September 30", "June 30", "January 31")
"""The last days of fiscal years."""

MOST_UNITS = len(UNIT_STARTS) * 8
"""How many business units can be named."""


@dataclass(frozen=True, slots=True)
class Company:
    """A made-up company.

    Attributes:
        name: the registered name.
        sector: its trade.
        segments: the segments that it reports.
        units: business units, each with the segment that it belongs to.
        regions: where it sells.
        cities: where it has plants and offices.
        year: the fiscal year of the filing.
        close: the last day of its fiscal year.
        scale: ``million`` or ``thousand``: what amounts are stated in.
    """

    name: str
    sector: Sector
    segments: tuple[str, ...]
    units: tuple[tuple[str, str], ...]
    regions: tuple[str, ...]
    cities: tuple[str, ...]
    year: int
    close: str
    scale: str

    @property
    def short(self) -> str:
        """The first word of the name."""
        return self.name.split()[0]

    @property
    def years(self) -> tuple[int, int, int]:
        """The fiscal years of the statements, the latest first."""
        return self.year, self.year - 1, self.year - 2

    @property
    def money(self) -> FigureMeasure:
        """What amounts are stated in."""
        return FigureMeasure("money", self.scale)

    def units_of(self, segment: str) -> tuple[str, ...]:
        """The business units of a segment."""
        return tuple(unit for unit, of in self.units if of == segment)


def draw_company(random: Random, *, units: int) -> Company:
    """A company with so many business units, at most :data:`MOST_UNITS`."""
    sector = random.choice(SECTORS)
    segments = tuple(random.sample(sector.segments, random.randint(3, 5)))
    names = [f"{start} {kind}" for start in UNIT_STARTS for kind in sector.units]
    drawn = random.sample(names, min(units, len(names)))
    return Company(
        name=f"{random.choice(NAME_STARTS)}{random.choice(NAME_ENDS)} {random.choice(NAME_FORMS)}",
        sector=sector,
        segments=segments,
        units=tuple(sorted(_assigned(drawn, segments), key=lambda pair: segments.index(pair[1]))),
        regions=tuple(random.sample(REGIONS, random.randint(4, 6))),
        cities=tuple(random.sample(CITIES, 6)),
        year=random.randint(2016, 2024),
        close=random.choice(CLOSES),
        scale=random.choice(("million", "million", "thousand")),
    )


def _assigned(units: Sequence[str], segments: Sequence[str]) -> list[tuple[str, str]]:
    return [(unit, segments[number % len(segments)]) for number, unit in enumerate(units)]
