"""What a study shows, in a few sentences with numbers and links: the first thing that a reader sees.

Titles follow from what is claimed: where no test finds a difference, none is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...analysis.result import OVERALL, Interval
from ..coverage import formats_but, one_design
from ..results import FigureName, at_limit
from ..text import in_words, sentence
from ..unranked import way_of_writing
from .bold import unsure
from .cells import pair_hypothesis
from .claim import Claim
from .sentences import Phrase, Sentence, count_of, name, names, number, phrases, size
from .verdicts import weak
from .worded import best_format

if TYPE_CHECKING:
    from ..study import Study

_NOTHING = 1e-9
"""Two means that lie closer are one, added in another order."""


def study_findings(study: Study) -> tuple[Sentence, ...]:
    """The best and the most robust model, what formats, perturbations and designs do.

    Only what the analysis can say: of one model there is no best one, of one configuration no robustness.
    """
    found = (_best(study), _robust(study), _formats(study), _perturbations(study), _designs(study))
    return tuple(finding for finding in found if finding is not None)


def _best(study: Study) -> Sentence | None:
    known = {
        model: own
        for model in study.models
        if (own := study.analysis.performance[model].overall).value is not None
    }
    if not known:
        return None
    first, *others = known
    link = study.paths.models[first], "Model page"
    figure = known[first]
    if not others:
        alone = "" if len(study.models) == 1 else "; no other model has an overall one"
        text = phrases(f"{{}} has a mean score of {{}}{alone}.", name(first), number(figure))
        return Sentence("Performance", text, *link)
    tied = _tied(known)
    if at_limit(study.analysis, first, "performance") == "floor":
        text = phrases(
            f"{{}} score{'s' if len(tied) == 1 else ''} highest, {{}}: nearly every answer is wrong.",
            names(tied),
            number(figure),
        )
        return Sentence("No model answers these questions", text, *link)
    if len(tied) > 1:
        return Sentence("No single best model", _shared(study, "performance", known), *link)
    start = phrases("{} has the highest mean score, {}", name(first), number(figure))
    above, same = _others(study, "performance", first)
    title, end = "Best performance", phrases(".")
    if above and len(above) == len(study.models) - 1:
        title, end = "One model is best", phrases(", and scores above every other model.")
    elif above and not same:  # of the others some cannot be compared
        end = phrases(", and scores above {}.", names([other for other, _ in above]))
    else:
        title = "No single best model"
        end = phrases(", but is not shown to score above {}.", names([other for other, _ in same]))
        end = end if same else phrases(", but no test compares it with another.")
    return Sentence(title, start + end, *link, tuple(claim for _, claim in above))


_Figures = Mapping[str, Interval]
"""Model -> its figure, which it has."""


def _tied(known: _Figures) -> list[str]:
    """The models of the highest figure."""
    most = max(map(_value, known.values()))
    return [model for model, figure in known.items() if _value(figure) > most - _NOTHING]


def _shared(study: Study, figure: FigureName, known: _Figures) -> tuple[Phrase, ...]:
    """That several models share the highest figure, and of whom none of them is shown to be ahead."""
    tied = _tied(known)
    what, ahead = (
        ("mean score", "score above") if figure == "performance" else ("robustness", "be more robust than")
    )
    shown = {number(known[model]) for model in tied}
    end = phrases(", {}", *shown) if len(shown) == 1 else ()
    if len(tied) == len(known):
        all_of = "Both" if len(known) == 2 else f"All {in_words(len(known))}"
        whose = "models" if len(known) == len(study.models) else "models that can be compared"
        return phrases(f"{all_of} {whose} have the same {what}{{}}.", end)
    same = [{other for other, _ in _others(study, figure, model)[1]} for model in tied]
    level = [model for model in known if model not in tied and all(model in own for own in same)]
    than = phrases(f", but are not shown to {ahead} {{}}", names(level)) if level else ()
    return phrases(f"{{}} share the highest {what}{{}}{{}}.", names(tied), end, than)


_Tested = list[tuple[str, Claim]]
"""Other models, with what was tested of each."""


def _others(study: Study, figure: str, model: str) -> tuple[_Tested, _Tested]:
    """Those that a model is claimed to be above, and those that it is not."""
    claims = study.claims.sentences
    found = [
        (other, claim)
        for other in study.models
        if other != model
        and (claim := claims.get(pair_hypothesis(figure, model, other))) is not None
        and claim.p is not None
    ]
    return [each for each in found if each[1].holds], [each for each in found if not each[1].holds]


def _robust(study: Study) -> Sentence | None:
    """The model whose scores change least, of those whose robustness says something."""
    analysis = study.analysis
    known = {
        model: own.overall
        for model, own in analysis.headline_robustness.items()
        if own.overall.value is not None and at_limit(analysis, model, "headline_robustness") is None
    }
    if len(known) < 2 or not analysis.varied:
        return None
    figure, tied = analysis.compared_figures[1], _tied(known)
    first = tied[0]
    above, same = _others(study, figure, first)
    # a model that is always wrong is perfectly robust: it is no rival
    above, same = ([each for each in own if each[0] in known] for own in (above, same))
    if not above and not same:
        return None
    link = study.paths.models[first], "Model page"
    if len(tied) > 1:
        return Sentence("No model is shown to be most robust", _shared(study, figure, known), *link)
    claimed = tuple(claim for _, claim in above)
    if not same:
        every = "every other model" + ("" if len(known) == len(study.models) else " whose answers can change")
        compared = len(above) == len(known) - 1
        text = phrases(
            f"The scores of {{}} (robustness {{}}) differ less between {way_of_writing(study)}s than "
            f"those of {{}}.{weak(study, first)}{_noisy(study)}",
            name(first),
            number(known[first]),
            phrases(every) if compared else names([other for other, _ in above]),
        )
        return Sentence("Most robust", text, *link, claimed)
    text = phrases(
        "{} has the highest robustness, {}{}, but is not shown to differ from {}." + weak(study, first),
        name(first),
        number(known[first]),
        phrases(", above {}", names([other for other, _ in above])) if above else (),
        names([other for other, _ in same]),
    )
    return Sentence("No model is shown to be most robust", text, *link, claimed)


def _noisy(study: Study) -> str:
    """That scores may differ for another reason, where nothing says how much they do."""
    return "" if study.analysis.noise else " No prompt was asked twice, so answer noise may be part of it."


def _formats(study: Study) -> Sentence | None:
    """The format that costs a model most, of those that are claimed to be worse; else that none is."""
    claims = study.claims.sentences
    found = [claim for claim in claims.of_kind("format") if claim.p is not None]
    if not found:
        return None
    link = study.paths.formats, "Formats"
    held = [claim for claim in found if claim.holds]
    overall = [claim for claim in held if claim.hypothesis[0] == "worse" and claim.hypothesis[2] == OVERALL]
    if not held:
        return Sentence(*_alike(study, found), *link)
    worst = max(overall or held, key=lambda claim: abs(_value(claim.estimate)))
    every = {claim.hypothesis[1] for claim in found if claim.hypothesis[0] == "worse"}
    models = {claim.hypothesis[1] for claim in overall}
    text = phrases("{}{} costs {} {} compared with {}", _where(study, worst), *_costs(study, worst))
    of_models = (
        f"; for {count_of(len(models), len(every), 'model')}, at least one format is shown to be worse"
    )
    end = of_models if overall and len(every) > 1 else ""
    title = "The format matters"
    if end and len(models) < len(every):
        title += f" for {'one model' if len(models) == 1 else f'{in_words(len(models))} models'}"
    return Sentence(title, text + phrases(f"{end}."), *link, tuple(overall or [worst]))


def _where(study: Study, claim: Claim, among: str = "") -> tuple[Phrase, ...]:
    """The design and the data set of a comparison of formats, where there are others; begins a sentence.

    ``among``: which formats it is among.
    """
    design, place = one_design(study.analysis), str(claim.hypothesis[2])
    at = phrases("with the design {}, ", name(design)) if design else ()
    on = phrases("on {}, ", name(place)) if place != OVERALL and len(study.datasets) > 1 else ()
    of = (Phrase(f"{among}, "),) if among else ()
    first, *others = (*of, *at, *on) or (Phrase(""),)
    return Phrase(sentence(first.text)), *others


def _costs(study: Study, claim: Claim) -> tuple[Phrase, ...]:
    """The worse format, the model, how much, and the better format."""
    kind, model, place, *formats = map(str, claim.hypothesis)
    if kind == "apart":
        first, second = formats if _value(claim.estimate) < 0 else formats[::-1]
        return name(first), name(model), size(claim.estimate), name(second)
    best = best_format(study.analysis, model, place)
    return name(formats[0]), name(model), number(claim.estimate), name(best)


def _alike(study: Study, found: Sequence[Claim]) -> tuple[str, tuple[Phrase, ...]]:
    """Title and sentence where no format is claimed to be worse."""
    behind = [claim for claim in found if claim.hypothesis[0] == "worse" and claim.hypothesis[2] == OVERALL]
    widest = max(behind or found, key=lambda claim: abs(_value(claim.estimate)))
    perhaps = unsure(study.claims.bold, "serializer", "of formats", study.short)
    title = f"No difference between formats {'is certain' if perhaps else 'was found'}"
    if not _value(widest.estimate):
        whose = "Every model" if len(study.models) > 1 else "The model"
        return title, phrases(f"{whose} has the same mean score in all formats.")
    but = formats_but(study.analysis, OVERALL, study.short) if behind else ""
    among = f"of {but}" if but else ""
    over = " over all data sets" if behind and len(study.datasets) > 1 else ""
    text = phrases(
        f"{{}}{{}} is {{}} behind {{}} for {{}}, the largest distance{over}; after correction for all that "
        f"this site compares, {'none of these' if among else 'no format'} is shown to be worse than another."
        "{}",
        _where(study, widest, among),
        *(_costs(study, widest)[place] for place in (0, 2, 3, 1)),
        Phrase(perhaps) if perhaps else (),
    )
    return title, text


def _perturbations(study: Study) -> Sentence | None:
    """The perturbation that lowers the score of most models, of what is claimed; nothing where none does."""
    held = _by_name(study, "change", lambda claim: claim.hypothesis[2])
    losses = {key: [one for one in own if _value(one.estimate) < 0] for key, own in held.items()}
    losses = {key: own for key, own in losses.items() if own}
    if not losses:
        return None
    chosen = max(losses, key=lambda key: (len(losses[key]), _mean(losses[key])))
    hit = losses[chosen]
    most = min(hit, key=lambda one: _value(one.estimate))
    whole = len({one.hypothesis[1] for one in study.claims.sentences.of_kind("perturbation")})
    at_most = "" if len(hit) == 1 else ", at most"
    text = phrases(
        f"{{}} lowers the score of {count_of(len(hit), whole, 'model')}{at_most} by {{}}"
        + ("" if whole == 1 else " ({})")
        + f"{_untrue(study, chosen)}.",
        name(chosen),
        size(most.estimate),
        *(() if whole == 1 else (name(str(most.hypothesis[1])),)),
    )
    return Sentence("Changing the table costs", text, study.paths.formats, "Formats", tuple(hit))


def _untrue(study: Study, perturbation: str) -> str:
    """That a perturbation may change what is right, where a data set's card does not rule it out."""
    keeps = study.analysis.settings.keeps_labels
    if all(perturbation in keeps.get(dataset, ()) for dataset in study.datasets):
        return ""
    return ", though it may also change the right answer"


