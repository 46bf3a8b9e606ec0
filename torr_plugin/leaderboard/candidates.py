"""What to use for a model, of its serializers or of its designs: best first, how far behind, the advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.result import Interval, MarkedBounds
from ..core.errors import counted
from .text import listed
from .views import (
    DASH,
    View,
    ViewCell,
    axis_of,
    figure_cell,
    interval_text,
    number_cell,
    percent,
    verdict_cell,
    whisker,
)

_SURE = 0.99
_ABOUT = 1.02
"""Prompts whose lengths differ by less are as good as equally short."""
SHOWN_WORSE = "not shown to be worse"
"""Of what may be as good as the best."""


@dataclass(frozen=True)
class Candidate:
    """A serializer, or a design, for a model: its mean score, and how far it is behind the best.

    ``behind`` is None where the analysis has no comparison; ``worse``: a claim of the site; ``chance``: that
    it is the best, None where the analysis has none; ``tokens``: of a mean prompt, None where unknown;
    ``whole``: the name that ``name`` shortens.
    """

    name: str
    score: MarkedBounds
    behind: Interval | None
    worse: bool
    chance: float | None = None
    tokens: float | None = None
    whole: str = ""


def choice_of(found: Sequence[Candidate]) -> Candidate:
    """The one to use: of the best and those not shown to be worse, the one of the shortest prompts.

    Of prompts that are as good as equally short, the one of the better mean. The best mean where prompts'
    tokens are not known, or the others were not tested.

    Args:
        found: of a model, best mean first.
    """
    good = [one for one in found if not one.worse]
    if found[0].behind is None or any(one.tokens is None for one in good):
        return found[0]
    return next(one for one in good if _short(one, good))


def _short(one: Candidate, among: Sequence[Candidate]) -> bool:
    """Whether its prompts are as good as the shortest."""
    return (one.tokens or 0.0) <= _ABOUT * min(each.tokens or 0.0 for each in among)


def price(one: Candidate, found: Sequence[Candidate]) -> str:
    """Its prompt tokens relative to the fewest, as ``1.78`` times; a dash where unknown."""
    known = [each.tokens for each in found if each.tokens]
    return DASH.text if not one.tokens else f"{one.tokens / min(known):.2f}\N{MULTIPLICATION SIGN}"


def summary(found: Mapping[str, Sequence[Candidate]]) -> str:
    """What to use for all models, in a sentence; "" where that is not known, or differs.

    Args:
        found: model -> its serializers, best mean first.
    """
    known = [own for own in found.values() if len(own) > 1 and own[0].behind is not None]
    if len(known) < 2:
        return ""
    worse = sum(one.worse for own in known for one in own)
    shown = "" if worse else " No format is shown to be worse than another, for any model."
    picks = Counter(choice_of(own).name for own in known)
    if any(one.tokens is None for own in known for one in own if not one.worse):
        return shown.strip()
    if len(picks) == 1:
        only = next(iter(picks))
        return f"Use {only} for every model: it has the shortest prompts of the best formats.{shown}"
    used = listed([f"{name} for {count} of {len(known)} models" for name, count in picks.most_common()])
    return f"Use {used}: they have the shortest prompts of the best formats.{shown}"


def advice(found: Sequence[Candidate], noun: str = "format", examples: str = "") -> tuple[str, ...]:
    """What to use, in plain words, and what the others cost; nothing where there are not two.

    Args:
        found: of a model, best mean first.
        noun: what they are.
        examples: over which examples, in words: ``244 examples``.
    """
    if len(found) < 2:
        return ()
    best, others = found[0], found[1:]
    if best.behind is None:
        return (f"{best.name} has the highest mean score; whether it is ahead of the others was not tested.",)
    if _equal(found) == len(others):
        pick = choice_of(found)
        use = "" if pick.tokens is None else f"; the prompts of {pick.name} are the shortest"
        return (f"All {len(found)} {noun}s have the same mean score{use}.",)
    worse = [one for one in others if one.worse]
    over = f" (on {examples})" if examples else ""
    lines = [_use(found, noun), _prices(found)]
    if worse:
        lines.append(f"{_costs(worse)}{over}.")
    elif (last := others[-1].behind) and last.value:
        lines.append(f"Furthest behind is {others[-1].name}: {interval_text(last)}{over}.")
    return tuple(line for line in lines if line)


def _equal(found: Sequence[Candidate]) -> int:
    """How many others have the same mean as the best."""
    return sum(one.behind is not None and one.behind.value == 0 for one in found[1:])


def _use(found: Sequence[Candidate], noun: str) -> str:
    best, others = found[0], found[1:]
    alike, pick = [one.name for one in others if not one.worse], choice_of(found)
    if not alike:
        return f"Use {best.name}: every other {noun} is worse."
    if pick is not best:
        return (
            f"Use {pick.name}: its prompts are the shortest of the {noun}s {SHOWN_WORSE} than {best.name}, "
            "which has the highest mean score."
        )
    rest = f"none of the other {len(others)} is shown to be worse"
    if len(alike) < len(others):
        rest = f"{listed(alike)} {'is' if len(alike) == 1 else 'are'} {SHOWN_WORSE}"
    if all(one.tokens is not None for one in found):
        of_these = "" if _short(best, found) else f" of the {noun}s {SHOWN_WORSE}"
        return f"Use {best.name}: it has the highest mean score, and the shortest prompts{of_these}; {rest}."
    if len(alike) == len(others):
        any_of = f"Use any of the {len(found)} {noun}s: none is shown to be worse than {best.name}"
        return f"{any_of}, which has the highest mean score."
    return f"Use {best.name}, which has the highest mean score; {rest}."


def _prices(found: Sequence[Candidate]) -> str:
    """What the dearest costs, where that is known."""
    known = [one for one in found if one.tokens]
    if len(known) < 2:
        return ""
    dear, pick = max(known, key=lambda one: one.tokens or 0.0), choice_of(found)
    if dear is pick or not pick.tokens or not dear.tokens:
        return ""
    times = f"{dear.tokens / pick.tokens:.2f}"
    return f"{dear.name} takes {times} times as many tokens." if float(times) > 1 else ""


def _costs(worse: Sequence[Candidate]) -> str:
    """What the worse ones cost, the worst three by name."""
    costs = [
        f"{one.name} costs {interval_text(one.behind)}" for one in reversed(worse) if one.behind is not None
    ]
    left = len(costs) - 3
    more = f"; {left} more {'costs' if left == 1 else 'cost'} less" if left > 0 else ""
    return f"{', '.join(costs[:3])}{more}"


def candidates_view(found: Sequence[Candidate], noun: str = "format", examples: str = "") -> View:
    """The serializers, or designs, as a table, with the advice."""
    tested = any(one.behind is not None for one in found)
    chances = any(one.chance is not None for one in found)
    tokens = any(one.tokens is not None for one in found)
    head = (
        noun.capitalize(),
        *(("Behind the best",) if tested else ()),
        *(("Prompt tokens",) if tokens else ()),
        "Mean score",
        *(("Chance to be the best",) if chances else ()),
        *(("Verdict",) if tested else ()),
    )
    ends = axis_of([one.behind for one in found if one.behind is not None], 0.0)
    rows = tuple(
        (
            ViewCell(one.name, whole=one.whole),
            *((_behind(one, ends),) if tested else ()),
            *((tokens_cell(one, found),) if tokens else ()),
            figure_cell(one.score),
            *((number_cell(chance_text(one.chance)),) if chances else ()),
            *((_verdict(one, is_best=place == 0),) if tested else ()),
        )
        for place, one in enumerate(found)
    )
    return View(head, rows, advice(found, noun, examples))


def tokens_cell(one: Candidate, found: Sequence[Candidate]) -> ViewCell:
    """How many tokens its prompts take, and relative to the fewest; a dash where unknown."""
    return ViewCell(f"{one.tokens:,.0f}", price(one, found), "num") if one.tokens else DASH


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
    return verdict_cell("best mean" if is_best else "worse" if one.worse else SHOWN_WORSE, claimed=one.worse)


def glance_view(
    found: Mapping[str, Sequence[Candidate]],
    models: Mapping[str, ViewCell],
    limits: Collection[str] = (),
) -> View:
    """All models at a glance: a row per model with what to use, at what price, and what else.

    Args:
        found: model -> its serializers, or designs, best mean first; models without any are left out.
        models: model -> its name and page as a cell, in the order shown.
        limits: models of whom this says little, as nearly all their answers are right, or wrong.
    """
    known = {model: found[model] for model in models if found.get(model)}
    chances = any(own[0].chance is not None for own in known.values())
    tested = any(own[0].behind for own in known.values())
    tokens = any(one.tokens is not None for own in known.values() for one in own)
    worse = any(one.worse for own in known.values() for one in own)
    head = (
        *("Model", "Use"),
        *(("Prompt tokens",) if tokens else ()),
        *(("Chance to be the best",) if chances else ()),
        *(("Furthest behind", "Not shown to be worse") if tested else ("Mean score",)),
        *(("Worse",) if worse else ()),
    )
    rows = []
    for model, own in known.items():
        pick = choice_of(own)
        others = [one for one in own if one is not pick]
        rows.append(
            (
                models[model],
                _use_cell(pick, own, "at-limit" if model in limits else ""),
                *((tokens_cell(pick, own),) if tokens else ()),
                *((number_cell(chance_text(pick.chance)),) if chances else ()),
                *(
                    (_furthest(own), _names(others, own, worse=False))
                    if tested
                    else (figure_cell(pick.score),)
                ),
                *((_names(others, own, worse=True),) if worse else ()),
            )
        )
    return View(head, tuple(rows))


def _use_cell(pick: Candidate, own: Sequence[Candidate], style: str) -> ViewCell:
    """What to use, and that the best mean is not the only one where prompts' tokens are not known."""
    equal = _equal(own)
    if pick.tokens is not None or not equal:
        return ViewCell(pick.name, style=style, whole=pick.whole)
    if equal == len(own) - 1:
        return ViewCell("any", "all equal", style)
    return ViewCell(pick.name, f"and {counted(equal, 'other')}, equal", style, whole=pick.whole)


def _furthest(own: Sequence[Candidate]) -> ViewCell:
    """What the lowest mean loses against the best."""
    last = own[-1]
    if last.behind is None or not last.behind.value:
        return DASH
    return ViewCell(last.name, interval_text(last.behind), "num furthest")


def _names(others: Sequence[Candidate], own: Sequence[Candidate], *, worse: bool) -> ViewCell:
    """Names, with their price where it is known."""
    named = [
        f"{one.name} {price(one, own)}" if one.tokens else one.name for one in others if one.worse is worse
    ]
    return ViewCell("", ", ".join(named) or DASH.text, "names")
