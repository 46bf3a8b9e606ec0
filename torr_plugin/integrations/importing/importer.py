"""Makes a run directory of a harness's results: written, scored and analysed, or not made at all."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ...analysis import analyse
from ...core.atomic_files import atomic_folder, check_new_folder
from ...core.errors import InputError, counted
from ...recipes import Recipe, load
from ...running import Run, design_bases, model_descriptions, with_prompt_tokens
from ...running.store.manifest import with_models, write_study
from .harness_scores import ScoreDifferences, refuse_chosen, score_differences
from .results import HarnessOutput
from .run_scores import imported_scores, some_of
from .study import AGAIN, StudyRecords, completed_study, initial_study
from .writer import OtherTasksError, Writer

Tell = Callable[[str], None]


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


def import_results(
    source: HarnessOutput,
    out: Path,
    *,
    metrics: str | Sequence[str] | None = (),
    again: bool = False,
    recipe: str | Path | None = None,
    study: str | None = None,
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
        study: take the results of this study of ours, and leave all others; None for the only one that there
            is, beside which results of other tasks are left.
        tell: reports progress, a line at a time.

    Raises:
        InputError: files that cannot be read, do not fit together, or have no usable score; ``out`` is not
            made then.
    """
    if not source.pieces:
        raise InputError(f"{source.path}: has no results of {source.harness}")
    check_new_folder(out)
    wanted = (metrics,) if isinstance(metrics, str) else tuple(metrics or ())
    given = None if recipe is None else load(recipe)
    imported = partial(_imported, source, out, wanted, given, again=again, recipe=recipe, tell=tell)
    try:
        return imported(study=study)
    except OtherTasksError as others:  # of a chosen study there are no others
        return imported(study=others.study)


def _imported(
    source: HarnessOutput,
    out: Path,
    wanted: tuple[str, ...],
    given: Recipe | None,
    *,
    again: bool,
    recipe: str | Path | None,
    study: str | None,
    tell: Tell,
) -> Imported:
    with atomic_folder(out) as path:
        writer, records, doubts, said = _written(source, path, study, tell)
        run, cells = writer.run, writer.cells
        if writer.ours:
            refuse_chosen(wanted)
        elif given is not None:
            raise InputError("--recipe: these results carry no record of a study of torr's; leave it out")
        run.study, notes = completed_study(run.study, cells, records if writer.ours else None, given)
        run.study |= {"requests": writer.rows, "written": {"rows": writer.rows, "unique": writer.unique}}
        notes = [*source.notes, *said, *notes, *_notes_of(writer)]
        tell("Scoring ...")
        found = imported_scores(writer, metrics=wanted, again=again)
        run.write_scores(found.scores)
        notes += [*found.notes, *(_first_doubts(doubts) if found.by != AGAIN else ())]
        differences = score_differences(found.scores, writer.claims) if writer.ours else None
        notes += differences.notes() if differences else []
        options = _options(source, wanted, again, recipe, study)
        run.study["imported"] |= {"options": options, "scores": found.by, "notes": notes}
        write_study(path, run.study)
        tell("Analysing ...")
        analysis = _analysis(run, found.scores)
        run.write_analysis(analysis)
    return Imported(
        run=out,
        harness=source.harness,
        rating=found.by,
        models=tuple(run.models()),
        datasets={name: len(cells.examples(name)) for name in cells.requests},
        configurations=len(cells.configs()),
        results=sum(map(len, cells.answered.values())),
        holes=len(writer.holes()),
        failed=writer.failed,
        differences=differences,
        notes=tuple(notes),
        analysis=analysis,
    )


def _options(
    source: HarnessOutput,
    metrics: Sequence[str],
    again: bool,
    recipe: str | Path | None,
    study: str | None,
) -> list[str]:
    """The options that repeat the import; a file by its name alone, as the run may be published."""
    named = [("--metric", metric) for metric in metrics]
    named += [("--recipe", Path(recipe).name)] if recipe is not None else []
    named += [("--study", study)] if study is not None else []
    chosen = [f"{option} {shlex.quote(value)}" for option, value in named]
    return [*source.options, *chosen, *(["--rate-again"] if again else [])]


