"""The scores of a run directory or a scores file: ``torr analyse`` and ``torr budget``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis import AnalysisResults, Options, analysis_results, read_scores
from ..analysis.budget import budget
from ..analysis.cube import Cube, label_keeping
from ..analysis.detection import detection_budget
from ..analysis.examples import known_examples
from ..analysis.frame import main_scores
from ..analysis.power import POWER
from ..analysis.study import cubes_with_tables
from ..catalog import load_card, read_examples
from ..core.errors import InputError, nearest
from ..recipes import read_models
from ..running import Run, design_bases, examples_frame, model_descriptions, with_prompt_tokens
from ..running.usage import Usage, mean_usage, priced, usage
from ..scoring import joined_for_reading

if TYPE_CHECKING:
    import pandas as pd

    from ..analysis.budget import Measure

Tell = Callable[[str], object]
"""Shows a line to the person who waits."""


class ScoresSource:
    """A run directory; or scores files, which have no examples, lengths or descriptions of models."""

    def __init__(self, *paths: Path, name: str = "") -> None:
        self.path, self._paths = paths[0], paths
        self._name = name or str(self.path)
        self.run = Run.open(self.path) if self.path.is_dir() else None

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The scores, a row a score."""
        if self.run is None:
            return read_scores(*self._paths)
        found = self.run.scores()
        found.attrs["source"] = self._name  # for messages
        return found

    @property
    def keeps_labels(self) -> dict[str, list[str]]:
        """Data set -> the perturbations that keep its labels, as the run's study says."""
        datasets = self.run.study.get("datasets") or {} if self.run else {}
        return {name: entry["keeps_labels"] for name, entry in datasets.items() if "keeps_labels" in entry}

    @property
    def design_bases(self) -> dict[str, str]:
        """Design -> the design that it is compared with, as the run's study says."""
        return design_bases(self.run.study) if self.run else {}

    def models(self, file: Path | None) -> dict[str, dict[str, Any]]:
        """The models' descriptions: the run's, overruled field by field by those of a file."""
        of_run = model_descriptions(self.run.study) if self.run else {}
        of_file = read_models(file) if file else {}
        return {name: {**of_run.get(name, {}), **of_file.get(name, {})} for name in {**of_run, **of_file}}

    def examples(self, cards: Sequence[str]) -> pd.DataFrame | None:
        """What is known of the examples: the run's; or those of the test splits of ``cards``."""
        if not cards:
            return self.run.examples() if self.run else None
        loaded = [load_card(name) for name in cards]
        return examples_frame({card.dataset: read_examples(card, card.test_split) for card in loaded})


def analyse_scores(
    *paths: Path,
    models: Path | None = None,
    cards: Sequence[str] = (),
    tell: Tell = lambda line: None,
    **options: Any,
) -> AnalysisResults:
    """Every figure of a run or of scores files, see :func:`torr_plugin.analysis.analysis_results`.

    Args:
        paths: a run directory, several of one study, or scores files whose rows belong together.
        models: a file that describes models.
        cards: the cards of a scores file's data sets.
        tell: shows a line on each model that several runs have.
        options: those of ``analysis_results``.

    Raises:
        InputError: a file or card that cannot be read, runs of different studies, or scores that cannot be
            analysed.
    """
    if len(paths) == 1 or not _all_runs(paths):
        return _analysed(ScoresSource(*paths), models, cards, options)
    with joined_for_reading(paths) as joined:
        for line in joined.notes:
            tell(line)
        source = ScoresSource(joined.run.path, name=", ".join(map(str, paths)))
        return _analysed(source, models, cards, options)


def _all_runs(paths: Sequence[Path]) -> bool:
    """Whether these are run directories, and not scores files.

    Raises:
        InputError: some are.
    """
    runs = [path for path in paths if path.is_dir()]
    if runs and len(runs) < len(paths):
        file = next(path for path in paths if path not in runs)
        raise InputError(f"{file}: is a file, {runs[0]} a run; expected runs of one study, or scores files")
    return bool(runs)


