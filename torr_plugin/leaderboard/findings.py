"""What a study shows, and how reliable it is, in a few sentences with numbers and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean
from typing import Literal

from ..analysis import format_interval
from ..analysis.result import OVERALL, Interval, MarkedBounds
from .board import Board
from .results import StudyResults
from .study import Study
from .text import counted
from .views import drawn_ends, interval_text, negated, percent, side_of_zero

_MOST_NAMES = 3
NO_WIDTHS = "their intervals have no width, so overlap says nothing."


@dataclass(frozen=True)
class Phrase:
    """Words of a sentence, a name from the data, or a number with its interval."""

    text: str
    sort: Literal["words", "name", "number"] = "words"


@dataclass(frozen=True)
class StudyFinding:
    """A sentence with its heading, and where more of it is: a path from the site's root, and its name."""

    title: str
    parts: tuple[Phrase, ...]
    path: str
    more: str


def study_findings(study: Study, board: Board) -> tuple[StudyFinding, ...]:
    """The best model, the most robust one, what formats and changes of a table do, which pairs differ.

    Only what the analysis can say: of one model there is no best one, of one configuration no robustness.
    """
    found = (_best(study, board), _robust(study), _formats(study), _impact(study), _pairs(study))
    return tuple(finding for finding in found if finding is not None)


def _best(study: Study, board: Board) -> StudyFinding | None:
    first = board.rows[0]
    figure = study.analysis.performance[first.model].overall
    if figure.value is None:
        return None
    start = _sentence("{} scores {} on average", _name(first.model), _number(figure))
    if len(board.rows) == 1:
        end = _sentence(".")
    elif first.same:
        end = (Phrase("; the paired test does not separate it from "), *_names(first.same), Phrase("."))
    else:
        end = _sentence(", and the paired test separates it from every other model.")
    return StudyFinding("Best performance", start + end, study.paths.models[first.model], "Model page")


def _robust(study: Study) -> StudyFinding | None:
    known = {
        model: figures.overall
        for model, figures in study.analysis.robustness.items()
        if figures.overall.value is not None
    }
    if len(known) < 2 or set(study.analysis.settings.configurations.values()) == {1}:
        return None
    model = max(known, key=lambda each: known[each].value or 0.0)
    solvable = study.analysis.robustness_solvable[model].overall
    text = "{} changes least with the way a table is written: robustness {}"
    inserted = [_name(model), _number(known[model])]
    scores = [figures.overall.value for figures in study.analysis.performance.values()]
    ranked = sorted(value for value in scores if value is not None)
    weak = study.analysis.performance[model].overall.value == ranked[0] < ranked[-1]
    if weak:  # a model that is always wrong is perfectly robust
        text += ". But it also scores lowest"
        if solvable.value is not None:
            text += "; on the examples that it can solve, its robustness is {}"
            inserted.append(_number(solvable))
    parts = _sentence(f"{text}.", *inserted)
    return StudyFinding("Most robust", parts, study.paths.models[model], "Model page")


def _formats(study: Study) -> StudyFinding | None:
    ranges = {
        model: found.overall
        for model, found in study.analysis.configuration_range.items()
        if found.overall and found.overall.range and found.overall.range.value
    }
    if not ranges:
        return None
    model = max(ranges, key=lambda each: _value(ranges[each].range))
    moves, best, worst = ranges[model].range, ranges[model].best, ranges[model].worst
    if not (moves and best and best.config and worst and worst.config):
        return None
    parts = _sentence(
        "Between its best and its worst configuration the mean score of {} moves by {}: best {} with {}, "
        "worst {} with {}.",
        _name(model),
        _number(moves),
        _name(_short(best.config)),
        _number(best),
        _name(_short(worst.config)),
        _number(worst),
    )
    return StudyFinding("The format matters", parts, study.paths.configurations, "Configurations")