def _written(
    source: HarnessOutput, path: Path, study: str | None, tell: Tell
) -> tuple[Writer, StudyRecords, list[str], list[str]]:
    """Write all requests and answers; return also their records, doubts about the harness's scores, notes."""
    writer, records, doubts, notes, left = None, StudyRecords(), list[str](), list[str](), 0
    for number, (piece, batch) in enumerate(source.batches(), 1):
        tell(f"{number}/{len(source.pieces)} {piece.name}: {len(batch.results)} results")
        doubts += batch.doubts
        notes += batch.notes
        results = batch.results if study is None else [each for each in batch.results if each.study == study]
        left += len(batch.results) - len(results)
        if not results:
            continue
        writer = writer or _writer(source, path, ours=results[0].record is not None)
        for result in results:
            if result.record is not None:
                records.add(result.record, result.where)
        writer.add(piece.model.label, results)
    if writer is None:
        of = "" if study is None else f" of study {study!r} (--study)"
        raise InputError(f"{source.path}: its files of {source.harness} hold no result{of}")
    if left:
        notes.append(f"left out: {counted(left, 'result')} of other tasks and studies than {study!r}")
        asked = [model for model in writer.run.study["models"] if model["label"] in writer.cells.answered]
        writer.run.study["models"] = asked  # others answered nothing of this study, so have no holes in it
    for each in source.announced:
        writer.cells.announce(each.dataset, each.config)
    writer.close()
    return writer, records, doubts, notes


def _writer(source: HarnessOutput, path: Path, *, ours: bool) -> Writer:
    models = list({piece.model.label: piece.model for piece in source.pieces}.values())
    return Writer(Run(path, with_models(initial_study(source, ours=ours), models, path)), ours)


def _notes_of(writer: Writer) -> list[str]:
    """Notes on cut prompts, answers that differ, and holes."""
    notes = list[str]()
    if writer.cut:
        what = "count as failed" if writer.ours else "keep their answers"
        notes.append(f"{writer.cut} prompts were cut or changed by the harness, to fit a window; they {what}")
    if writer.rated_failures:
        notes.append(
            f"{writer.rated_failures} failed requests were rated by the harness as if the answer were "
            "empty; here they are holes"
        )
    if writer.differing:
        notes.append(
            f"{writer.differing} answers differ from an earlier one to an equal prompt; the first counts, "
            "as in a run, where equal prompts are asked once"
        )
    if holes := writer.holes():
        notes.append(f"{len(holes)} cells have no result and are holes: {some_of(holes)}")
    return notes


_ALIKE = 60


def _first_doubts(doubts: Sequence[str]) -> list[str]:
    """Why the harness's scores may be wrong; of doubts that begin alike the first one and their number."""
    kinds = Counter(doubt[:_ALIKE] for doubt in doubts)
    firsts = {doubt[:_ALIKE]: doubt for doubt in reversed(doubts)}
    return [f"{firsts[kind]} ({count} such files)" for kind, count in kinds.items()]


def _analysis(run: Run, scores: pd.DataFrame) -> dict[str, Any]:
    options = (run.study.get("recipe") or {}).get("analysis") or {}
    datasets = run.study["datasets"].items()
    return analyse(
        with_prompt_tokens(scores, run),
        **{name: options[name] for name in ("resamples", "level", "two_way") if name in options},
        seed=int(run.study.get("seed") or 0),
        keeps_labels={name: entry["keeps_labels"] for name, entry in datasets if "keeps_labels" in entry},
        models=model_descriptions(run.study),
        examples=run.examples(),
        lengths=run.lengths(),
        design_bases=design_bases(run.study),
    )
