"""The running text of a filing: sentences on its topics, and sentences on the figures of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ...tables.documents import TextBlock
from .company import Company
from .measures import Figure, magnitude, percentage
from .sentences import FELL, LEADS, ROSE
from .sheet import Place, Sheet


def filled(random: Random, company: Company, sentence: str, unit: str = "") -> str:
    """A sentence with its slots filled from the company's words."""
    sector = company.sector
    text = sentence.format(
        unit=unit,
        product=random.choice(sector.products),
        customers=random.choice(sector.customers),
        region=random.choice(company.regions),
        segment=random.choice(company.segments),
        city=random.choice(company.cities),
        few=random.choice(("two", "three", "four", "five")),
        small=random.randint(6, 12),
        days=random.choice((20, 25, 30, 40, 45)),
    )
    return text[0].upper() + text[1:]


def paragraph(random: Random, company: Company, sentences: Sequence[str], unit: str = "") -> TextBlock:
    """Three to six of the sentences in any order, filled in."""
    drawn = random.sample(sentences, min(len(sentences), random.randint(3, 6)))
    return TextBlock(" ".join(filled(random, company, sentence, unit) for sentence in drawn))


def lead(random: Random, sheet: Sheet) -> TextBlock:
    """The paragraph that introduces a table, and names it."""
    own = "our " if sheet.is_statement else ""
    return TextBlock(random.choice(LEADS).format(name=f"{own}{sheet.name}"))


def pointer(sheet: Sheet) -> TextBlock:
    """A sentence that refers to a table elsewhere."""
    return TextBlock(f"For {sheet.name}, see {sheet.subject}.")


def remarks(random: Random, company: Company, sheet: Sheet) -> Iterator[TextBlock]:
    """A paragraph on figures of a table, with others that resemble them; none where no figure has a past."""
    pairs = [places[-2:] for line in range(len(sheet.lines)) for places in sheet.series(line)]
    pairs = [pair for pair in pairs if sheet.measure(pair[0]).kind == "money" and sheet.figure(pair[0]) > 0]
    if not pairs:
        return
    chosen = random.sample(pairs, min(len(pairs), random.randint(1, 3)))
    sentences = [_change(random, company, sheet, before, now) for before, now in chosen]
    if random.random() < 0.6:
        sentences.append(_look_alike(random, company, sheet, chosen[0][0]))
    yield TextBlock(" ".join(sentences))


def _change(random: Random, company: Company, sheet: Sheet, before: Place, now: Place) -> str:
    """How a figure changed from one year to the next, with a reason."""
    measure, old, new = sheet.measure(now), sheet.figure(before), sheet.figure(now)
    label = _subject(sheet, now)
    column, reason = sheet.columns[now.column], random.choice(company.sector.drivers)
    when = f"in fiscal {column.year}" if column.series else column.phrase
    if new == old:
        return f"{label} did not change in fiscal {column.year}."
    verb = random.choice(ROSE if new > old else FELL)
    share = f", or {percentage(magnitude(new - old), old)}%," if old > 0 else ""
    return (
        f"{label} {verb} by {measure.answer(magnitude(new - old))}{share} to {measure.answer(new)} {when}, "
        f"mainly because of {reason}."
    )


def _look_alike(random: Random, company: Company, sheet: Sheet, place: Place) -> str:
    """A sentence with a figure that resembles one of the table and is none: another year, another basis."""
    figure, measure, label = sheet.figure(place), sheet.measure(place), _subject(sheet, place)
    other = measure.answer(_near(random, figure))
    earlier = min(company.years) - 1
    year = sheet.columns[place.column].year
    return random.choice(
        (
            f"In fiscal {earlier}, which is not shown, {label} was {other}.",
            f"At constant exchange rates, {label} would have been {other} in fiscal {year}.",
            f"Our budget for fiscal {company.year + 1} assumes that {label} will be {other}.",
        )
    )


def _near(random: Random, figure: Figure) -> int:
    shift = max(1, round(abs(int(figure)) * random.uniform(0.01, 0.12)))
    return int(figure) + random.choice((-shift, shift))


def _subject(sheet: Sheet, place: Place) -> str:
    """A figure's line as the subject of a sentence, with its group of columns where there are several."""
    line, column = sheet.lines[place.line], sheet.columns[place.column]
    several = len({each.path[0] for each in sheet.columns}) > 1 and len(column.path) > 1
    group = f" ({column.series})" if several and column.series else ""
    return f"{line.label}{group}"
