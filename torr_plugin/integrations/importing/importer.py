"""Makes a run directory of a harness's results: written, scored and analysed, or not made at all."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.atomic_files import atomic_folder, check_new_folder
from ...core.errors import InputError
from .harness_scores import ScoreDifferences, refuse_chosen, score_differences
from .results import HarnessOutput
from .run_scores import ImportedScores, imported_scores, some_of
from .study import AGAIN, StudyRecords, completed_study, initial_study
from .writer import Writer

if TYPE_CHECKING:
    from ...recipes import Recipe
    from ...running import Run
    from .writer import Writer

Tell = Callable[[str], None]


def import_results(
    source: HarnessOutput,
    out: Path,
    *,
    metrics: str | Sequence[str] | None = (),
    again: bool = False,
    recipe: str | Path | None = None,
    tell: Tell = lambda text: None,
) -> Imported:
    """Make a run directory of a harness's results.

    Args:
        source: the results, read a file at a time.
        out: the run directory; not there yet, or empty.
        metrics: the main metric of foreign results, or several, of which the first that a data set has
            counts; where it has none of them, the harness's own main one.
        again: rate foreign answers by our cards of their data sets, where there are such.
        recipe: the study's file, where it is the user's own; None for the one of that name here.
        tell: reports progress, a line at a time.

    Raises:
        InputError: files that cannot be read, do not fit together, or have no usable score; ``out`` is not
            made then.
    """
    if not source.pieces:
        raise InputError(f"{source.path}: has no results of {source.harness}")
    check_new_folder(out)
    wanted = (metrics,) if isinstance(metrics, str) else tuple(metrics or ())
    given = None if recipe is None else _read(recipe)
    with atomic_folder(out) as path:
        log = ImportLog(source, list(source.notes), _options(source, wanted, again, recipe))
        writer, records = _written(log, path, tell)
        if given is not None and not writer.ours:
            raise InputError("--recipe: these results carry no record of a study of torr's; leave it out")
        if writer.ours:
            refuse_chosen(wanted)
        _describe(log, writer, records, given)
        tell("Scoring ...")
        found = imported_scores(writer, metrics=wanted, again=again)
        _keep(log, writer, found)
        tell("Analysing ...")
        _analyse(log, writer, found)
    return log.imported(out, writer)


def _read(recipe: str | Path) -> Recipe:
    from ...recipes import load

    return load(recipe)


def _options(
    source: HarnessOutput, metrics: Sequence[str], again: bool, recipe: str | Path | None
) -> tuple[str, ...]:
    """The options of the command that imports the same; of a file its name, for the run may be published."""
    named = [("--metric", metric) for metric in metrics]
    named += [("--recipe", Path(recipe).name)] if recipe is not None else []
    chosen = [f"{option} {shlex.quote(value)}" for option, value in named]
    return (*source.options, *chosen, *(("--rate-again",) if again else ()))


def _written(log: ImportLog, path: Path, tell: Tell) -> tuple[Writer, StudyRecords | None]:
    """All requests and answers, written; and the records that they carried."""
    source, writer, records = log.source, None, StudyRecords()
    for number, (piece, batch) in enumerate(source.batches(), 1):
        tell(f"{number}/{len(source.pieces)} {piece.name}: {len(batch.results)} results")
        log.doubts += batch.doubts
        if not batch.results:
            continue
        writer = writer or _writer(source, path, ours=batch.results[0].record is not None)
        for result in batch.results:
            if result.record is not None:
                records.add(result.record, result.where)
        writer.add(batch)
    if writer is None:
        raise InputError(f"{source.path}: its files of {source.harness} hold no result")
    for each in source.announced:
        writer.met.cells.announce(each.dataset, each.config)
    writer.close()
    return writer, records if writer.ours else None


def _writer(source: HarnessOutput, path: Path, *, ours: bool) -> Writer:
    from ...running import Run
    from ...running.store.manifest import with_models

    return Writer(Run(path, with_models(initial_study(source, ours=ours), source.entries(), path)), ours)


def _describe(log: ImportLog, writer: Writer, records: StudyRecords | None, given: Recipe | None) -> None:
    """Put into study.yaml what is known once all was read."""
    study, notes = completed_study(writer.run.study, writer.met.cells, records, given)
    log.notes += [*notes, *log.of_writing(writer)]
    settings = {name: value for name, value in log.source.settings.items() if name != "versions"}
    written = {"rows": writer.rows, "unique": writer.unique}
    writer.run.study = {
        **study,
        "requests": writer.rows,
        "imported": {**study["imported"], **settings, "options": list(log.options)},
        "written": written,
    }
    log.save(writer.run)


def _keep(log: ImportLog, writer: Writer, found: ImportedScores) -> None:
    """Write the scores, lengths and examples; compare the harness's own scores with ours."""
    run = writer.run
    run.study["imported"]["scores"] = found.by
    log.rating = found.by
    log.notes += [*found.notes, *(log.first_doubts() if found.by != AGAIN else ())]
    run.write_scores(found.scores)
    if writer.ours:
        log.differences = score_differences(found.scores, writer.met.claims)
        log.notes += log.differences.notes()
    log.save(run)


