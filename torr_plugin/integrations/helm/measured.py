"""The scores of a suite's runs, and their figures: intervals over examples, holes counted and named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from .names import SCORE

if TYPE_CHECKING:
    from ...analysis.cube import Cube

STATS = "per_instance_stats.json"
_ALL_GAPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Measured:
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
    """Names of models by how they were asked: one that was asked in two ways is two models of the figures.

    Args:
        adapters: HELM's adapter specs as plain data.

    Returns:
        For each the deployment, ``(chat)`` where it was asked in chat messages, and the settings in which
        adapters of that name differ, e.g. ``openai/gpt-4o (temperature=0.7)``.
    """
    names = [_asked_as(adapter) for adapter in adapters]
    found = []
    for name, adapter in zip(names, adapters, strict=True):
        alike = [other for other, its in zip(adapters, names, strict=True) if its == name]
        fields = [field for field in adapter if any(other[field] != adapter[field] for other in alike)]
        told = ", ".join(f"{field}={adapter[field]}" for field in fields)
        found.append(f"{name} ({told})" if told else name)
    return found


def _asked_as(adapter: Mapping[str, Any]) -> str:
    name = str(adapter["model_deployment"])
    return f"{name} (chat)" if adapter["method"] == "chat" else name


def study_figures(measured: Sequence[Measured]) -> dict[str, Any]:
    """The figures of one study's runs.

    An example with a hole in any configuration counts in no figure of its model and data set: a range over
    fewer configurations would look more robust than it is. A configuration or an example that only some
    models have is a hole of the others.

    Returns:
        ``performance``, ``robustness``, ``worst``, ``best``, ``robustness_solvable`` as in ``analysis.json``
        (``complete: false`` where there are holes), ``holes``, ``settings`` and, by data set,
        ``configurations`` and by model ``examples`` (whole, of all).
    """
    from ...analysis.estimates import Options
    from ...analysis.figures.model_scores import all_estimates, holes, model_figures

    models = tuple(dict.fromkeys(each.model for each in measured))
    cubes = [_cube(dataset, rows, models) for dataset, rows in _by_dataset(measured).items()]
    whole = [_whole(cube) for cube in cubes]
    options = Options()
    per_dataset, overall = all_estimates(whole, options)
    return {
        **model_figures(whole, per_dataset, overall, options.level),
        "holes": holes(cubes, most=_ALL_GAPS),
        "settings": {"resamples": options.resamples, "level": options.level, "seed": options.seed},
        "configurations": {cube.dataset: list(cube.configurations) for cube in cubes},
        "examples": {cube.dataset: _counts(cube, kept) for cube, kept in zip(cubes, whole, strict=True)},
    }


def _by_dataset(measured: Iterable[Measured]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for each in measured:
        found.setdefault(each.dataset, []).append(each)
    return found


def _cube(dataset: str, rows: Sequence[Measured], models: tuple[str, ...]) -> Cube:
    """Scores of all models; of two runs of one cell, as in two suites, the later counts."""
    import numpy as np

    from ...analysis.cube import Cube

    configs = tuple(dict.fromkeys(row.config for row in rows))
    examples = tuple(sorted({example for row in rows for example in row.scores}))
    place = {example: number for number, example in enumerate(examples)}
    scores = np.full((len(models), len(configs), len(examples)), np.nan)
    for row in rows:
        line = scores[models.index(row.model), configs.index(row.config)]
        line[:] = np.nan
        for example, score in row.scores.items():
            line[place[example]] = np.nan if score is None else score
    return Cube(dataset, SCORE, models, configs, examples, scores, {})


def _whole(cube: Cube) -> Cube:
    """The cube without the examples that have a hole, a model each."""
    import numpy as np

    holed = np.isnan(cube.scores).any(axis=1, keepdims=True)
    return replace(cube, scores=np.where(holed, np.nan, cube.scores))


def _counts(cube: Cube, kept: Cube) -> dict[str, dict[str, int]]:
    import numpy as np

    whole = (~np.isnan(kept.scores)).all(axis=1).sum(axis=1)
    return {
        model: {"whole": int(whole[number]), "of": len(cube.examples)}
        for number, model in enumerate(cube.models)
    }
