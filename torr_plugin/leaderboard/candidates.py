"""What to use for a model, of its serializers or of its designs: best first, how far behind, the advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis.result import MarkedBounds, Verdict
from ..core.errors import counted
from .text import listed
from .views import (
    DASH,
    View,
    ViewCell,
    axis_of,
    figure_cell,
    interval_text,
    verdict_cell,
    whisker,
)

_ABOUT = 1.02
"""Prompts whose lengths differ by less are as good as equally short."""
_AS_SHORT = "as short as any (within 2%)"
SHOWN_WORSE = "not shown to be worse"
"""Of what may be as good as the best."""


@dataclass(frozen=True)
class Candidate:
    """A serializer, or a design, for a model: its mean score, and how far it is behind the best.

    ``worse``: it differs from the best; ``tokens``: of a mean prompt, None where unknown; ``whole``: the name
    that ``name`` shortens.
    """

    name: str
    score: MarkedBounds
    behind: Verdict
    worse: bool
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
    if any(one.tokens is None for one in good):
        return found[0]
    return next(one for one in good if _short(one, good))


def _short(one: Candidate, among: Sequence[Candidate]) -> bool:
    """Whether its prompts are as good as the shortest."""
    return (one.tokens or 0.0) <= _ABOUT * min(each.tokens or 0.0 for each in among)


def best_means(found: Sequence[Candidate]) -> list[Candidate]:
    """The best, and those with the same mean."""
    return [one for one in found if one is found[0] or one.behind.value == 0]


def price(one: Candidate, found: Sequence[Candidate]) -> str:
    """Its prompt tokens relative to the fewest, as ``1.78`` times; a dash where unknown."""
    known = [each.tokens for each in found if each.tokens]
    return DASH.text if not one.tokens else f"{one.tokens / min(known):.2f}\N{MULTIPLICATION SIGN}"


def _how_short(found: Sequence[Candidate]) -> str:
    """How short the prompts of the one to use are among those not shown to be worse."""
    good = [one for one in found if not one.worse]
    return _AS_SHORT if sum(_short(one, good) for one in good) > 1 else "the shortest"


def summary(found: Mapping[str, Sequence[Candidate]]) -> tuple[str, ...]:
    """What to use for all models, in sentences; nothing where that is not known, or any will do.

    Args:
        found: model -> its serializers, best mean first.
    """
    known = [own for own in found.values() if len(own) > 1]
    if len(known) < 2:
        return ()
    every = [one for own in known for one in own]
    shown: tuple[str, ...] = ()
    if not any(one.worse for one in every):
        shown = ("No format is shown to be worse than another, for any single model.",)
    if any(one.tokens is None for one in every if not one.worse):
        return shown
    picks = Counter(choice_of(own).name for own in known)
    short = _AS_SHORT if _AS_SHORT in map(_how_short, known) else "the shortest"
    used = listed([f"{name} for {count} of {len(known)} models" for name, count in picks.most_common()])
    whose = f"{used}: their" if len(picks) > 1 else f"{next(iter(picks))} for every model: its"
    return (f"Use {whose} prompts are {short} of the formats {SHOWN_WORSE} than the best.", *shown)


def advice(found: Sequence[Candidate], noun: str = "format", examples: str = "") -> tuple[str, ...]:
    """What to use, in plain words, and what the others cost; nothing where there are not two.

    Args:
        found: of a model, best mean first.
        noun: what they are.
        examples: over which examples, in words: ``244 examples``.
    """
    if len(found) < 2:
        return ()
    pick, worse = choice_of(found), [one for one in found if one.worse]
    over = f" (on {examples})" if examples else ""
    if worse:
        lines = [_use(found, noun), _prices(found), f"{_costs(worse)}{over}."]
        return tuple(line for line in lines if line)
    short = "" if pick.tokens is None else f"; the prompts of {pick.name} are {_how_short(found)}"
    if len(best_means(found)) == len(found):
        return (f"All {len(found)} {noun}s have the same mean score{short}.",)
    last, is_last = _last(found), "is" if len(_last(found)) == 1 else "are"
    lines = [
        f"No {noun} is shown to be worse than another{short}.",
        _prices(found),
        f"Furthest behind {is_last} {_names(last)}: {listed(_distances(last))}{over}.",
    ]
    return tuple(line for line in lines if line)


def _highest(tops: Sequence[Candidate]) -> str:
    return f"{'has' if len(tops) == 1 else 'have'} the highest mean score"


def _last(found: Sequence[Candidate]) -> list[Candidate]:
    """The lowest mean, and those with the same one."""
    return [one for one in found if one.behind.value == found[-1].behind.value]


def _names(found: Sequence[Candidate]) -> str:
    return listed([one.name for one in found])


def _distances(found: Sequence[Candidate]) -> list[str]:
    return list(dict.fromkeys(interval_text(one.behind) for one in found))


def _use(found: Sequence[Candidate], noun: str) -> str:
    tops, pick = best_means(found), choice_of(found)
    others = [one for one in found if one not in tops]
    alike = [one.name for one in others if not one.worse]
    if not alike and len(tops) == 1:
        return f"Use {pick.name}: every other {noun} is worse."
    if pick not in tops:
        short = f"its prompts are {_how_short(found)} of the {noun}s {SHOWN_WORSE} than {_names(tops)}"
        return f"Use {pick.name}: {short}, which {_highest(tops)}."
    if not alike:
        rest = f"every other {noun} is worse"
    else:
        rest = f"{listed(alike)} {'is' if len(alike) == 1 else 'are'} {SHOWN_WORSE}"
    if all(one.tokens is not None for one in found):
        tied = [one for one in tops if one is not pick]
        too = f", as {_names(tied)} {'has' if len(tied) == 1 else 'have'}" if tied else ""
        of_these = "" if _short(pick, found) else f" of the {noun}s {SHOWN_WORSE}"
        short = f"its prompts are {_how_short(found)}{of_these}"
        return f"Use {pick.name}: it has the highest mean score{too}, and {short}; {rest}."
    any_of = "any of " if len(tops) > 1 else ""
    return f"Use {any_of}{_names(tops)}, which {_highest(tops)}; {rest}."


def _prices(found: Sequence[Candidate]) -> str:
    """What the dearest cost, where that is known."""
    pick, known = choice_of(found), [one for one in found if one.tokens]
    if not pick.tokens:
        return ""
    times = {one.name: f"{(one.tokens or 0.0) / pick.tokens:.2f}" for one in known}
    most = max(times.values(), key=float)
    dear = [name for name, each in times.items() if each == most]
    verb = "takes" if len(dear) == 1 else "take"
    return f"{listed(dear)} {verb} {most} times as many tokens." if float(most) > 1 else ""


def _costs(worse: Sequence[Candidate]) -> str:
    """What the worse ones cost, the worst three by name."""
    costs = [f"{one.name} costs {interval_text(one.behind)}" for one in reversed(worse)]
    left = len(costs) - 3
    more = f"; {left} more {'costs' if left == 1 else 'cost'} less" if left > 0 else ""
    return f"{', '.join(costs[:3])}{more}"


Column = tuple[str, Callable[[Any], ViewCell]]
"""A title, and the cell of what a row is about."""


def _table(columns: Iterable[Column | bool], rows: Iterable[Any], lines: tuple[str, ...] = ()) -> View:
    """Those columns that are there."""
    kept = [each for each in columns if not isinstance(each, bool)]
    cells = tuple(tuple(cell(row) for _, cell in kept) for row in rows)
    return View(tuple(title for title, _ in kept), cells, lines)


def candidates_view(found: Sequence[Candidate], noun: str = "format", examples: str = "") -> View:
    """The serializers, or designs, as a table, with the advice."""
    tops, ends = best_means(found), axis_of([one.behind for one in found], 0.0)
    return _table(
        (
            (noun.capitalize(), lambda one: ViewCell(one.name, whole=one.whole)),
            ("Behind the best", lambda one: figure_cell(one.behind, "num", whisker(one.behind, ends, 0.0))),
            any(one.tokens is not None for one in found)
            and ("Prompt tokens", lambda one: tokens_cell(one, found)),
            ("Mean score", lambda one: figure_cell(one.score)),
            ("Verdict", lambda one: _verdict(one, is_best=one in tops)),
        ),
        found,
        advice(found, noun, examples),
    )


def tokens_cell(one: Candidate, found: Sequence[Candidate]) -> ViewCell:
    """How many tokens its prompts take, and relative to the fewest; a dash where unknown."""
    return ViewCell(f"{one.tokens:,.0f}", price(one, found), "num") if one.tokens else DASH


def _verdict(one: Candidate, *, is_best: bool) -> ViewCell:
    few = "too few differ to say" if one.behind.few else SHOWN_WORSE
    return verdict_cell("best mean" if is_best else "worse" if one.worse else few, claimed=one.worse)


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
    known = [(model, found[model], choice_of(found[model])) for model in models if found.get(model)]
    every = [one for _, own, _ in known for one in own]
    return _table(
        (
            ("Model", lambda row: models[row[0]]),
            ("Use", lambda row: _use_cell(row[2], row[1], "at-limit" if row[0] in limits else "")),
            any(one.tokens is not None for one in every)
            and ("Prompt tokens", lambda row: tokens_cell(row[2], row[1])),
            ("Behind the best", lambda row: figure_cell(row[2].behind)),
            ("Furthest behind", lambda row: _furthest(row[1])),
            ("Not shown to be worse", lambda row: _priced(row[1], row[2], worse=False)),
            any(one.worse for one in every) and ("Worse", lambda row: _priced(row[1], row[2], worse=True)),
        ),
        known,
    )


def _use_cell(pick: Candidate, own: Sequence[Candidate], style: str) -> ViewCell:
    """What to use; any, where none is worse and prompts' tokens are not known."""
    if _any_will_do(pick, own):
        return ViewCell("any", "none shown to be worse", style)
    equal = len(best_means(own)) - 1
    if pick.tokens is not None or not equal:
        return ViewCell(pick.name, style=style, whole=pick.whole)
    return ViewCell(pick.name, f"and {counted(equal, 'other')} with an equal mean", style, whole=pick.whole)


def _any_will_do(pick: Candidate, own: Sequence[Candidate]) -> bool:
    """Whether none is worse, and no price of prompts tells one from another."""
    return pick.tokens is None and not any(one.worse for one in own)


def _furthest(own: Sequence[Candidate]) -> ViewCell:
    """What the lowest mean loses against the best."""
    last = _last(own)
    if not last[0].behind.value:
        return DASH
    names, distances = ", ".join(one.name for one in last), _distances(last)
    if len(distances) == 1:
        return ViewCell(names, distances[0], "num furthest")
    # a line breaks between two intervals, not within one
    whole = [each.replace(" ", "\N{NO-BREAK SPACE}") for each in distances]
    return ViewCell(names, listed(whole), "num furthest several")


def _priced(own: Sequence[Candidate], pick: Candidate, *, worse: bool) -> ViewCell:
    """Names of the others, with their price where it is known; of all, where any will do."""
    others = own if _any_will_do(pick, own) else [one for one in own if one is not pick]
    others = [one for one in others if one.worse is worse]
    named = [f"{one.name} {price(one, own)}" if one.tokens else one.name for one in others]
    return ViewCell("", ", ".join(named) or DASH.text, "names")
