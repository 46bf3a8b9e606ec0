"""Cubes with serializers, perturbations and designs as frames, and plain loops over their rows as reference.

The reference works on a dict of cells, knows no array and no bootstrap, and follows the paper's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from torr_plugin.analysis.figures.configurations import CONFIGURATION_SCORES
from torr_plugin.analysis.figures.difficulty import DIFFICULTY
from torr_plugin.analysis.figures.perturbations import PERTURBATIONS
from torr_plugin.analysis.figures.serializers import SERIALIZERS
from torr_plugin.analysis.frame import main_scores
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.study import study_scores

FIGURES = (SERIALIZERS, PERTURBATIONS, CONFIGURATION_SCORES, DIFFICULTY)


class Cell(NamedTuple):
    """Where a score stands."""

    model: str
    dataset: str
    serializer: str
    perturbation: str
    design: str
    example: str


Cells = Mapping[Cell, float]
KINDS = ("none", "shuffle", "transpose")
GRID = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])


def frame(cells: Cells) -> pd.DataFrame:
    """A row a cell."""
    rows = [
        {
            **cell._asdict(),
            "config": f"{cell.serializer}/{cell.perturbation}/{cell.design}",
            "metric": "em",
            "score": score,
            "main": True,
        }
        for cell, score in cells.items()
    ]
    return pd.DataFrame(rows)


def filled(
    draw: Any,
    datasets: Mapping[str, tuple[Iterable[str], Iterable[str]]],
    models: int,
    designs: int,
    examples: int,
) -> dict[Cell, float]:
    """Cells of all models for each data set's serializers and perturbations."""
    cells = [
        Cell(f"m{m}", dataset, serializer, perturbation, f"x{x}", f"e{e}")
        for dataset, (serializers, perturbations) in datasets.items()
        for m in range(models)
        for serializer in serializers
        for perturbation in perturbations
        for x in range(designs)
        for e in range(examples)
    ]
    return {cell: draw(GRID) for cell in cells}


@st.composite
def whole(draw: st.DrawFn) -> dict[Cell, float]:
    """Cells without holes of two data sets, which need not have the same serializers and perturbations."""
    names = st.lists(st.sampled_from(["s0", "s1", "s2"]), min_size=1, max_size=3, unique=True)
    kinds = st.lists(st.sampled_from(KINDS[1:]), max_size=2, unique=True).map(lambda some: ["none", *some])
    datasets = {name: (draw(names), draw(kinds)) for name in ("a", "b")}
    sizes = st.integers(1, 2)
    return filled(draw, datasets, draw(st.integers(1, 3)), draw(sizes), draw(st.integers(1, 4)))


