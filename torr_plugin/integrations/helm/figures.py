"""Figures of a suite's runs, as data and as cells of HELM's tables; holes are counted and named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...analysis.cube import Cube, numbered
from ...analysis.estimates import estimates, overall_estimates
from ...analysis.figures.model_scores import MODEL_SCORES, model_scores
from ...analysis.figures.settings import HOLES, holes
from ...analysis.options import Options
from ...core.errors import InputError
from .schema import SCORE

STATS = "per_instance_stats.json"
_ALL_GAPS = 1_000_000


@dataclass(frozen=True, slots=True)
class RunScores:
    """The main scores of one model on one data set in one configuration.

    Attributes:
        scores: by example; None where there is no answer.
    """

    study: str
    model: str
    dataset: str
    config: str
    scores: Mapping[str, float | None]


def read_scores(run: Path) -> dict[str, float | None]:
    """The main score of each example in a run's directory, None where the answer is missing.

    Raises:
        InputError: the file is not there, or is not what :class:`.metric.TorrMetric` makes HELM write.
    """
    path = run / STATS
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {
            str(each["instance_id"]): stat.get("mean")
            for each in found
            for stat in each["stats"]
            if stat["name"]["name"] == SCORE
        }
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: found no statistics of instances ({error}); expected HELM's") from error


def labels(adapters: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the models by how they were asked: a model asked in two ways counts as two in the figures.

    Args:
        adapters: HELM's adapter specs as plain data.

    Returns:
        For each the deployment, ``(chat)`` where it was asked in chat messages, and the settings in which
        adapters of that name differ, e.g. ``openai/gpt-4o (temperature=0.7)``.
    """
    names = [_deployment(adapter) for adapter in adapters]
    found = []
    for name, adapter in zip(names, adapters, strict=True):
        alike = [other for other, its in zip(adapters, names, strict=True) if its == name]
        fields = [field for field in adapter if any(other[field] != adapter[field] for other in alike)]
        settings = ", ".join(f"{field}={adapter[field]}" for field in fields)
        found.append(f"{name} ({settings})" if settings else name)
    return found


def _deployment(adapter: Mapping[str, Any]) -> str:
    name = str(adapter["model_deployment"])
    return f"{name} (chat)" if adapter["method"] == "chat" else name


def study_figures(
    measured: Sequence[RunScores], tables: Mapping[str, Mapping[str, str]] | None = None
) -> dict[str, Any]:
    """The figures of one study's runs.

    An example with a hole in any configuration counts in no figure of its model and data set: a range over
    fewer configurations would look more robust than it is. A configuration or an example that only some
    models have is a hole of the others.

    Args:
        measured: the runs.
        tables: data set -> example -> its table, as far as they are known; whole tables are resampled.

    Returns:
        ``performance``, ``robustness``, ``worst``, ``best``, ``robustness_solvable`` as in ``analysis.json``
        (``complete: false`` where there are holes), ``holes``, ``settings`` and, by data set,
        ``configurations``, by model ``examples`` (whole, of all), and ``tables``: how many examples, and of
        how many tables.
    """
    models = tuple(dict.fromkeys(each.model for each in measured))
    cubes = [
        _with_tables(_cube(dataset, rows, models), (tables or {}).get(dataset, {}))
        for dataset, rows in _by_dataset(measured).items()
    ]
    whole = [_whole(cube) for cube in cubes]
    options = Options()
    per_dataset = [estimates(cube, options) for cube in whole]
    overall = overall_estimates(per_dataset)
    return {
        **MODEL_SCORES.to_json(model_scores(whole, per_dataset, overall, options.level)),
        "holes": HOLES.to_json(holes(cubes, most=_ALL_GAPS)),
        "settings": {"resamples": options.resamples, "level": options.level, "seed": options.seed},
        "configurations": {cube.dataset: list(cube.configurations) for cube in cubes},
        "examples": {cube.dataset: _counts(cube, kept) for cube, kept in zip(cubes, whole, strict=True)},
        "tables": {cube.dataset: {"examples": len(cube.examples), "tables": cube.tables} for cube in cubes},
    }


def _by_dataset(measured: Iterable[RunScores]) -> dict[str, list[RunScores]]:
    found: dict[str, list[RunScores]] = {}
    for each in measured:
        found.setdefault(each.dataset, []).append(each)
    return found


def _cube(dataset: str, rows: Sequence[RunScores], models: tuple[str, ...]) -> Cube:
    """Scores of all models; where two runs (of two suites) have the same cell, the later one counts."""
    configs = tuple(dict.fromkeys(row.config for row in rows))
    examples = tuple(sorted({example for row in rows for example in row.scores}))
    place = {example: number for number, example in enumerate(examples)}
    scores = np.full((len(models), len(configs), len(examples)), np.nan)
    asked = np.zeros(scores.shape[1:], dtype=bool)
    for row in rows:
        line = scores[models.index(row.model), configs.index(row.config)]
        line[:] = np.nan
        for example, score in row.scores.items():
            line[place[example]] = np.nan if score is None else score
            asked[configs.index(row.config), place[example]] = True
    return Cube(dataset, SCORE, models, configs, examples, scores, {}, asked=asked)


