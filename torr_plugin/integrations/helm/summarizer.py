"""The summarizer: robustness over whole examples, intervals, and holes that are counted and named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import dacite
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.presentation.schema import MetricNameMatcher, RunGroup, Schema
from helm.benchmark.presentation.summarize import Run, Summarizer
from helm.benchmark.presentation.table import Cell, HeaderCell, Table
from helm.common.general import write
from helm.common.hierarchical_logger import hlog, hwarn

from ...core.errors import RecipeError
from ...plugins import load
from ...recipes import Configuration, recipe_file
from ..studies import example_tables, study_parts
from .figures import RunScores, configurations, figure_cell, labels, read_scores, study_figures
from .run_specs import SCENARIO, register_models, without_design
from .schema import FIGURES, STATISTICS, schema_of, study_group_name

FILE = "torr_figures.json"
ALL = "All data sets"


class TorrSummarizer(Summarizer):  # type: ignore[misc]  # HELM ships no types
    """HELM's summarizer with the figures of studies.

    HELM's own summarizer of ToRR leaves an instance that failed out of its range without a word, so
    robustness rises with every failure. Here an example with a hole is in no figure, and tables say how many
    there are.

    The figures are computed over all configurations of a data set, which tables of single configurations
    cannot show. They are written to ``torr_figures.json`` beside ``groups.json``.
    """

    schema: Schema
    runs: list[Run]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._figures: dict[str, dict[str, Any]] = {}
        self._scores: dict[str, dict[str, float | None]] = {}
        self._labels: dict[tuple[str, AdapterSpec], str] = {}
        register_models()

    def read_runs(self) -> None:
        """Read the runs; one that asked no model, as ``helm-run --dry-run`` does, is reported and left out.

        Raises:
            RecipeError: a run is of a recipe that is not here.
        """
        super().read_runs()
        self._scores = {run.run_path: read_scores(Path(run.run_path)) for run in self.runs if _is_ours(run)}
        dry = {path for path, scores in self._scores.items() if not scores}
        for path in sorted(dry):
            hwarn(f"{path}: no scores (a dry run?); left out")
        self.runs = [run for run in self.runs if run.run_path not in dry]
        ours = [run for run in self.runs if _is_ours(run)]
        _check_studies({_args(run)["study"] for run in ours})
        self._labels = _labels(ours)

    def fix_up_schema(self) -> None:
        """Add what the schema lacks of the studies whose runs are there."""
        load()
        studies = list(dict.fromkeys(_args(run)["study"] for run in self.runs if _is_ours(run)))
        own = dacite.from_dict(Schema, schema_of(studies))
        self.schema = _completed(self.schema, own)
        super().fix_up_schema()

    def write_groups(self) -> None:
        """Compute the figures, then write HELM's tables with them."""
        by_study: dict[str, list[RunScores]] = {}
        for run in self.runs:
            if _is_ours(run):
                by_study.setdefault(_args(run)["study"], []).append(self._measured(run))
        self._figures = {
            study: {**study_figures(measured, example_tables(study)), "of_study": _configurations(study)}
            for study, measured in by_study.items()
        }
        for study, figures in self._figures.items():
            _say_holes(study, figures)
        path = Path(self.run_release_path) / FILE
        write(str(path), json.dumps(self._figures, indent=2))
        super().write_groups()

    def create_cell(
        self,
        runs: list[Run],
        matcher: MetricNameMatcher,
        additional_info: str | None,
        hide_value: bool = False,
        is_scenario_table: bool = False,
    ) -> Cell:
        """Show a figure of all configurations of a data set; HELM's mean where the model was asked in all."""
        if matcher.name not in FIGURES:
            cell = super().create_cell(runs, matcher, additional_info, hide_value, is_scenario_table)
            return cell if is_scenario_table else self._whole(cell, runs)
        if is_scenario_table:
            return Cell(value=None, description="A figure of all configurations of a data set together")
        return self._figure(matcher.name, runs, whole_study=False)

    def create_group_table(self, *args: Any, **kwargs: Any) -> Table:
        """Make HELM's table; a column over some of a study's configurations says so in its header."""
        table = super().create_group_table(*args, **kwargs)
        model, *columns = table.header
        marked = [
            self._marked(head, self._runs_of([row[number] for row in table.rows]))
            for number, head in enumerate(columns, 1)
        ]
        return replace(table, header=[model, *marked])

    def _marked(self, head: HeaderCell, runs: Sequence[Run], *, whole_study: bool = False) -> HeaderCell:
        """Say how many configurations a column is over at its header's beginning, which pages do not cut."""
        ours = {(_args(run)["study"], _args(run)["dataset"]) for run in runs if _is_ours(run)}
        if not ours or (len(ours) > 1 and not whole_study):
            return head
        study, dataset = ours.pop()
        asked, of = configurations(self._figures[study], None if whole_study else dataset)
        if asked == of:
            return head
        about = f"Over {asked} of the study's {of} configurations. {head.description}"
        return replace(head, value=f"{asked} of {of}: {head.value}", description=about)

    def _whole(self, cell: Cell, runs: Sequence[Run]) -> Cell:
        """Empty a cell whose model was not asked in all configurations that others were asked in."""
        ours = [_args(run) for run in runs if _is_ours(run)]
        if not ours:
            return cell
        figures, dataset = self._figures[ours[0]["study"]], ours[0]["dataset"]
        asked = {args["config"] for args in ours}
        if asked.issuperset(figures["configurations"][dataset]):
            return cell
        text = f"none ({len(asked)} of {figures['of_study'][dataset]} configurations)"
        return replace(cell, value=None, display_value=text)

    def create_group_tables_by_metric_group(self, group: RunGroup) -> list[Table]:
        """Make HELM's tables, one column per data set; tables of our figures get one over all data sets."""
        tables = super().create_group_tables_by_metric_group(group)
        if group.name not in {study_group_name(study) for study in self._figures}:
            return list(tables)
        return [self._with_overall(table) if table.name in FIGURES else table for table in tables]

    def _with_overall(self, table: Table) -> Table:
        figure = STATISTICS[str(table.name)]
        about = f"{figure['description']} The unweighted mean over data sets; none where one is lacking."
        header = HeaderCell(ALL, description=about, lower_is_better=figure["lower_is_better"])
        runs = [run for row in table.rows for run in self._runs_of(row)]
        header = self._marked(header, runs, whole_study=True)
        rows = [
            [row[0], self._figure(str(table.name), self._runs_of(row), whole_study=True), *row[1:]]
            for row in table.rows
        ]
        return replace(table, header=[table.header[0], header, *table.header[1:]], rows=rows)

    def _runs_of(self, row: Sequence[Cell]) -> list[Run]:
        names = {name for cell in row for name in cell.run_spec_names or ()}
        return [run for run in self.runs if run.run_spec.name in names]

    def _figure(self, name: str, runs: Sequence[Run], *, whole_study: bool) -> Cell:
        ours = [run for run in runs if _is_ours(run)]
        what = {(_args(run)["study"], self._model(run)) for run in ours}
        names = None if whole_study else list(dict.fromkeys(run.run_spec.name for run in ours))
        if len(what) != 1:
            reason = "No matching runs" if not what else f"Asked in several ways: {sorted(what)}; see {FILE}"
            return Cell(value=None, description=reason, run_spec_names=names)
        study, model = what.pop()
        dataset = None if whole_study else _args(ours[0])["dataset"]
        value, text, description = figure_cell(name, self._figures[study], model, dataset)
        return Cell(value=value, display_value=text, description=description, style={}, run_spec_names=names)

    def _model(self, run: Run) -> str:
        return self._labels[_args(run)["study"], _adapter(run)]

    def _measured(self, run: Run) -> RunScores:
        args = _args(run)
        scores = self._scores[run.run_path]
        return RunScores(args["study"], self._model(run), args["dataset"], args["config"], scores)