@st.composite
def holed(draw: st.DrawFn) -> dict[Cell, float]:
    """As :func:`whole` with some cells gone, at least one of each data set left."""
    cells = draw(whole())
    gone = draw(st.sets(st.sampled_from(sorted(cells)), max_size=len(cells) // 2))
    kept = {cell: score for cell, score in cells.items() if cell not in gone}
    for dataset in ("a", "b"):
        if not any(cell.dataset == dataset for cell in kept):
            kept |= {cell: score for cell, score in cells.items() if cell.dataset == dataset}
    return kept


def figures(rows: pd.DataFrame, resamples: int = 5) -> dict[str, Any]:
    """The figures per part, range, distribution and difficulty alone, which is faster than all of them."""
    study = study_scores(main_scores(rows), Options(resamples=resamples))
    results = {figure: figure.compute(study) for figure in FIGURES}
    found = {figure.key: figure.to_json(result) for figure, result in results.items() if result is not None}
    return {**found, "notes": PERTURBATIONS.notes(study, None)}


def at_one_design(cells: Cells, part: str) -> dict[Cell, float]:
    """The cells by which serializers, or perturbations, are compared: of one design a data set.

    The study's base is the design of most cells; a data set with one serializer of it, and several of another
    design, has the design of most serializers.
    """

    def asked(own: Iterable[Cell]) -> int:
        return len({cell._replace(model="") for cell in own})

    def best(names: Iterable[str], among: Cells) -> str:
        return min(names, key=lambda name: (-asked(where(among, design=name)), name))

    base = best(values(cells, "design"), cells)
    found: dict[Cell, float] = {}
    for dataset in values(cells, "dataset"):
        own = where(cells, dataset=dataset)
        levels = {name: len(values(where(own, design=name), part)) for name in values(own, "design")}
        most = max(levels.values())
        at = base if levels.get(base, 0) > 1 or (base in levels and most < 2) else None
        at = at or best([name for name, count in levels.items() if count == most], own)
        found |= where(own, design=at)
    return found


def widely_asked(cells: Cells) -> dict[Cell, float]:
    """Without the serializers asked on under nine tenths of their data set's examples.

    All stay where fewer than two would.
    """
    found: dict[Cell, float] = {}
    for dataset in values(cells, "dataset"):
        own = where(cells, dataset=dataset)
        every = len(values(own, "example"))
        names = values(own, "serializer")
        asked = {name: len(values(where(own, serializer=name), "example")) for name in names}
        kept = [name for name, count in asked.items() if 10 * count >= 9 * every]
        found |= own if len(kept) < 2 else {c: score for c, score in own.items() if c.serializer in kept}
    return found


def values(cells: Cells, field: str) -> list[str]:
    """The different values of a field, sorted."""
    return sorted({getattr(cell, field) for cell in cells})


def where(cells: Cells, **fields: str) -> dict[Cell, float]:
    """The cells with these fields."""
    return {
        cell: score
        for cell, score in cells.items()
        if all(getattr(cell, name) == value for name, value in fields.items())
    }


def mean(numbers: Iterable[float]) -> float | None:
    """The mean; None of nothing."""
    listed = list(numbers)
    return fmean(listed) if listed else None


def plain_wins(scores: Mapping[str, float]) -> dict[str, float] | None:
    """The paper's words: how often each is higher than another, over all wins; None without one."""
    counts = {
        one: sum(scores[one] > scores[other] + 1e-9 for other in scores if other != one) for one in scores
    }
    total = sum(counts.values())
    return {one: count / total for one, count in counts.items()} if total else None


def plain_win_lists(
    cells: Cells,
    part: str,
    names: Iterable[str],
    rates_of: Callable[[Mapping[str, float]], dict[str, float] | None] = plain_wins,
) -> dict[str, list[dict[str, float]]]:
    """Model -> the win rates of the examples that have a win, of the cells of one data set."""
    found: dict[str, list[dict[str, float]]] = {}
    for model in values(cells, "model"):
        found[model] = []
        for example in values(cells, "example"):
            scores = {}
            for name in names:
                there = where(cells, model=model, example=example, **{part: name})
                if there:
                    scores[name] = fmean(there.values())
            rates = rates_of(scores)
            if rates:
                found[model].append(rates)
    return found


def plain_changes(cells: Cells, model: str, perturbation: str) -> list[list[float]]:
    """An example each, the changes against the unperturbed of the same serializer and design."""
    found = []
    for example in values(cells, "example"):
        changes = []
        for cell, score in where(cells, model=model, example=example, perturbation=perturbation).items():
            base = cells.get(cell._replace(perturbation="none"))
            if base is not None:
                changes.append(score - base)
        if changes:
            found.append(changes)
    return found


def plain_configuration_means(cells: Cells, model: str) -> dict[str, float]:
    """Configuration -> mean over examples, of the cells of one data set."""
    scores: dict[str, list[float]] = {}
    for cell, score in where(cells, model=model).items():
        scores.setdefault(f"{cell.serializer}/{cell.perturbation}/{cell.design}", []).append(score)
    return {config: fmean(found) for config, found in scores.items()}


def shared_keys(cells: Cells, part: str) -> set[Cell]:
    """What all serializers, or perturbations, were asked with, of any model and example."""
    blank = {part: "", "model": "", "example": ""}
    names = values(cells, part)
    asked = [{cell._replace(**blank) for cell in where(cells, **{part: name})} for name in names]
    return set.intersection(*asked) if asked else set()


def named(cells: Cells, part: str) -> list[str]:
    """The serializers, or perturbations, that have figures: all, if they share what they were asked with."""
    return values(cells, part) if shared_keys(cells, part) else []


def comparable_cells(cells: Cells, part: str) -> dict[Cell, float]:
    """Of one data set, what lets serializers, or perturbations, be compared: see the definitions."""
    found: dict[Cell, float] = {}
    blank = {part: "", "model": "", "example": ""}
    shared = shared_keys(cells, part)
    alike = {cell: score for cell, score in cells.items() if cell._replace(**blank) in shared}
    for model in values(alike, "model"):
        own = where(alike, model=model)
        there = values(own, part)
        found |= {
            cell: score
            for cell, score in own.items()
            if all(cell._replace(**{part: level}) in own for level in there)
        }
    return found


def comparable_configurations(cells: Cells) -> dict[Cell, float]:
    """Of one data set, the examples that a model has in all configurations that it has any score of."""
    found: dict[Cell, float] = {}
    for model in values(cells, "model"):
        own = where(cells, model=model)
        configs = {cell._replace(example="") for cell in own}
        found |= {
            cell: score
            for cell, score in own.items()
            if all(config._replace(example=cell.example) in own for config in configs)
        }
    return found


def same(found: float | None, expected: float | None) -> bool:
    """Equal but for rounding, or both absent."""
    if found is None or expected is None:
        return found is expected
    return bool(np.isclose(found, expected, rtol=0, atol=1e-9))
