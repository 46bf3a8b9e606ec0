"""Makes a run directory of a harness's log: written, scored and analysed, or not made at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ...analysis import analyse
from ...core.atomic_files import atomic_folder, check_new_folder
from ...core.errors import InputError
from ...recipes import Recipe, load
from ...running import Run, design_bases, model_descriptions, with_prompt_tokens
from ...running.store.manifest import write_study
from ..logs.log import Log
from .comparison import score_differences
from .scores import imported_scores
from .study import completed_study, initial_study
from .writer import OtherTasksError, Writer

Tell = Callable[[str], None]


class Imported(NamedTuple):
    """The outcome of an import: what ``--json`` prints, and the contents of analysis.json.

    The report has the run, the harness, whose the scores are, models, data sets with their numbers of
    examples, the numbers of configurations, results, holes (cells without a result) and failed requests,
    where the harness's own scores differ from ours (None where they are kept), and notes.
    """

    report: dict[str, Any]
    analysis: dict[str, Any]


def import_results(
    log: Log,
    out: Path,
    *,
    metrics: str | Sequence[str] | None = (),
    again: bool = False,
    recipe: str | Path | None = None,
    study: str | None = None,
    tell: Tell = lambda text: None,
) -> Imported:
    """Make a run directory of a harness's log.

    Args:
        log: of :func:`torr_plugin.integrations.logs.read_log`; read a file at a time.
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
    check_new_folder(out)
    wanted = (metrics,) if isinstance(metrics, str) else tuple(metrics or ())
    given = None if recipe is None else load(recipe)
    options = _options(log, wanted, again, recipe, study)
    imported = partial(_imported, log, out, wanted, given, again=again, tell=tell)
    try:
        return imported(options, study=study)
    except OtherTasksError as others:  # of a chosen study there are no others
        return imported([*options, f"--study {shlex.quote(others.study)}"], study=others.study)


def _imported(
    log: Log,
    out: Path,
    wanted: tuple[str, ...],
    given: Recipe | None,
    options: list[str],
    *,
    again: bool,
    study: str | None,
    tell: Tell,
) -> Imported:
    with atomic_folder(out) as path:
        writer = _written(log, path, study, tell)
        run, cells = writer.run, writer.cells
        if not writer.ours and given is not None:
            raise InputError("--recipe: these results carry no record of a study of torr's; leave it out")
        run.study, notes = completed_study(run.study, cells, writer.records if writer.ours else None, given)
        run.study |= {"requests": writer.rows, "written": {"rows": writer.rows, "unique": len(writer.keys)}}
        tell("Scoring ...")
        scored = imported_scores(writer, metrics=wanted, again=again)
        run.write_scores(scored.scores)
        differences = score_differences(scored.scores, writer.claims) if writer.ours else None
        notes = [
            *(*log.notes, *writer.notes(), *notes, *scored.notes),
            *(differences.notes() if differences else ()),
        ]
        run.study["imported"] |= {"options": options, "scores": scored.by, "notes": notes}
        write_study(path, run.study)
        tell("Analysing ...")
        analysis = _analysis(run, scored.scores)
        run.write_analysis(analysis)
    report = {
        "run": str(out),
        "harness": log.harness,
        "scores": scored.by,
        "models": run.models(),
        "datasets": {name: len(cells.examples(name)) for name in cells.requests},
        "configurations": len(cells.configs()),
        "results": sum(map(len, cells.answered.values())),
        "holes": len(writer.holes()),
        "failed": writer.failed,
        "compared": None if differences is None else differences.as_dict(),
        "notes": notes,
    }
    return Imported(report, analysis)


def _options(
    log: Log, metrics: Sequence[str], again: bool, recipe: str | Path | None, study: str | None
) -> list[str]:
    """The options that repeat the import; a file by its name alone, as the run may be published."""
    named = [("--metric", metric) for metric in metrics]
    named += [("--recipe", Path(recipe).name)] if recipe is not None else []
    named += [("--study", study)] if study is not None else []
    chosen = [f"{option} {shlex.quote(value)}" for option, value in named]
    return [*log.options, *chosen, *(["--rate-again"] if again else [])]


def _written(log: Log, path: Path, study: str | None, tell: Tell) -> Writer:
    """Write all requests and answers, or those of a study alone."""
    writer = Writer(Run(path, initial_study(log, path)), study)
    for number, (file, found) in enumerate(log.contents(), 1):
        tell(f"{number}/{len(log.files)} {file.name}: {len(found.results)} results")
        writer.add(file, found)
    if not writer.cells.answered:
        of = "" if study is None else f" of study {study!r} (--study)"
        raise InputError(f"{log.path}: its files of {log.harness} hold no result{of}")
    if writer.left_out:
        asked = [model for model in writer.run.study["models"] if model["label"] in writer.cells.answered]
        writer.run.study["models"] = asked  # others answered nothing of this study, so have no holes in it
    for each in log.announced:
        writer.cells.announce(each)
    writer.close()
    return writer


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
