"""A page for each model: its rank, its strengths, and where it is not robust."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...analysis.result import NOTHING, OVERALL
from ...analysis.shared_examples import SharedExamples
from ...core.errors import counted
from ..beside import noise_on_datasets, own_cells_on_datasets
from ..charts import Chart
from ..charts.chart import profile_chart
from ..coverage import apart_lines, evenly_asked_means
from ..examples.flips import WidestFlips, flip_link, widest_flips
from ..facts import model_facts
from ..files import PageFile, SiteFile, with_choice
from ..formats import ALL_DATASETS
from ..heat_maps import heat_maps
from ..results import at_limit
from ..sentences import model_findings
from ..standings import standings
from ..study import Study
from ..unranked import way_of_writing
from ..verdicts import STANDINGS, Standing, standing
from ..views import FigureText, Panel, View, figure_text, interval_text, panels, signed_text

MOST_FLIPS = 10


@dataclass(frozen=True)
class PairRow:
    """Another model, and this model's figures less its; how this one stands by each."""

    model: str
    link: str
    compare: str
    difference: FigureText
    robustness: FigureText
    standing: Standing
    robust_standing: Standing


def files(study: Study) -> Iterator[SiteFile]:
    """One page per model."""
    rows = {row.model: row for row in standings(study.analysis, study.tied_groups)}
    tiers = max(study.tiers.values(), default=0)
    facts = {each.label: each for each in model_facts(study.source)}
    failures = {each.model: each for each in study.source.failures}
    even = evenly_asked_means(study.bases, study.cubes, study.analysis.settings.level)
    widest = widest_flips(study.cubes, MOST_FLIPS)
    for name in study.models:
        own = widest.get(name, WidestFlips((), ""))
        yield PageFile(
            path=study.paths.models[name],
            template="model.html",
            title=name,
            current="models",
            values={
                "name": name,
                "row": rows[name],
                "tiers": tiers,
                "even_mean": figure_text(even[name]) if even else None,
                "limited": any(rows[name].styles.values()),
                "words": study.words[name],
                "facts": facts.get(name),
                "failed": failures.get(name),
                "profiles": _profiles(study, name) if len(study.datasets) > 1 else (),
                "way": way_of_writing(study),
                "maps": _maps(study, name) if study.analysis.varied else (),
                "apart": tuple(
                    apart_lines(study.compared.apart, study.short, several=len(study.datasets) > 1)
                ),
                "choose_format": with_choice(study.paths.formats, model=name),
                "choose_design": with_choice(study.paths.designs, model=name),
                "findings": model_findings(study, name),
                "standings": STANDINGS,
                "noise": noise_on_datasets(study.analysis, name, study.paths.datasets),
                "own_cells": own_cells_on_datasets(study.analysis, name, study.paths.datasets),
                "flips": [(flip, flip_link(study, name, flip)) for flip in own.flips],
                "tied": own.tied,
                "pairs": _pairs(study, name),
            },
            scripts=("choice.js",),
            description=_description(study, name),
        )


def _description(study: Study, name: str) -> str:
    """The model in a sentence for those who see a link to its page."""
    own = study.analysis
    figures = {"performance": own.performance, "robustness": own.headline_robustness if own.varied else {}}
    known = [f"{kind} {interval_text(found[name].overall)}" for kind, found in figures.items() if found]
    return f"{name} on {study.title}: {', '.join(known)}."


def _profiles(study: Study, name: str) -> tuple[Chart, ...]:
    analysis, places = study.analysis, study.tied_groups
    ranks = {dataset: places[dataset].ranks for dataset in study.datasets}
    performance = profile_chart(name, "performance", analysis.performance, ranks)
    if not analysis.varied:
        return (performance,)
    robustness = analysis.headline_robustness
    return performance, profile_chart(name, "robustness", robustness, {})


def _maps(study: Study, name: str) -> tuple[Panel[tuple[View, ...]], ...]:
    """Of all data sets first; of a single data set alone. None where no configuration has a score.

    Configurations are compared over the examples that have a score in all of them, so their title says which.
    """
    compared = study.compared
    found = dict(compared.scores)
    if len(study.datasets) == 1 or not found.get(OVERALL):
        found.pop(OVERALL, None)
    named = []
    for dataset, scores in found.items():
        title = f"Mean scores over {_over(compared.examples[dataset][name])}"
        maps = heat_maps(
            {config: {title: by_model.get(name)} for config, by_model in scores.items()}, [title], study.short
        )
        if maps and any(by_model.get(name) is not None for by_model in scores.values()):
            named.append((dataset, ALL_DATASETS if dataset == OVERALL else dataset, maps))
    return panels(named)


def _over(found: SharedExamples) -> str:
    if found.shared == found.of:
        return counted(found.of, "example")
    return f"{found.shared:,} of its {found.of:,} examples, those with a score in every one of these"


def _pairs(study: Study, name: str) -> tuple[PairRow, ...]:
    """The other models, best first, each against this one."""
    known = {model for pair in study.analysis.pairs if name in pair.models for model in pair.models}
    return tuple(_pair(study, name, other) for other in study.models if other in known and other != name)


def _pair(study: Study, name: str, other: str) -> PairRow:
    performance, *robust = study.analysis.compared_figures
    headline = robust[0] if robust else performance
    first, second = (study.pairs.of(figure, name, other) for figure in (performance, headline))
    limited = any(at_limit(study.analysis, model, headline) for model in (name, other))
    return PairRow(
        model=other,
        link=study.paths.models[other],
        compare=with_choice(study.paths.compare, a=name, b=other),
        difference=signed_text(first or NOTHING),
        robustness=signed_text(second or NOTHING),
        standing=standing(first),
        robust_standing="limited" if limited else standing(second),
    )