def _analysed(
    source: ScoresSource, models: Path | None, cards: Sequence[str], options: Mapping[str, Any]
) -> AnalysisResults:
    return analysis_results(
        with_prompt_tokens(source.frame, source.run) if source.run else source.frame,
        keeps_labels=source.keeps_labels,
        models=source.models(models),
        lengths=source.run.lengths() if source.run else None,
        examples=source.examples(cards),
        design_bases=source.design_bases,
        **options,
    )


def budget_report(
    path: Path,
    *,
    target: float = 0.9,
    measure: Measure = "generalizability",
    detect: float | None = None,
    power: float = POWER,
    dataset: str | None = None,
    kept_labels_only: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """How large a study must be, by the scores of a run or a scores file.

    Args:
        path: a run directory, which also says what its requests cost, or a scores file.
        target: the wished reliability (:func:`torr_plugin.analysis.budget.budget`).
        measure: ``generalizability`` or ``w``.
        detect: instead of a reliability, a difference of two models to find
            (:func:`torr_plugin.analysis.detection.detection_budget`) ...
        power: ... so often.
        dataset: only this data set; all together if None.
        kept_labels_only: only the configurations whose perturbation keeps the labels.
        seed: of the draws.

    Returns:
        The budget, with ``label_keeping``, ``cost`` (means of a cell, null where not known) and in each
        option ``prompt_tokens`` and ``completion_tokens``, of all models.

    Raises:
        InputError: an option does not fit the scores, or no budget follows from them.
    """
    source = ScoresSource(path)
    chosen = _chosen(source, dataset, kept_labels_only)
    found = (
        budget(chosen, target, measure, Options(seed=seed))
        if detect is None
        else detection_budget(chosen, detect, Options(), power=power)
    )
    return {**_with_costs(found, _costs(source, chosen), chosen), "label_keeping": kept_labels_only}


def _chosen(source: ScoresSource, dataset: str | None, kept_labels_only: bool) -> list[Cube]:
    found = cubes_with_tables(main_scores(source.frame), known_examples(source.examples(())))
    chosen = [cube for cube in found if dataset in (None, cube.dataset)]
    if not chosen:
        known = [cube.dataset for cube in found]
        raise InputError(f"{source.path}: has no data set {dataset!r}; {nearest(str(dataset), known)}")
    return _label_keeping(chosen, source) if kept_labels_only else chosen


def _costs(source: ScoresSource, chosen: Sequence[Cube]) -> dict[str, Usage]:
    """Data set -> what a cell costs; a bare scores file does not say it."""
    cells = {cube.dataset: cube.configurations for cube in chosen}
    return usage(source.run, cells) if source.run else {}


def _label_keeping(found: Sequence[Cube], source: ScoresSource) -> list[Cube]:
    if not source.keeps_labels:
        raise InputError(
            f"{source.path}: does not say which perturbations keep the labels; expected a run directory "
            "(its study.yaml does) for --label-keeping"
        )
    # nothing was taken away: all configurations keep the labels
    return label_keeping(found, source.keeps_labels) or list(found)


def _with_costs(found: dict[str, Any], costs: Mapping[str, Usage], chosen: Sequence[Cube]) -> dict[str, Any]:
    """The budget with tokens; each data set has as many cells, so that their means add up unweighted."""
    known = [costs[cube.dataset] for cube in chosen if cube.dataset in costs]
    if len(known) < len(chosen):
        note = "only requests are counted: a scores file does not say how long prompts and answers are"
        return {**found, "cost": None, "notes": [*found["notes"], note]}
    cost = mean_usage(known)
    estimated = (
        f"tokens of {cost['estimated']:.0%} of the requests are estimated, four characters each: "
        "the engine did not report them"
    )
    corrected = {"corrected": _priced_options(found["corrected"], cost)} if "corrected" in found else {}
    return {
        **_priced_options(found, cost),
        **corrected,
        "study": priced(found["study"], cost),
        "cost": cost,
        "notes": [*found["notes"], *[estimated] * bool(cost["estimated"])],
    }


def _priced_options(found: dict[str, Any], cost: Mapping[str, float]) -> dict[str, Any]:
    cheapest = found["cheapest"] and priced(found["cheapest"], cost)
    return {**found, "options": [priced(option, cost) for option in found["options"]], "cheapest": cheapest}
