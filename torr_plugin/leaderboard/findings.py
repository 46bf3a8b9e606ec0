"""What a study shows, and how reliable it is, in a few sentences with numbers and links.

What a sentence says of differences is claimed by the rule for sentences (:mod:`.claims`), over all that the
sentences of this page could say; what the tests leave open is worded so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean
from typing import Literal

from ..analysis import format_interval
from ..analysis.result import OVERALL, Contrast, Interval, MarkedBounds
from ..core.errors import counted
from .board import Board
from .claims import Claims
from .coverage import one_design
from .formats import formats
from .pairwise import FigureName
from .results import StudyResults
from .study import Study
from .views import drawn_ends, interval_text, negated, percent, signed

_MOST_NAMES = 3
_CORRECTED = "once all that this site compares is corrected for"
_S = "\N{RIGHT SINGLE QUOTATION MARK}s"
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
    """The best and the most robust model, what formats, designs and changes do, which pairs differ.

    Only what the analysis can say: of one model there is no best one, of one configuration no robustness.

    Args:
        study: whose sentences these are.
        board: of all data sets.
    """
    claims = study.claims.sentences
    found = (
        _best(study, board, claims),
        _robust(study, claims),
        _formats_at_one_design(study, claims) if study.several_designs else _formats(study, claims),
        _designs(study, claims),
        _impact(study, claims),
        _pairs(study),
    )
    return tuple(finding for finding in found if finding is not None)


def _design_changes(study: Study) -> Mapping[str, Mapping[str, Contrast]]:
    designs = study.analysis.designs
    return designs.differences.get(OVERALL, {}) if designs else {}


def _changes(study: Study) -> Mapping[str, Mapping[str, Contrast]]:
    perturbations = study.analysis.perturbations
    return perturbations.differences.get(OVERALL, {}) if perturbations else {}


def _best(study: Study, board: Board, claims: Claims) -> StudyFinding | None:
    first = board.rows[0].model
    figure = study.analysis.performance[first].overall
    if figure.value is None:
        return None
    start = _sentence("{} scores {} on average", _name(first), _number(figure))
    end = _against_others(study, "performance", first, claims)
    return StudyFinding("Best performance", start + end, study.paths.models[first], "Model page")


def _against_others(study: Study, figure: FigureName, model: str, claims: Claims) -> tuple[Phrase, ...]:
    """Whom the model with the highest figure differs from, as the end of a sentence."""
    found = {
        other: claims.get((figure, frozenset((model, other)))) for other in study.models if other != model
    }
    tested = {other: claim for other, claim in found.items() if claim and claim.p is not None}
    same = tuple(other for other, claim in tested.items() if not claim.holds)
    if same:
        return (Phrase(f"; {_CORRECTED}, not shown to be above "), *_names(same), Phrase("."))
    if found and len(tested) == len(found):
        return _sentence(", significantly above every other model.")
    return _sentence(".")


def _robust(study: Study, claims: Claims) -> StudyFinding | None:
    known = {
        model: figures.overall
        for model, figures in study.analysis.headline_robustness.items()
        if figures.overall.value is not None
    }
    if len(known) < 2 or set(study.analysis.settings.configurations.values()) == {1}:
        return None
    model = max(known, key=lambda each: known[each].value or 0.0)
    solvable = study.analysis.robustness_solvable[model].overall
    start = _sentence("{} has the highest robustness, {}", _name(model), _number(known[model]))
    if study.analysis.compares_robustness:
        start += _sentence(f" (ToRR{_S}: {{}})", _number(study.analysis.robustness[model].overall))
    text, inserted = "", list[Phrase]()
    scores = [figures.overall.value for figures in study.analysis.performance.values()]
    ranked = sorted(value for value in scores if value is not None)
    weak = study.analysis.performance[model].overall.value == ranked[0] < ranked[-1]
    if weak:  # a model that is always wrong is perfectly robust
        text = " But it also scores lowest"
        if solvable.value is not None:
            text += f"; on the examples that it can solve, ToRR{_S} robustness of it is {{}}"
            inserted.append(_number(solvable))
        text += "."
    parts = (
        start
        + _against_others(study, study.analysis.compared_figures[1], model, claims)
        + _sentence(text, *inserted)
    )
    return StudyFinding("Highest robustness", parts, study.paths.models[model], "Model page")


def _formats(study: Study, claims: Claims) -> StudyFinding | None:
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
    matters = any(own.worse for own in formats(study.analysis, model, OVERALL, claims))
    shown = "" if matters else f" Chance alone moves it too: {_CORRECTED}, no format is shown to be worse."
    parts = _sentence(
        "Between its best and its worst configuration the mean score of {} moves by {}: best {} with {}, "
        f"worst {{}} with {{}}.{shown}",
        _name(model),
        _number(moves),
        _name(_short(best.config)),
        _number(best),
        _name(_short(worst.config)),
        _number(worst),
    )
    title = "The format matters" if matters else "Best and worst configuration"
    return StudyFinding(title, parts, study.paths.formats, "Formats")


def _formats_at_one_design(study: Study, claims: Claims) -> StudyFinding | None:
    """The model that formats move most, at the design at which they are compared."""
    known = {model: formats(study.analysis, model, OVERALL, claims) for model in study.models}
    behind = {model: _value(own[-1].behind) for model, own in known.items() if own and own[-1].behind}
    if not behind or max(behind.values()) == 0:
        return None
    model = max(behind, key=behind.__getitem__)
    best, *_, worst = known[model]
    matters = any(own.worse for own in known[model])
    design = one_design(study.analysis)
    start = ("With the design {}, ", _name(design)) if design else ("With one design on each data set, ",)
    shown = "" if matters else f" Chance alone moves it too: {_CORRECTED}, no format is shown to be worse."
    parts = _sentence(*start) + _sentence(
        f"the mean score of {{}} is {{}} in {{}} and {{}} in {{}}.{shown}",
        _name(model),
        _number(best.score),
        _name(best.name),
        _number(worst.score),
        _name(worst.name),
    )
    title = "The format matters" if matters else "Best and worst format"
    return StudyFinding(title, parts, study.paths.formats, "Formats")


def _designs(study: Study, claims: Claims) -> StudyFinding | None:
    """The design that changes the score of its base most, on average over models."""
    of_design: dict[str, dict[str, Interval]] = {}
    for model, found in _design_changes(study).items():
        for name, figure in found.items():
            if figure.value is not None:
                of_design.setdefault(name, {})[model] = figure
    if not of_design or study.analysis.designs is None:
        return None
    name = max(of_design, key=lambda each: abs(fmean(map(_value, of_design[each].values()))))
    changes, base = of_design[name], study.analysis.designs.bases[name]
    claimed = [model for model in changes if ("design", model, OVERALL, name) in claims]
    text = "Of all designs, {} moves the mean score most against its base, {}, in the same formats: "
    low, high = (choose(changes, key=lambda model: _value(changes[model])) for choose in (min, max))
    if len(changes) == 1:
        end = "" if claimed else ", which may be chance"
        parts = _sentence(f"{text}by {{}}{end}.", _name(name), _name(base), _change(changes[low]))
    else:
        parts = _sentence(
            f"{text}by {{}} ({{}}) to {{}} ({{}}); that is significant for "
            f"{len(claimed)} of {len(changes)} models.",
            _name(name),
            _name(base),
            *(phrase for model in (low, high) for phrase in (_change(changes[model]), _name(model))),
        )
    title = "The design matters" if claimed else "Designs"
    return StudyFinding(title, parts, study.paths.designs, "Designs")


def _impact(study: Study, claims: Claims) -> StudyFinding | None:
    """The perturbation that costs most on average over models: its change where it hits least and most."""
    of_kind: dict[str, dict[str, Interval]] = {}
    for model, found in _changes(study).items():
        for name, figure in found.items():
            if figure.value is not None:
                of_kind.setdefault(name, {})[model] = figure
    if not of_kind:
        return None
    name = min(of_kind, key=lambda each: fmean(map(_value, of_kind[each].values())))
    changes = of_kind[name]
    if fmean(map(_value, changes.values())) >= 0:
        return None
    least, most = (choose(changes, key=lambda model: _value(changes[model])) for choose in (max, min))
    hit = [model for model in changes if _value(changes[model]) < 0 and ("change", model, name) in claims]
    text = "Of all changes to the table, {} lowers the mean score most: "
    if len(changes) == 1:
        end = "" if hit else ", which may be chance"
        parts = _sentence(f"{text}by {{}}{end}.", _name(name), _number(negated(changes[most])))
    else:
        parts = _sentence(
            f"{text}it changes by {{}} ({{}}) to {{}} ({{}}); the loss is significant for "
            f"{len(hit)} of {len(changes)} models.",
            _name(name),
            *(phrase for model in (least, most) for phrase in (_change(changes[model]), _name(model))),
        )
    title = "The costliest change" if hit else "Changes to the table"
    return StudyFinding(title, parts, study.paths.formats, "Formats")


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
    return StudyFinding("How many pairs differ", parts, f"{study.paths.overview}#pairs", "On each data set")


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


def _change(figure: Interval) -> Phrase:
    return Phrase(" ".join(filter(None, signed(figure))), "number")


def _number(figure: MarkedBounds) -> Phrase:
    mark = "" if figure.complete else "*"  # as in the tables: some scores are missing
    return Phrase(interval_text(figure) + mark, "number")


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
            f"the models{_S[0]} mean scores would correlate with these at "
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
            f"Kendall{_S} W = {format_interval(first.w, first.low, first.high)}; "
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
