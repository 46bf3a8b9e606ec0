"""What a study shows, in a few sentences with numbers: which model is best, what formats and layouts cost.

They say what the verdicts of other figures bear and decide nothing; terminal and site print them as they are.
Averages over models come first; a model is named where its own question has another answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Literal, Protocol, TypeVar

from ..figure import Figure
from ..limits import score_limit
from ..number_format import format_percent, format_percent_bounds, format_size
from ..options import Settings
from ..result import OVERALL, FigureResult, Interval, Verdict
from ..study import StudyScores
from .designs import DESIGNS, Designs
from .level_verdicts import Level
from .model_scores import MODEL_SCORES
from .pairs import PAIRS, RANK_INTERVALS
from .perturbations import PERTURBATIONS, Perturbations
from .serializers import SERIALIZERS, Serializers
from .settings import SETTINGS

R = TypeVar("R")

MOST_NAMES = 3
"""In one list of a sentence."""


class Phrase(FigureResult):
    """Words of a sentence, a name from the data, or a number with its interval."""

    text: str
    sort: Literal["words", "name", "number"] = "words"


Phrases = tuple[Phrase, ...]


class StudyFinding(FigureResult):
    """A sentence on one question, with its heading and the verdicts that it states, by what they are of."""

    question: Literal["models", "formats", "layout changes", "designs"]
    title: str
    parts: Phrases
    verdicts: dict[str, Verdict] = {}

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(part.text for part in self.parts)


def phrases(text: str, *inserted: Phrase | Sequence[Phrase]) -> Phrases:
    """A text with a phrase, or several, in place of each ``{}``."""
    words = [Phrase(text=part) for part in text.split("{}")]
    found: list[Phrase] = []
    for word, place in zip_longest(words, inserted):
        found += [word] if word.text else []
        found += [] if place is None else [place] if isinstance(place, Phrase) else place
    return tuple(found)


def name(text: str) -> Phrase:
    """A name from the data."""
    return Phrase(text=text, sort="name")


def names(found: Sequence[str], noun: str = "other") -> Phrases:
    """``a, b and c``; of many the first, and how many more there are."""
    shown = found if len(found) <= MOST_NAMES + 1 else found[:MOST_NAMES]
    ends = [name(each) for each in shown]
    if left := len(found) - len(shown):
        ends.append(Phrase(text=f"{left} {noun}s"))
    parts: list[Phrase] = []
    for place, end in enumerate(ends):
        parts += [Phrase(text=" and " if place == len(ends) - 1 else ", ")] if place else []
        parts.append(end)
    return tuple(parts)


def _percent(figure: Interval | Level) -> Phrase:
    text = format_percent(figure.value, figure.low, figure.high)
    bounds = format_percent_bounds(figure.low, figure.high)
    return Phrase(text=f"{text} [{bounds}]" if bounds else text, sort="number")


def _points(figure: Verdict) -> Phrase:
    """How large a difference is, whatever its sign."""
    value, low, high = figure.value or 0.0, figure.low, figure.high
    if value < 0 and low is not None and high is not None:
        low, high = -high, -low
    return Phrase(text=format_size(abs(value), low, high), sort="number")


class Results(Protocol):
    """The results of the other figures."""

    def get(self, figure: Figure[R]) -> R | None:
        """The result of a figure; None where the study has nothing for it."""

    def __getitem__(self, figure: Figure[R]) -> R:
        """The result of a figure that every analysis has."""


def findings(results: Results) -> list[StudyFinding]:
    """Of each question that the study asks."""
    found = [_models(results)]
    if serializers := results.get(SERIALIZERS):
        found.append(_levels(serializers, "formats", "format"))
    if perturbations := results.get(PERTURBATIONS):
        found.append(_layouts(perturbations, results[SETTINGS]))
    if designs := results.get(DESIGNS):
        found.append(_levels(designs, "designs", "design"))
    return [each for each in found if each is not None]


def _models(results: Results) -> StudyFinding | None:
    scores, tiers = results[MODEL_SCORES], results[RANK_INTERVALS].tiers.overall
    if not tiers:
        return None
    group, others = tiers[0], [model for tier in tiers[1:] for model in tier]
    best = group[0]
    figure = scores.performance[best].overall
    if score_limit(figure.value) == "floor":
        tied = f", tied with {len(group) - 1} more" if len(group) > 1 else ""
        text = phrases(f"Nearly every answer is wrong: {{}} scores {{}}{tied}.", name(best), _percent(figure))
        return StudyFinding(question="models", title="No model answers these questions", parts=text)
    if len(group) + len(others) == 1:
        text = phrases("{} has a mean score of {}.", name(best), _percent(figure))
        return StudyFinding(question="models", title="Performance", parts=text)
    end, verdicts = phrases("."), dict[str, Verdict]()
    pairs = results.get(PAIRS)
    if others and pairs and (verdict := pairs.overall(best, others[0])):
        verdicts = {others[0]: verdict}
        end = phrases("; {} is {} behind{}.", name(others[0]), _points(verdict), _whom(best, group))
    if len(group) == 1:
        text = phrases("{} scores highest, {}", name(best), _percent(figure)) + end
        return StudyFinding(question="models", title="One model is best", parts=text, verdicts=verdicts)
    last = scores.performance[group[-1]].overall
    every = "Both models" if len(group) == 2 else f"All {len(group)} models"
    who = phrases(every) if len(group) == results[SETTINGS].models else names(group)
    shares = [format_percent(last.value), format_percent(figure.value)]
    ends = [Phrase(text=share, sort="number") for share in dict.fromkeys(shares)]
    range_ = "{}" if len(ends) == 1 else "{} to {}"
    text = phrases(f"{{}} are tied{{}}, {range_}", who, Phrase(text=" for the best"), *ends)
    return StudyFinding(question="models", title="No single best model", parts=text + end, verdicts=verdicts)


def _whom(best: str, group: Sequence[str]) -> Phrases:
    return phrases(" {}", name(best)) if len(group) > 1 else ()


def _average(models: int) -> str:
    """Over how many models: those that have all that is compared."""
    return f", on average over {models} models" if models > 1 else ""


def _levels(
    found: Serializers | Designs, question: Literal["formats", "designs"], noun: str
) -> StudyFinding | None:
    levels = found.choice.average.overall
    if len(levels) < 2:
        return None
    models = sum(len(own.overall) == len(levels) for own in found.choice.models.values())
    best, last, worse = levels[0], levels[-1], [each for each in levels if each.worse]
    verdicts = {each.name: each.behind for each in levels[1:]}
    tokens = _tokens(found, levels) if isinstance(found, Serializers) else ()
    others = _exceptions(found, best.name)
    if not worse:
        said = phrases(
            f"No {noun} is shown to be worse than another{_average(models)}: " + "{} is {} behind {}",
            name(last.name),
            _points(last.behind),
            name(best.name),
        )
        if last.behind.few:
            said = phrases(f"Too few answers differ between {noun}s to say which is better")
        title = f"No difference between {noun}s shown"
        return StudyFinding(question=question, title=title, parts=said + tokens + others, verdicts=verdicts)
    worst = max(worse, key=lambda each: each.behind.value or 0.0)
    rest = [each.name for each in worse if each is not worst]
    said = phrases(
        "{} costs {} against {}" + _average(models),
        name(worst.name),
        _points(worst.behind),
        name(best.name),
    )
    if rest:
        said += _less(rest)
    return StudyFinding(
        question=question, title=f"The {noun} matters", parts=said + tokens + others, verdicts=verdicts
    )


def _less(others: Sequence[str]) -> Phrases:
    return phrases(f"; {{}} also cost{'' if len(others) > 1 else 's'} points, but fewer", names(others))


def _exceptions(found: Serializers | Designs, best: str) -> Phrases:
    """The models for which the format that is best on average is worse than another."""
    differ = [
        model
        for model, own in found.choice.models.items()
        if any(each.name == best and each.worse for each in own.overall)
    ]
    if not differ or len(found.choice.models) < 2:
        return phrases(".")
    return phrases(". For {}, another is better than {}.", names(differ, "model"), name(best))


def _tokens(found: Serializers, levels: Sequence[Level]) -> Phrases:
    """The shortest prompts of the formats that are not worse, beside the longest of all."""
    means = found.mean_tokens(OVERALL, [each.name for each in levels])
    if not means:
        return ()
    shortest = min((each.name for each in levels if not each.worse), key=means.__getitem__)
    longest = max(means, key=means.__getitem__)
    if means[shortest] > 0.95 * means[longest]:
        return ()
    share = Phrase(text=format_percent(means[shortest] / means[longest]), sort="number")
    return phrases(
        "; {}, not shown to be worse than any, takes {} of the tokens of {}",
        name(shortest),
        share,
        name(longest),
    )


def _layouts(found: Perturbations, settings: Settings) -> StudyFinding | None:
    average = found.average.get(OVERALL, {})
    differences = found.differences.get(OVERALL, {})
    models = sum(all(each.value is not None for each in own.values()) for own in differences.values())
    losses = {key: own for key, own in average.items() if own.differs and (own.value or 0.0) < 0}
    if not average:
        return None
    if not losses:
        lowest = min(average, key=lambda key: average[key].value or 0.0)
        text = phrases(f"No layout change is shown to cost anything{_average(models)}.")
        if average[lowest].few:
            text = phrases("Too few answers differ to say what layout changes cost.")
        return StudyFinding(question="layout changes", title="Layout", parts=text, verdicts=average)
    ordered = sorted(losses, key=lambda key: losses[key].value or 0.0)
    worst, rest = ordered[0], ordered[1:]
    text = phrases("{} costs {}" + _average(models), name(worst), _points(losses[worst]))
    if any(worst not in kept for kept in settings.keeps_labels.values()):
        text += phrases(", though it may also change the right answer")
    if rest:
        text += _less(rest)
    text += _unlike(differences, worst)
    return StudyFinding(question="layout changes", title="Layout matters", parts=text, verdicts=average)


def _unlike(models: Mapping[str, Mapping[str, Verdict]], change: str) -> Phrases:
    """The models that gain from what costs others."""
    gain = [
        model
        for model, own in models.items()
        if change in own and own[change].differs and (own[change].value or 0.0) > 0
    ]
    return phrases("; {} gains from it.", names(gain, "model")) if gain else phrases(".")


class FindingsFigure(Figure[list[StudyFinding]]):
    """What the study shows, in sentences: made of the results of the other figures (:func:`findings`)."""

    key = "findings"

    def compute(self, study: StudyScores) -> list[StudyFinding] | None:
        """Nothing: they are made once the other results are there."""
        return None

    def lines(self, result: list[StudyFinding]) -> list[str]:
        """The sentences, in lines of 80 characters."""
        return [line for each in result for line in _lines(each)]


def _lines(found: StudyFinding) -> Iterator[str]:
    yield from wrap(found.text, 80, subsequent_indent="  ", break_long_words=False)


FINDINGS = FindingsFigure()
