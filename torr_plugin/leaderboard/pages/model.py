"""A page for each model, which opens from its row: how much is right, where, and what changes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...analysis.figures.pairs import MOST, NEXT
from ...analysis.result import Verdict
from ..board import BoardRow, boards
from ..examples.flips import flip_link, widest_flips
from ..facts import model_facts
from ..files import PageFile, SiteFile, with_choice
from ..one_model import one_model
from ..percents import PointsText, points_text
from ..study import Study
from ..verdicts import STANDINGS, standing

MOST_FLIPS = 5


@dataclass(frozen=True)
class PairRow:
    """Another model, this model's mean score less its, how this one stands, and where both are compared."""

    model: str
    points: PointsText
    standing: str
    compare: str


def files(study: Study) -> Iterator[SiteFile]:
    """One page per model."""
    whole = next(boards(study))
    rows = {row.model: row for row in whole.rows}
    groups = {row.model: group.title for group in whole.groups for row in group.rows}
    facts = {each.label: each for each in model_facts(study.source)}
    failures = {each.model: each for each in study.source.failures}
    widest = widest_flips(study.cubes, MOST_FLIPS)
    for name in study.models:
        yield PageFile(
            path=study.paths.models[name],
            template="model.html",
            title=name,
            current="models",
            values={
                "name": name,
                "row": rows[name],
                "group": groups[name].partition(":")[0],
                "own": one_model(study, name),
                "words": study.words[name],
                "facts": facts.get(name),
                "failed": failures.get(name),
                "flips": [(flip, flip_link(study, name, flip)) for flip in widest.get(name, ())],
                "pairs": _pairs(study, name),
                "compare": with_choice(study.paths.compare, a=name) if len(study.models) > MOST else None,
            },
            description=_description(study, rows[name]),
        )


def _description(study: Study, row: BoardRow) -> str:
    """The model in a sentence for those who see a link to its page."""
    flips = f", {row.flips.value} flip with the way of writing the table" if row.flips else ""
    return f"{row.model} on {study.title}: {row.right.value} right [{row.right.bounds}]{flips}."


def _pairs(study: Study, name: str) -> tuple[PairRow, ...]:
    """The other models, best first; of many those that rank next to this one, which keeps pages short."""
    found, at = [], study.models.index(name)
    near = slice(None) if len(study.models) <= MOST else slice(max(0, at - NEXT), at + NEXT + 1)
    for other in study.models[near]:
        verdict: Verdict | None = study.pairs.of("performance", name, other) if other != name else None
        if verdict is not None:
            compare = with_choice(study.paths.compare, a=name, b=other)
            found.append(PairRow(other, points_text(verdict), STANDINGS[standing(verdict)], compare))
    return tuple(found)
