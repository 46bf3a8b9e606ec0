"""What to use for a model, of its serializers or of its designs: best first, how far behind, the advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..analysis.result import Interval, MarkedBounds
from ..core.errors import counted
from .text import listed
from .views import DASH, View, ViewCell, axis_of, figure_cell, interval_text, number_cell, percent, whisker

_CORRECTED = "after this site\N{RIGHT SINGLE QUOTATION MARK}s correction"
_SURE = 0.99


@dataclass(frozen=True)
class Candidate:
    """A serializer, or a design, for a model: its mean score, and how far it is behind the best.

    ``behind`` is None where the analysis has no comparison; ``worse``: significantly so; ``chance``: that it
    is the best, None where the analysis has none.
    """

    name: str
    score: MarkedBounds
    behind: Interval | None
    worse: bool
    chance: float | None = None


def advice(found: Sequence[Candidate], noun: str = "format") -> tuple[str, ...]:
    """What to use, in plain words; nothing where there are not two.

    Args:
        found: of a model, best mean first.
        noun: what they are.
    """
    if len(found) < 2:
        return ()
    best, others = found[0], found[1:]
    if best.behind is None:
        return (f"{best.name} has the highest mean score; whether it is significantly ahead was not tested.",)
    if all(one.behind is not None and one.behind.value == 0 for one in others):
        return (f"All {len(found)} {noun}s have the same mean score.",)
    alike = [one.name for one in others if not one.worse]
    worse = [one for one in others if one.worse]
    if not worse:
        return (
            f"Use any of the {len(found)} {noun}s: {_CORRECTED} none is shown to be worse than {best.name}, "
            "which has the highest mean score.",
        )
    if not alike:
        first = f"Use {best.name}: every other {noun} is worse."
    elif len(alike) == 1:
        first = f"Use {best.name} or {alike[0]}: {_CORRECTED} they do not differ significantly."
    else:
        first = f"Use {best.name}, or any of {listed(alike)}, which are not significantly worse {_CORRECTED}."
    return (first, _costs(worse))


def _costs(worse: Sequence[Candidate]) -> str:
    """What the worse ones cost, the worst three by name."""
    costs = [
        f"{one.name} costs {interval_text(one.behind)}" for one in reversed(worse) if one.behind is not None
    ]
    left = len(costs) - 3
    more = f"; {left} more {'costs' if left == 1 else 'cost'} less" if left > 0 else ""
    return f"{', '.join(costs[:3])}{more}."


def candidates_view(found: Sequence[Candidate], noun: str = "format") -> View:
    """The serializers, or designs, as a table, with the advice."""
    tested = any(one.behind is not None for one in found)
    chances = any(one.chance is not None for one in found)
    head = (
        noun.capitalize(),
        "Mean score",
        *(("Chance to be the best",) if chances else ()),
        *(("Behind the best", "Verdict") if tested else ()),
    )
    ends = axis_of([one.behind for one in found if one.behind is not None], 0.0)
    rows = tuple(
        (
            ViewCell(one.name),
            figure_cell(one.score),
            *((number_cell(chance_text(one.chance)),) if chances else ()),
            *((_behind(one, ends), _verdict(one, is_best=place == 0)) if tested else ()),
        )
        for place, one in enumerate(found)
    )
    return View(head, rows, advice(found, noun))


def chance_text(chance: float | None) -> str:
    """In percent; resamples cannot show that something is certain, or impossible."""
    if chance is not None and chance > _SURE:
        return f">{100 * _SURE:.0f}%"
    if chance is not None and chance < 1 - _SURE:
        return f"<{100 * (1 - _SURE):.0f}%"
    return percent(chance)


def _behind(one: Candidate, ends: tuple[float, float]) -> ViewCell:
    return figure_cell(one.behind, "num", whisker(one.behind, ends, 0.0)) if one.behind else DASH


def _verdict(one: Candidate, *, is_best: bool) -> ViewCell:
    if is_best:
        return ViewCell("best", style="so")
    return (
        ViewCell("worse", style="so worse")
        if one.worse
        else ViewCell("no significant difference", style="so")
    )


def glance_view(found: Mapping[str, Sequence[Candidate]], models: Mapping[str, str]) -> View:
    """All models at a glance: a row per model with what to use.

    Args:
        found: model -> its serializers, or designs, best mean first; models without any are left out.
        models: name -> page, from the site's root.
    """
    rows = []
    chances = any(one.chance is not None for own in found.values() for one in own[:1])
    for model, href in models.items():
        own = found.get(model)
        if not own:
            continue
        alike = [one.name for one in own[1:] if not one.worse]
        worse = [one.name for one in own[1:] if one.worse]
        equal = sum(one.behind is not None and one.behind.value == 0 for one in own[1:])
        rows.append(
            (
                ViewCell(model, href=href),
                ViewCell(own[0].name, f"and {counted(equal, 'other')}, equal" if equal else ""),
                *((number_cell(chance_text(own[0].chance)),) if chances else ()),
                *((_names(alike), _names(worse)) if own[0].behind else (figure_cell(own[0].score),)),
            )
        )
    tested = any(own[0].behind is not None for own in found.values() if own)
    head = (
        *("Model", "Highest mean"),
        *(("Chance to be the best",) if chances else ()),
        *(("Not significantly worse", "Worse") if tested else ("Mean score",)),
    )
    return View(head, tuple(rows))


def _names(names: Sequence[str]) -> ViewCell:
    return ViewCell("", ", ".join(names) or "\N{EN DASH}", "names")