def _analyse(log: ImportLog, writer: Writer, found: ImportedScores) -> None:
    from ...analysis import analyse
    from ...running import model_descriptions

    run = writer.run
    recipe = run.study.get("recipe") or {}
    options = recipe.get("analysis") or {}
    datasets = run.study["datasets"]
    log.analysis = analyse(
        found.scores,
        **{name: options[name] for name in ("resamples", "level", "two_way") if name in options},
        seed=int(run.study.get("seed") or 0),
        keeps_labels={
            name: entry["keeps_labels"] for name, entry in datasets.items() if "keeps_labels" in entry
        },
        models=model_descriptions(run.study),
        examples=run.examples(),
        lengths=run.lengths(),
    )
    run.write_analysis(log.analysis)


_ALIKE = 60


@dataclass(frozen=True)
class Imported:
    """The outcome of an import.

    Attributes:
        run: the directory.
        harness: whose results.
        rating: whose scores are in it: ``its own`` or ``rated again``, or a data set each.
        models: their labels.
        datasets: data set -> how many examples.
        configurations: how many.
        results: how many answers and errors were read.
        holes: how many cells have no result.
        failed: how many requests have an error in the place of an answer.
        differences: where the harness's own scores differ from ours; None where they are kept.
        notes: a line each.
        analysis: the contents of analysis.json.
    """

    run: Path
    harness: str
    rating: str | dict[str, str]
    models: tuple[str, ...]
    datasets: dict[str, int]
    configurations: int
    results: int
    holes: int
    failed: int
    differences: ScoreDifferences | None
    notes: tuple[str, ...]
    analysis: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "run": str(self.run),
            "harness": self.harness,
            "scores": self.rating,
            "models": list(self.models),
            "datasets": self.datasets,
            "configurations": self.configurations,
            "results": self.results,
            "holes": self.holes,
            "failed": self.failed,
            "compared": None if self.differences is None else self.differences.as_dict(),
            "notes": list(self.notes),
        }


@dataclass
class ImportLog:
    """Collects the notes of an import."""

    source: HarnessOutput
    notes: list[str]
    options: tuple[str, ...] = ()
    rating: str | dict[str, str] = ""
    differences: ScoreDifferences | None = None
    analysis: dict[str, Any] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def first_doubts(self) -> list[str]:
        """Why the harness's own scores may be wrong; of doubts that begin alike the first, and how many."""
        kinds = Counter(doubt[:_ALIKE] for doubt in self.doubts)
        firsts = {doubt[:_ALIKE]: doubt for doubt in reversed(self.doubts)}
        return [f"{firsts[kind]} ({count} such files)" for kind, count in kinds.items()]

    def of_writing(self, writer: Writer) -> list[str]:
        """Notes on cut prompts, answers that differ, and holes."""
        met, notes = writer.met, list[str]()
        if met.cut:
            what = "count as failed" if writer.ours else "keep their answers"
            notes.append(
                f"{met.cut} prompts were cut or changed by the harness, to fit a window; they {what}"
            )
        if met.rated_failures:
            notes.append(
                f"{met.rated_failures} failed requests were rated by the harness as if the answer were "
                "empty; here they are holes"
            )
        if met.differing:
            notes.append(
                f"{met.differing} answers differ from an earlier one to an equal prompt; the first counts, "
                "as in a run, where equal prompts are asked once"
            )
        return [*notes, *_hole_notes(writer)]

    def save(self, run: Run) -> None:
        """Write study.yaml with the notes."""
        from ...running.store.manifest import write_study

        run.study["imported"]["notes"] = list(self.notes)
        write_study(run.path, run.study)

    def imported(self, out: Path, writer: Writer) -> Imported:
        """The report on what was made."""
        cells, models = writer.met.cells, writer.run.models()
        return Imported(
            run=out,
            harness=self.source.harness,
            rating=self.rating,
            models=tuple(models),
            datasets={name: len(cells.examples(name)) for name in cells.requests},
            configurations=len(cells.configs()),
            results=sum(map(len, cells.answered.values())),
            holes=sum(len(writer.holes(model)) for model in models),
            failed=writer.met.failed,
            differences=self.differences,
            notes=tuple(self.notes),
            analysis=self.analysis,
        )


def _hole_notes(writer: Writer) -> list[str]:
    holes = [(model, *cell) for model in writer.run.models() for cell in writer.holes(model)]
    return [f"{len(holes)} cells have no result and are holes: {some_of(holes)}"] if holes else []
