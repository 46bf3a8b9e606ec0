"""Joins runs of one study with their scores; requests and answers are joined in the store."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from ..running import Run, run_status
from ..running.store.joining import JoinedRuns, join_runs, refuse_repeats
from ..running.store.run import EXAMPLES, SCORES, write_frame
from .judges.joining import join_judges
from .judges.rows import with_verdicts
from .run_scores import lengths_of_run, score_run, together


def join_scored_runs(paths: Sequence[Path], out: Path) -> JoinedRuns:
    """Join runs of one study in an empty folder, with scores, lengths of answers and examples.

    Requests and answers are links to the runs' files.

    Scores are the runs' own. Answers are scored again, as the first run's recipe says, where a run has some
    that came after its scores, or where main scores are lenient in one run alone.
    Judges come along (:func:`~torr_plugin.scoring.judges.joining.join_judges`).

    Args:
        paths: run directories; the first one's answers count before the others'.
        out: the folder.

    Raises:
        RunError: as of :func:`~torr_plugin.running.store.joining.join_runs`; or a run is given twice.
        CardError: a card whose answers cannot be scored again.
    """
    refuse_repeats(paths)
    runs = [Run.open(path) for path in paths]
    joined = join_runs(runs, out)
    run = joined.run
    several = len({run.study.get("recipe", {}).get("scoring") for run in runs}) > 1
    notes = join_judges(runs, out, joined.sources)
    if (several or any(map(_has_unscored_answers, runs))) and "imported" not in run.study:
        run.write_scores(with_verdicts(without_absent_models(score_run(run), run), out))
        run.write_lengths(lengths_of_run(run))
    else:
        taken = {each.path: [label for label, of in joined.sources.items() if of is each] for each in runs}
        scores = [(each.scores(), taken[each.path]) for each in runs]
        lengths = [(found, taken[each.path]) for each in runs if (found := each.lengths()) is not None]
        run.write_scores(with_verdicts(_of_models(scores), out))
        run.write_lengths(_of_models(lengths))
    examples = next((frame for each in runs if (frame := each.examples()) is not None), None)
    if examples is not None:
        write_frame(examples, out, EXAMPLES)
    return replace(joined, notes=(*joined.notes, *notes))


@contextmanager
def joined_for_reading(paths: Sequence[Path]) -> Iterator[JoinedRuns]:
    """:func:`join_scored_runs` in a temporary folder, while the block lasts.

    Raises:
        RunError: as :func:`join_scored_runs`.
    """
    with TemporaryDirectory(prefix="torr-joined-") as folder:
        yield join_scored_runs(paths, Path(folder))


def without_absent_models(scores: pd.DataFrame, run: Run) -> pd.DataFrame:
    """The scores without models that have no answer at all, as they could not be loaded: no holes."""
    absent = [label for label in run.models() if not run.has_answers(label)]
    if not absent:
        return scores
    kept: pd.DataFrame = scores[~scores["model"].isin(absent)].reset_index(drop=True)
    if hasattr(kept["model"], "cat"):
        kept["model"] = kept["model"].cat.remove_unused_categories()
    return kept


def _has_unscored_answers(run: Run) -> bool:
    return not (run.path / SCORES).exists() or run_status(run.path).step not in ("analysing", "done")


def _of_models(frames: Sequence[tuple[pd.DataFrame, Collection[str]]]) -> pd.DataFrame:
    """The rows of each frame that are of its models."""
    return together([frame[frame["model"].isin(list(models))] for frame, models in frames])
