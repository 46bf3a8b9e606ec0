"""Extraction: one figure, named by its table, row and column."""

from __future__ import annotations

from random import Random

from .question import FilingQuestion, Source

_WORDINGS = (
    "In {table}, what is {name}?",
    "According to {table}, how much is {name}?",
    "What figure does {table} give for {name}?",
)


def cell(random: Random, source: Source) -> FilingQuestion | None:
    """A figure other than nil."""
    sheet = source.sheet
    names = sheet.row_names
    places = [place for place in sheet.places if names.count(names[place.line]) == 1]
    if not places:
        return None
    place = random.choice(places)
    return FilingQuestion(
        "extraction",
        "cell",
        random.choice(_WORDINGS).format(table=sheet.phrase, name=source.name(place)),
        sheet.measure(place).answer(sheet.figure(place)),
        "",
        source.evidence([place]),
        source.number,
    )