def _with_tables(cube: Cube, tables: Mapping[str, str]) -> Cube:
    return replace(cube, clusters=numbered([tables.get(example, (example,)) for example in cube.examples]))


def _whole(cube: Cube) -> Cube:
    """The cube without each model's examples that have a hole."""
    holed = np.isnan(cube.scores).any(axis=1, keepdims=True)
    return replace(cube, scores=np.where(holed, np.nan, cube.scores))


def _counts(cube: Cube, kept: Cube) -> dict[str, dict[str, int]]:
    whole = (~np.isnan(kept.scores)).all(axis=1).sum(axis=1)
    return {
        model: {"whole": int(whole[number]), "of": len(cube.examples)}
        for number, model in enumerate(cube.models)
    }


MOST_NAMED = 10
"""Configurations with holes that a description names."""

_HOLES = "torr_holes"
_PREFIX = "torr_"


def figure_cell(
    name: str, figures: Mapping[str, Any], model: str, dataset: str | None
) -> tuple[float | None, str, str]:
    """Value, text and description of a cell.

    Args:
        name: as in :data:`.schema.FIGURES`.
        figures: of :func:`study_figures`.
        model: a row's.
        dataset: a column's; None for all data sets together.

    Returns:
        The value (None: no figure), the text to show for it, and a description; a star stands at a figure
        with holes, and one over fewer configurations than the study has says over how many: a range over
        fewer looks more robust.
    """
    description = _description(figures, model, dataset)
    if name == _HOLES:
        count = _missing(figures, model, dataset)
        return float(count), str(count), description
    found = figures[name.removeprefix(_PREFIX)][model]
    figure = found["overall"] if dataset is None else found["datasets"][dataset]
    mark = ("" if figure.get("complete", True) else "*") + _partly(figures, dataset)
    if figure["value"] is None:
        return None, f"none{mark}", description
    return (
        figure["value"],
        f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]{mark}",
        description,
    )


def configurations(figures: Mapping[str, Any], dataset: str | None) -> tuple[int, int]:
    """How many configurations of a data set (None: of all) models were asked in, and how many there are."""
    of_study: Mapping[str, int] = figures.get("of_study", {})
    asked = {name: len(configs) for name, configs in figures["configurations"].items()}
    datasets = list(of_study) if dataset is None else [dataset]
    run = sum(asked.get(name, 0) for name in datasets)
    return run, sum(of_study.get(name, run) for name in datasets)


def _partly(figures: Mapping[str, Any], dataset: str | None) -> str:
    run, whole = configurations(figures, dataset)
    return f" ({run} of {whole} configurations)" if run < whole else ""


def _missing(figures: Mapping[str, Any], model: str, dataset: str | None) -> int:
    return sum(int(gap["missing"]) for gap in _gaps(figures, model, dataset))


def _gaps(figures: Mapping[str, Any], model: str, dataset: str | None) -> list[Mapping[str, Any]]:
    return [
        gap
        for gap in figures["holes"]["cells"]
        if gap["model"] == model and dataset in (None, gap["dataset"])
    ]


def _description(figures: Mapping[str, Any], model: str, dataset: str | None) -> str:
    datasets = list(figures["examples"]) if dataset is None else [dataset]
    lines = [_counted(figures, model, each) for each in datasets]
    gaps = _gaps(figures, model, dataset)
    named = [
        f"{gap['dataset']} {gap['config']}: {gap['missing']} of {gap['of']}" for gap in gaps[:MOST_NAMED]
    ]
    more = [f"and {len(gaps) - MOST_NAMED} more"] if len(gaps) > MOST_NAMED else []
    lines += ["*missing: " + "; ".join([*named, *more])] if gaps else []
    return "\n".join(lines)


def _counted(figures: Mapping[str, Any], model: str, dataset: str) -> str:
    counts, configs = figures["examples"][dataset][model], len(figures["configurations"][dataset])
    whole = figures.get("of_study", {}).get(dataset, configs)
    over = f"{counts['of']} examples"
    if counts["whole"] < counts["of"]:
        over = f"the {counts['whole']} of {counts['of']} examples without a hole"
    tables = figures["tables"][dataset]["tables"]
    shared = f" (of {tables} tables, resampled whole)" if tables < counts["of"] else ""
    return f"{dataset}: {configs} of the study's {whole} configurations, over {over}{shared}"
