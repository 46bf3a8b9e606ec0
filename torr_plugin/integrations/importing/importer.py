"""Makes a run directory of a harness's log: written, scored and analysed, or not made at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ...analysis import analyse
from ...core.atomic_files import atomic_folder, check_new_folder
from ...core.errors import InputError
from ...recipes import load
from ...running import Run, design_bases, model_descriptions, with_prompt_tokens
from ...running.store.manifest import write_study
from ...running.store.run import EXAMPLES, write_frame
from ...scoring import lengths_of_run, score_run
from ..logs.log import Log
from .scores import HarnessScores, ScoreComparison, compared_scores, refuse_unknown
from .study import foreign_study, initial_study, known_examples, own_study
from .writer import Writer

Tell = Callable[[str], None]

ITS_OWN, AGAIN = "its own", "rated again"


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
    metrics: Sequence[str] = (),
    again: bool = False,
    recipe: str | None = None,
    study: str | None = None,
    tell: Tell = lambda text: None,
) -> Imported:
    """Make a run directory of a harness's log.

    Args:
        log: of a reader of :mod:`torr_plugin.integrations.logs`; read a file at a time.
        out: the run directory; not there yet, or empty.
        metrics: the main metric of foreign results, or several, of which the first that a data set has
            counts; where it has none of them, the harness's own main one.
        again: rate foreign answers by our cards of their data sets, where there are such.
        recipe: the study's file, where it is the user's own; None for the one of that name here.
        study: take the results of this study of ours, and leave all others.
        tell: reports progress, a line at a time.

    Raises:
        InputError: files that cannot be read, do not fit together, or have no usable score; ``out`` is not
            made then.
    """
    check_new_folder(out)
    given = None if recipe is None else load(recipe)
    with atomic_folder(out) as path:
        writer = _written(log, path, again, study, tell)
        run, scores = writer.run, writer.scores
        if writer.records.first:
            about, notes = own_study(writer.records, writer.examples, writer.configs, given)
        elif given is not None:
            raise InputError("--recipe: these results carry no record of a study of torr's; leave it out")
        else:
            about, notes = foreign_study(writer.examples, writer.configs), []
        run.study |= {**about, "requests": writer.rows}
        run.study["written"] = {"rows": writer.rows, "unique": len(writer.keys)}
        tell("Scoring ...")
        compared: ScoreComparison | None = None
        whose: str | dict[str, str] = AGAIN
        if writer.records.first:
            frame = score_run(run)
            refuse_unknown({}, metrics)
            compared = compared_scores(frame, writer.claims)
            notes += [*_write_beside(run, writer), compared.note()]
        else:
            frame, whose = _kept_scores(writer, metrics)
        run.write_scores(frame)
        notes = [*log.notes, *writer.notes(), *notes, *scores.notes]
        run.study["imported"] |= {
            "options": _options(metrics, again, recipe, study),
            "scores": whose,
            "notes": notes,
        }
        write_study(path, run.study)
        tell("Analysing ...")
        analysis = _analysis(run, frame)
        run.write_analysis(analysis)
    report = {
        "run": str(out),
        "harness": log.harness,
        "scores": whose,
        "models": run.models(),
        "datasets": {name: len(found) for name, found in writer.examples.items()},
        "configurations": len(run.study["configurations"]),
        "results": writer.results(),
        "holes": len(writer.holes()),
        "failed": writer.failed,
        "compared": None if compared is None else compared.as_dict(),
        "notes": notes,
    }
    return Imported(report, analysis)


def _options(metrics: Sequence[str], again: bool, recipe: str | None, study: str | None) -> list[str]:
    """The options that repeat the import; a file by its name alone, as the run may be published."""
    named = [("--metric", metric) for metric in metrics]
    named += [("--recipe", Path(recipe).name)] if recipe is not None else []
    named += [("--study", study)] if study is not None else []
    return [
        *(f"{option} {shlex.quote(value)}" for option, value in named),
        *(["--rate-again"] if again else []),
    ]


def _written(log: Log, path: Path, again: bool, study: str | None, tell: Tell) -> Writer:
    """Write all requests and answers, or those of a study alone."""
    writer = Writer(Run(path, initial_study(log, path)), HarnessScores(again), study)
    for number, file in enumerate(log.files, 1):
        try:
            results = file.read()
        except RecursionError:
            raise InputError(f"{file.name}: holds values nested too deeply to be read") from None
        tell(f"{number}/{len(log.files)} {file.name}: {len(results)} results")
        writer.add(file.model.label, results)
    if not writer.results():
        of = "" if study is None else f" of study {study!r} (--study)"
        raise InputError(f"{log.path}: its files of {log.harness} hold no result{of}")
    writer.close()
    return writer


def _kept_scores(writer: Writer, metrics: Sequence[str]) -> tuple[pd.DataFrame, str | dict[str, str]]:
    """The harness's scores, or our cards' where these rate again; and whose they are."""
    scores, datasets = writer.scores, writer.run.study["datasets"]
    cards = {dataset: card for dataset, card in scores.cards.items() if card is not None}
    if scores.again and not cards:
        raise InputError(f"--rate-again: {'; '.join(scores.notes) or 'there is no answer'}")
    mains = scores.main_metrics(metrics)
    if not mains:
        raise InputError(
            f"{', '.join(datasets)}: none of the results has a score; expected the harness's own, or "
            "--rate-again where a card of ours rates the data set"
        )
    without = (dataset for dataset in datasets if dataset not in mains)
    scores.notes += [f"{dataset}: no result has a score, so it is in no figure" for dataset in without]
    frame = scores.frame(mains, writer.expected())
    for dataset, card in cards.items():
        datasets[dataset] |= {"card": card.name, "main_metric": mains[dataset]}
    whose = {dataset: AGAIN if dataset in cards else ITS_OWN for dataset in datasets}
    return frame, whose if len({*whose.values()}) > 1 else next(iter(whose.values()))


def _write_beside(run: Run, writer: Writer) -> list[str]:
    """Write the lengths of answers and the groups and properties of examples, as far as cards know them."""
    run.write_lengths(lengths_of_run(run))
    examples, notes = known_examples(run.study, writer.examples)
    if examples is not None:
        write_frame(examples, run.path, EXAMPLES)
    return notes


def _analysis(run: Run, scores: pd.DataFrame) -> dict[str, Any]:
    options = (run.study.get("recipe") or {}).get("analysis") or {}
    datasets = run.study["datasets"].items()
    return analyse(
        with_prompt_tokens(scores, run),
        **{name: options[name] for name in ("resamples", "level") if name in options},
        seed=int(run.study.get("seed") or 0),
        keeps_labels={name: entry["keeps_labels"] for name, entry in datasets if "keeps_labels" in entry},
        models=model_descriptions(run.study),
        examples=run.examples(),
        lengths=run.lengths(),
        design_bases=design_bases(run.study),
    )
