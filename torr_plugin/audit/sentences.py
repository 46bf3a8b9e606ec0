"""What an audit and a gate say in words, the same in the terminal, on the page and in Markdown."""

from __future__ import annotations

from math import isclose

from ..analysis.number_format import ABSENT, format_names, format_ranks, format_share
from ..analysis.power import POWER
from ..analysis.result import OVERALL
from ..core.errors import counted
from .gating import Gate, GatedCell
from .result import QUESTIONS, Audit, AuditedModel, AuditedPlace
from .scales import UnitScale

MOST_FIRST = 5
"""Names of models that could be first, in a sentence."""


def headlines(audit: Audit, place: AuditedPlace) -> list[str]:
    """What a place shows, a sentence each."""
    over = "task" if audit.over == "tasks" else "item"
    of = f", {counted(place.items, over)}" if place.items else ""
    first = format_names(place.could_be_first, MOST_FIRST)
    found = [
        f"{counted(len(place.models), 'model')}{of}. The question: which are better {QUESTIONS[audit.over]}?",
        f"{place.separated:,} of {counted(place.pairs, 'pair')} {_are(place.pairs)} "
        f"separated ({format_share(place.separated / place.pairs if place.pairs else None)}), all at once "
        f"at {audit.level:.0%}.",
        f"{counted(len(place.could_be_first), 'model')} could be first: {first}.",
        _order_sentence(audit, place),
    ]
    return [*found, *_size_sentence(place)]


def _order_sentence(audit: Audit, place: AuditedPlace) -> str:
    neighbours = len(place.neighbours)
    good = neighbours - place.false_ranks
    what = "score" if audit.order == "score" else "place"
    ties = ""
    if place.exact_ties:
        models = counted(place.exact_ties, "model")
        ties = f"; {models} {'has' if place.exact_ties == 1 else 'have'} the {what} of the one before"
    return (
        f"Of {counted(neighbours, 'pair')} of neighbours in the order by {audit.order}, {good:,} "
        f"{_are(good)} separated{ties}."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _size_sentence(place: AuditedPlace) -> list[str]:
    typical, hardest = place.detectable.typical, place.detectable.hardest
    if typical is None:
        return []
    worst = "" if hardest is None else f", {size_text(place, hardest)} for any"
    return [
        f"The smallest difference this board can see ({POWER:.0%} power): {size_text(place, typical)} for "
        f"the median pair{worst}."
    ]


def size_text(place: AuditedPlace, size: float) -> str:
    """A difference in points, hundredths of the scale; in its own units where it has no bounds."""
    if not place.scale.bounded:
        return f"{size:.3g}"
    return f"{100 * size / place.scale.span:.1f} points"


def place_title(place: AuditedPlace, audit: Audit) -> str:
    """``Overall, the mean of 5 tasks (accuracy)``, ``musr (accuracy)``."""
    name = place.name
    if name == OVERALL:
        tasks = len(audit.tasks) if audit.over == "items" else place.items or 0
        name = f"Overall, the mean of {counted(tasks, 'task')}"
    return f"{name} ({place.metric})" if place.metric else name


def score_text(place: AuditedPlace, model: AuditedModel) -> str:
    """A model's score."""
    return place.scale.text(model.score, model.low, model.high)


def ranks_text(model: AuditedModel) -> str:
    """The model's rank range, written as an analysis writes it."""
    if model.first_rank is None or model.last_rank is None:
        return ABSENT
    return format_ranks((model.first_rank, model.last_rank))


def more_text(more: int | None) -> str:
    """``1,200``; ``0`` where there are enough; a dash where nothing says how many."""
    return ABSENT if more is None else f"{more:,}"


def gate_sentence(found: Gate) -> str:
    """Whether it passes, and why not."""
    points = any(isclose(cell.margin, found.margin * cell.span) for cell in found.cells)
    margin = f"{100 * found.margin:g} points" if points else f"{found.margin:g} in the metric's unit"
    models = {cell.model for cell in found.cells}
    who = next(iter(models)) if len(models) == 1 else f"each of {counted(len(models), 'model')}"
    where = counted(len({(cell.task, cell.config) for cell in found.cells}), "comparison")
    if found.passed:
        return (
            f"PASS: {who} is not worse than {found.base} by {margin} or more in any of {where} "
            f"(all at once at {found.level:.0%})."
        )
    failed = [cell for cell in found.cells if cell.verdict != "not worse"]
    worse = sum(cell.verdict == "worse" for cell in failed)
    known = f"; in {worse:,} it is worse" if worse else ""
    what = next(iter(models)) if len(models) == 1 else "a model"
    return (
        f"FAIL: in {len(failed):,} of {counted(len(found.cells), 'comparison')} {what} may be worse than "
        f"{found.base} by {margin} or more{known} (all at once at {found.level:.0%})."
    )


def cell_name(cell: GatedCell) -> str:
    """``musr``, ``musr, chat``."""
    return f"{cell.task}, {cell.config}" if cell.config else cell.task


def limits_text(cell: GatedCell) -> str:
    """``-0.004 [-0.016, 0.008]``; a dash where nothing was compared."""
    if cell.difference is None:
        return ABSENT
    return UnitScale(span=cell.span).with_interval(cell.difference, cell.low, cell.high)
