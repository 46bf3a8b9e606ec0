"""From a harness's results to a run directory: written, scored and analysed, or not made at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.atomic_files import atomic_folder, check_new_folder
from ...core.errors import InputError
from .comparing import differences
from .main_metric import refuse_chosen
from .rated import Rated, rated
from .report import Imported, Told
from .result import Source
from .run_study import AGAIN, Records, begun, described
from .writing import Writer

if TYPE_CHECKING:
    from ...recipes import Recipe

Tell = Callable[[str], None]


def import_results(
    source: Source,
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
        tell: is given a line now and then.

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
        told = Told(source, list(source.notes), _options(source, wanted, again, recipe))
        writer, records = _written(told, path, tell)
        if given is not None and not writer.ours:
            raise InputError("--recipe: these results carry no record of a study of torr's; leave it out")
        if writer.ours:
            refuse_chosen(wanted)
        _describe(told, writer, records, given)
        tell("Scoring ...")
        found = rated(writer, metrics=wanted, again=again)
        _keep(told, writer, found)
        tell("Analysing ...")
        _analyse(told, writer, found)
    return told.imported(out, writer)


def _read(recipe: str | Path) -> Recipe:
    from ...recipes import load

    return load(recipe)


def _options(
    source: Source, metrics: Sequence[str], again: bool, recipe: str | Path | None
) -> tuple[str, ...]:
    """The options of the command that imports the same; of a file its name, for the run may be published."""
    named = [("--metric", metric) for metric in metrics]
    named += [("--recipe", Path(recipe).name)] if recipe is not None else []
    chosen = [f"{option} {shlex.quote(value)}" for option, value in named]
    return (*source.options, *chosen, *(("--rate-again",) if again else ()))


def _written(told: Told, path: Path, tell: Tell) -> tuple[Writer, Records | None]:
    """All requests and answers, written; and the records that they carried."""
    source, writer, records = told.source, None, Records()
    for number, (piece, batch) in enumerate(source.batches(), 1):
        tell(f"{number}/{len(source.pieces)} {piece.name}: {len(batch.results)} results")
        told.doubts += batch.doubts
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


def _writer(source: Source, path: Path, *, ours: bool) -> Writer:
    from ...running import Run
    from ...running.store.manifest import with_models

    return Writer(Run(path, with_models(begun(source, ours=ours), source.entries(), path)), ours)


def _describe(told: Told, writer: Writer, records: Records | None, given: Recipe | None) -> None:
    """Put into study.yaml what is known once all was read."""
    study, notes = described(writer.run.study, writer.met.cells, records, given)
    told.notes += [*notes, *told.of_writing(writer)]
    settings = {name: value for name, value in told.source.settings.items() if name != "versions"}
    written = {"rows": writer.rows, "unique": writer.unique}
    writer.run.study = {
        **study,
        "requests": writer.rows,
        "imported": {**study["imported"], **settings, "options": list(told.options)},
        "written": written,
    }
    told.save(writer.run)


def _keep(told: Told, writer: Writer, found: Rated) -> None:
    """Write the scores and what goes with them; say how the harness's own compare."""
    run = writer.run
    run.study["imported"]["scores"] = found.by
    told.rating = found.by
    told.notes += [*found.notes, *(told.first_doubts() if found.by != AGAIN else ())]
    run.write_scores(found.scores)
    if writer.ours:
        told.differences = differences(found.scores, writer.met.claims)
        told.notes += told.differences.notes()
    told.save(run)


def _analyse(told: Told, writer: Writer, found: Rated) -> None:
    from ...analysis import analyse
    from ...running import model_descriptions

    run = writer.run
    recipe = run.study.get("recipe") or {}
    options = recipe.get("analysis") or {}
    datasets = run.study["datasets"]
    told.analysis = analyse(
        found.scores,
        **{name: options[name] for name in ("resamples", "level", "two_way") if name in options},
        seed=int(run.study.get("seed") or 0),
        keeps_labels={
            name: said["keeps_labels"] for name, said in datasets.items() if "keeps_labels" in said
        },
        models=model_descriptions(run.study),
        examples=run.examples(),
        lengths=run.lengths(),
    )
    run.write_analysis(told.analysis)