def _impact(study: Study) -> StudyFinding | None:
    """The perturbation that costs most on average over models: what it costs those it hits least and most."""
    perturbations = study.analysis.perturbations
    changes = perturbations.differences.get(OVERALL, {}) if perturbations else {}
    of_kind: dict[str, dict[str, Interval]] = {}
    for model, found in changes.items():
        for name, figure in found.items():
            if figure.value is not None:
                of_kind.setdefault(name, {})[model] = negated(figure)
    if not of_kind:
        return None
    name = max(of_kind, key=lambda each: fmean(_value(cost) for cost in of_kind[each].values()))
    costs = of_kind[name]
    if fmean(_value(cost) for cost in costs.values()) <= 0:
        return None
    least, most = (choose(costs, key=lambda model: _value(costs[model])) for choose in (min, max))
    text = "Of all changes to the table, {} costs most: "
    if len(costs) == 1:
        parts = _sentence(text + "{} of the mean score.", _name(name), _number(costs[most]))
    else:
        real = sum(side_of_zero(cost) > 0 for cost in costs.values())
        parts = _sentence(
            text + "from {} of the mean score ({}) to {} ({}); the interval lies above 0 for "
            f"{real} of {len(costs)} models.",
            _name(name),
            *(phrase for model in (least, most) for phrase in (_number(costs[model]), _name(model))),
        )
    return StudyFinding("The costliest change", parts, study.paths.configurations, "Configurations")


def _pairs(study: Study) -> StudyFinding | None:
    pairs = study.analysis.separability.overall
    if not pairs.pairs or pairs.paired is None:
        return None
    real = round(pairs.paired * pairs.pairs)
    drawn = any(
        drawn_ends(figures.overall) != (None, None) for figures in study.analysis.performance.values()
    )
    overlap = f"the intervals of {percent(pairs.value)} do not overlap." if drawn else NO_WIDTHS
    parts = _sentence(
        f"The paired test separates {{}} pairs of models ({percent(pairs.paired)}); {overlap}",
        Phrase(f"{real:,} of {pairs.pairs:,}", "number"),
    )
    return StudyFinding(
        "Which differences are real", parts, f"{study.paths.overview}#pairs", "On each data set"
    )


def _sentence(text: str, *inserted: Phrase) -> tuple[Phrase, ...]:
    """A text with a phrase in place of each ``{}``."""
    words = map(Phrase, text.split("{}"))
    return tuple(each for pair in zip_longest(words, inserted) for each in pair if each and each.text)


def _names(models: Sequence[str]) -> Iterator[Phrase]:
    shown = models[:_MOST_NAMES]
    for place, model in enumerate(shown):
        yield from () if place == 0 else (Phrase(", "),)
        yield _name(model)
    if len(models) > len(shown):
        yield Phrase(f" and {counted(len(models) - len(shown), 'other')}")


def _short(config: str) -> str:
    """A configuration without what this project's names all begin with, and without the default design."""
    return config.removeprefix("torr.").removesuffix("/default")


def _value(figure: Interval | None) -> float:
    return figure.value or 0.0 if figure else 0.0


def _name(text: str) -> Phrase:
    return Phrase(text, "name")


def _number(figure: MarkedBounds) -> Phrase:
    mark = "" if figure.complete else "*"  # as in the tables: some scores are missing
    return Phrase(interval_text(figure) + mark, "number")


_S = "\N{RIGHT SINGLE QUOTATION MARK}"


@dataclass(frozen=True)
class ReliabilityFinding:
    """A sentence with its heading, and the section of the page that says more."""

    title: str
    text: str
    section: str
    more: str


def reliability_findings(analysis: StudyResults, place: str, plan: str) -> Iterator[ReliabilityFinding]:
    """Only what the analysis can say.

    Args:
        analysis: of the study.
        place: the data set, or "overall".
        plan: the planner's sentence for its default wish; empty where there is no planner.
    """
    found = analysis.generalizability.get(place)
    if found and found.coefficient.value is not None:
        own = found.coefficient
        yield ReliabilityFinding(
            "The same study again",
            "With other configurations and examples of the same kinds, "
            f"the models{_S} mean scores would correlate with these at "
            f"{interval_text(own)}; 1 would mean that nothing changes.",
            "variance",
            "What changes it",
        )
    curves = analysis.reliability.get(place)
    first = curves.prompts[0] if curves and curves.prompts else None
    if first and first.k == 1 and first.w is not None:
        chance = "" if first.chance is None else f", random ones at {first.chance:.2f}"
        yield ReliabilityFinding(
            "One configuration alone",
            "Rankings from one configuration each agree with one another at "
            f"Kendall{_S}s W = {format_interval(first.w, first.low, first.high)}; "
            f"equal rankings would agree at 1{chance}.",
            "curves",
            "With more of them",
        )
    if plan:
        yield ReliabilityFinding("How large a study", plan, "budget", "Plan another size")
    pairs = analysis.separability.overall
    if pairs.paired is not None:
        yield ReliabilityFinding(
            "Models that differ",
            f"{percent(pairs.paired)} of the {pairs.pairs:,} pairs of models differ by a paired test "
            "that allows for all of them.",
            "separability",
            "On each data set",
        )
