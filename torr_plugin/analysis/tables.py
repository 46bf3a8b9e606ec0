"""The figures of ``analysis.json`` as tables in long form: a row a number, and what it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from . import example_tables as by_example
from .estimates import STATISTICS
from .frame import OVERALL

Row = Sequence[object]
Found = Mapping[str, Any]
_BOUNDS = ("value", "low", "high")


@dataclass(frozen=True)
class Table:
    """A table of figures.

    Attributes:
        header: names of the columns.
        rows: makes the rows of an analysis.
        needs: keys on the way to what the rows are made of; a study without it has no such table.
    """

    header: tuple[str, ...]
    rows: Callable[[Found], Iterable[Row]]
    needs: tuple[str, ...] = ()

    def lacking(self, analysis: Found) -> bool:
        """Whether the analysis has nothing for this table."""
        here: Any = analysis
        for key in self.needs:
            here = here.get(key)
            if not here:
                return True
        return False


def figure_rows(analysis: Found) -> Iterator[Row]:
    """A row a figure: name, model, data set ("overall" for all), value, bounds, and if none is missing."""
    for name in STATISTICS:
        for model, figure in analysis[name].items():
            for dataset, own in {OVERALL: figure[OVERALL], **figure["datasets"]}.items():
                yield name, model, dataset, *_figure(own)


def configuration_rows(analysis: Found) -> Iterator[Row]:
    """A row a mean score of a configuration: data set ("overall" for all), configuration, model, score."""
    return _leaves(analysis["configurations"], 3)


def _figure(own: Found) -> tuple[object, ...]:
    return *(own[key] for key in _BOUNDS), own.get("complete", True)


def _leaves(nested: Found, depth: int) -> Iterator[Row]:
    """The keys on the way to each value, and the value."""
    for key, inner in nested.items():
        if depth == 1:
            yield key, inner
        else:
            for row in _leaves(inner, depth - 1):
                yield key, *row


def _figures(*path: str, depth: int) -> Callable[[Found], Iterator[Row]]:
    """Rows of figures at the ends of nested mappings."""

    def rows(analysis: Found) -> Iterator[Row]:
        for *keys, own in _leaves(_at(analysis, path), depth):
            yield *keys, *_figure(cast("Found", own))

    return rows


def _at(analysis: Found, path: Iterable[str]) -> Any:
    here: Any = analysis
    for key in path:
        here = here[key]
    return here


def _separability(analysis: Found) -> Iterator[Row]:
    found = analysis["separability"]
    for dataset, own in {OVERALL: found[OVERALL], **found["datasets"]}.items():
        yield dataset, own["value"], own["paired"], own["pairs"]


def _pairs(analysis: Found) -> Iterator[Row]:
    for pair in analysis["pairs"]:
        for figure in ("performance", "robustness"):
            for dataset, own in {OVERALL: pair[figure][OVERALL], **pair[figure]["datasets"]}.items():
                complete = own.get("complete", True)
                yield figure, dataset, *pair["models"], *(own[key] for key in _PAIR), complete


def _dataset_ranks(analysis: Found) -> Iterator[Row]:
    for dataset, model, ranks in _leaves(analysis["rank_intervals_datasets"], 2):
        yield dataset, model, *(cast("Row | None", ranks) or (None, None))


def _choice(analysis: Found) -> Iterator[Row]:
    for model, found in analysis["serializers"]["choice"].items():
        for dataset, rows in {OVERALL: found[OVERALL], **found["datasets"]}.items():
            for own in rows:
                behind = (own["behind"][key] for key in (*_BOUNDS, "p"))
                yield model, dataset, own["serializer"], *_figure(own), *behind, own["worse"]


def _deviations(part: str) -> Callable[[Found], Iterator[Row]]:
    """The mean over all models first, with an empty cell for the model."""

    def rows(analysis: Found) -> Iterator[Row]:
        for dataset, found in analysis[part]["deviations"].items():
            for name, own in found["all_models"].items():
                yield dataset, None, name, *_figure(own)
            for model, name, each in _leaves(found["models"], 2):
                yield dataset, model, name, *_figure(cast("Found", each))

    return rows


def _ranks(analysis: Found) -> Iterator[Row]:
    for model, ranks in analysis["rank_intervals"].items():
        yield model, *(ranks or (None, None))


_PAIR = ("difference", "low", "high", "p", "paired", "apart")
_TAU = ("tau", "estimate", "low", "high")


def _dataset_agreement(analysis: Found) -> Iterator[Row]:
    found = analysis["dataset_agreement"]
    for i, first in enumerate(found["datasets"]):
        for j, second in enumerate(found["datasets"]):
            yield first, second, *(found[key][i][j] for key in _TAU)


_W = ("value", "estimate", "low", "high", "chance", "raters", "models", "p")


def _configuration_agreement(analysis: Found) -> Iterator[Row]:
    for dataset, own in analysis["configuration_agreement_intervals"].items():
        yield dataset, *(own.get(key) for key in _W)


_POINT = ("k", "n", "w", "low", "high", "spearman", "rankings", "chance")


def _reliability(analysis: Found) -> Iterator[Row]:
    for dataset, curves in analysis["reliability"].items():
        for curve in ("prompts", "examples", "disjoint"):
            for point in curves.get(curve) or []:
                yield dataset, curve, *(point.get(key) for key in _POINT)


def _ranges(analysis: Found) -> Iterator[Row]:
    for model, found in analysis["configuration_range"].items():
        for dataset, own in {OVERALL: found[OVERALL], **found["datasets"]}.items():
            for end in ("worst", "best", "range"):
                if own:
                    yield model, dataset, end, own[end].get("config"), *_figure(own[end])


def _win_rates(part: str) -> Callable[[Found], Iterator[Row]]:
    def rows(analysis: Found) -> Iterator[Row]:
        found = analysis[part]["win_rates"]
        for name, own in found[OVERALL].items():
            yield OVERALL, None, name, *_figure(own)
        for of in ("models", "datasets"):
            for place, name, own in _leaves(found[of], 2):
                yield of[:-1], place, name, *_figure(cast("Found", own))

    return rows


def _impact(analysis: Found) -> Iterator[Row]:
    found = analysis["perturbations"]["absolute_impact"]
    for of in ("datasets", "models"):
        for place, name, own in _leaves(found[of], 2):
            yield of[:-1], place, name, *_figure(cast("Found", own))


def _serializer_range(analysis: Found) -> Iterator[Row]:
    for model, dataset, own in _leaves(analysis["serializers"]["range"], 2):
        found: Any = own
        yield model, dataset, *_figure(found), found.get("best"), found.get("worst")


def _histogram(key: str) -> Callable[[Found], Iterator[Row]]:
    def rows(analysis: Found) -> Iterator[Row]:
        for dataset, bins in analysis[key].items():
            edges = bins["edges"]
            for start, end, count in zip(edges[:-1], edges[1:], bins["counts"], strict=True):
                yield dataset, start, end, count

    return rows


def _examples(analysis: Found) -> Iterator[Row]:
    for dataset, found in analysis["difficulty"].items():
        for example, mean in found["examples"].items():
            yield dataset, example, mean


def _openness(analysis: Found) -> Iterator[Row]:
    found = analysis["groups"]["openness"]
    for figure in ("performance", "robustness"):
        for dataset, group, own in _leaves(found[figure], 2):
            yield figure, dataset, group, *_figure(cast("Found", own))


def _families(analysis: Found) -> Iterator[Row]:
    for family, found in analysis["groups"]["families"]["families"].items():
        for entry in found["models"]:
            for figure in ("performance", "robustness"):
                yield family, entry["model"], entry["size"], figure, *_figure(entry[figure])


def _components(analysis: Found) -> Iterator[Row]:
    for dataset, found in analysis["generalizability"].items():
        for name, own in found["components"].items():
            yield dataset, name, *(own[key] for key in _BOUNDS), own["share"]
        yield dataset, "coefficient", *(found["coefficient"][key] for key in _BOUNDS), None


_F = (*_BOUNDS, "complete")
_BINS = ("dataset", "from", "to", "count")
_BEHIND = ("behind", "behind_low", "behind_high", "p")
_CHOICE = ("model", "dataset", "serializer", *_F, *_BEHIND, "worse")
_S, _P = ("serializers", "scores"), ("perturbations", "scores")
_D, _B = ("perturbations", "differences"), ("perturbations", "differences_by_serializer")

TABLES: Mapping[str, Table] = {
    "figures": Table(("figure", "model", "dataset", *_F), figure_rows),
    "configurations": Table(("dataset", "config", "model", "score"), configuration_rows, ("configurations",)),
    "separability": Table(("dataset", "value", "paired", "pairs"), _separability, ("separability",)),
    "pairs": Table(
        ("figure", "dataset", "model", "other", *_PAIR, "complete"),
        _pairs,
        ("pairs",),
    ),
    "rank_intervals": Table(("model", "low", "high"), _ranks, ("rank_intervals",)),
    "rank_intervals_datasets": Table(
        ("dataset", "model", "low", "high"), _dataset_ranks, ("rank_intervals_datasets",)
    ),
    "configuration_range": Table(
        ("model", "dataset", "end", "config", *_F), _ranges, ("configuration_range",)
    ),
    "dataset_agreement": Table(("dataset", "other", *_TAU), _dataset_agreement, ("dataset_agreement",)),
    "configuration_agreement": Table(
        ("dataset", *_W), _configuration_agreement, ("configuration_agreement_intervals",)
    ),
    "reliability": Table(("dataset", "curve", *_POINT), _reliability, ("reliability",)),
    "serializer_scores": Table(("dataset", "serializer", "model", *_F), _figures(*_S, depth=3), _S),
    "serializer_win_rates": Table(
        ("of", "name", "serializer", *_F), _win_rates("serializers"), ("serializers", "win_rates")
    ),
    "choice": Table(_CHOICE, _choice, ("serializers", "choice")),
    "serializer_range": Table(
        ("model", "dataset", *_F, "best", "worst"), _serializer_range, ("serializers", "range")
    ),
    "serializer_deviations": Table(
        ("dataset", "model", "serializer", *_F), _deviations("serializers"), ("serializers", "deviations")
    ),
    "perturbation_scores": Table(("dataset", "perturbation", "model", *_F), _figures(*_P, depth=3), _P),
    "perturbation_differences": Table(("dataset", "model", "perturbation", *_F), _figures(*_D, depth=3), _D),
    "perturbation_differences_by_serializer": Table(
        ("serializer", "dataset", "model", "perturbation", *_F), _figures(*_B, depth=4), _B
    ),
    "perturbation_deviations": Table(
        ("dataset", "model", "perturbation", *_F),
        _deviations("perturbations"),
        ("perturbations", "deviations"),
    ),
    "perturbation_impact": Table(
        ("of", "name", "perturbation", *_F), _impact, ("perturbations", "absolute_impact")
    ),
    "perturbation_win_rates": Table(
        ("of", "name", "perturbation", *_F), _win_rates("perturbations"), ("perturbations", "win_rates")
    ),
    "distributions": Table(
        ("dataset", "from", "to", "count"), _histogram("distributions"), ("distributions",)
    ),
    "difficulty": Table(_BINS, _histogram("difficulty"), ("difficulty",)),
    "difficulty_examples": Table(("dataset", "example", "mean"), _examples, ("difficulty",)),
    "openness": Table(("figure", "dataset", "models", *_F), _openness, ("groups", "openness")),
    "families": Table(("family", "model", "size", "figure", *_F), _families, ("groups", "families")),
    "generalizability": Table(
        ("dataset", "component", *_BOUNDS, "share"), _components, ("generalizability",)
    ),
    "slices": Table(by_example.SLICES, by_example.slice_rows, ("slices",)),
    "regression": Table(by_example.REGRESSION, by_example.regression_rows, ("regression",)),
    "verbosity": Table(by_example.VERBOSITY, by_example.verbosity_rows, ("verbosity",)),
    "modalities": Table(by_example.MODALITIES, by_example.modality_rows, ("modalities",)),
}
"""File name without ``.csv`` -> the table."""