def _designs(study: Study) -> Sentence | None:
    """The design that changes the score of most models against its base, of what is claimed."""
    held = _by_name(study, "design", lambda claim: claim.hypothesis[3])
    if not held or study.analysis.designs is None:
        return None
    chosen = max(held, key=lambda key: (len(held[key]), _mean(held[key])))
    most = max(held[chosen], key=lambda one: abs(_value(one.estimate)))
    alike = [one for one in held[chosen] if (_value(one.estimate) < 0) == (_value(most.estimate) < 0)]
    whole = len({one.hypothesis[1] for one in study.claims.sentences.of_kind("design")})
    verb = "lowers" if _value(most.estimate) < 0 else "raises"
    text = phrases(
        f"{{}} {verb} the score of {count_of(len(alike), whole, 'model')} against {{}} in the same formats, "
        f"{'by' if len(alike) == 1 else 'at most by'} {{}}" + (" ({})." if whole > 1 else "."),
        name(chosen),
        name(study.analysis.designs.bases[chosen]),
        size(most.estimate),
        *((name(str(most.hypothesis[1])),) if whole > 1 else ()),
    )
    return Sentence("The design matters", text, study.paths.designs, "Designs", tuple(alike))


def _by_name(study: Study, sort: str, key: Callable[[Claim], object]) -> Mapping[str, list[Claim]]:
    """What is changed -> the claims over all data sets that hold, a model each."""
    found: dict[str, list[Claim]] = {}
    for hypothesis, claim in study.claims.sentences.every.items():
        if hypothesis[0] == sort and claim.holds and (sort != "design" or hypothesis[2] == OVERALL):
            found.setdefault(str(key(claim)), []).append(claim)
    return found


def _mean(claims: Sequence[Claim]) -> float:
    """How large they are."""
    return abs(fmean(_value(one.estimate) for one in claims))


def _value(figure: Interval) -> float:
    return figure.value or 0.0