def _check_studies(studies: Iterable[str]) -> None:
    load()
    for study in sorted(studies):
        try:
            recipe_file(study)
        except RecipeError as error:
            raise RecipeError(
                f"{error}; the runs name the recipe as helm-run was given it: begin helm-summarize in the "
                "folder where helm-run was begun, with the recipe's file in its place"
            ) from None


def _is_ours(run: Run) -> bool:
    return bool(run.run_spec.scenario_spec.class_name == SCENARIO)


def _args(run: Run) -> dict[str, Any]:
    return dict(run.run_spec.scenario_spec.args)


def _adapter(run: Run) -> AdapterSpec:
    args = _args(run)
    return without_design(run.run_spec.adapter_spec, args["study"], Configuration.of(args["config"]).design)


def _labels(runs: Sequence[Run]) -> dict[tuple[str, AdapterSpec], str]:
    """Label the models of each study by how HELM asked them; HELM's tables give them one row."""
    found: dict[tuple[str, AdapterSpec], str] = {}
    for study in dict.fromkeys(_args(run)["study"] for run in runs):
        adapters = list(dict.fromkeys(_adapter(run) for run in runs if _args(run)["study"] == study))
        named = zip(adapters, labels([asdict(each) for each in adapters]), strict=True)
        found |= {(study, adapter): label for adapter, label in named}
    return found


def _configurations(study: str) -> dict[str, int]:
    """How many configurations a study asks of each data set: a range over fewer is not comparable."""
    return dict(Counter(part.dataset for part in study_parts(study) if part.config is not None))


def _say_holes(study: str, figures: dict[str, Any]) -> None:
    found = figures["holes"]
    if found["complete"]:
        hlog(f"{study}: no score is missing")
        return
    hwarn(f"{study}: {found['missing']} of {found['expected']} scores are missing, their examples left out")
    for gap in found["cells"]:
        where = f"{gap['model']}, {gap['dataset']}, {gap['config']}"
        hwarn(f"{study}: {where}: {gap['missing']} of {gap['of']} missing")


def _completed(schema: Schema, own: Schema) -> Schema:
    """Add to a schema what it lacks of ours."""
    added = {}
    for field in ("metrics", "metric_groups", "run_groups"):
        known = {each.name for each in getattr(schema, field)}
        added[field] = [
            *getattr(schema, field),
            *[each for each in getattr(own, field) if each.name not in known],
        ]
    return replace(schema, **added)
