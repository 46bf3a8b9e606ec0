"""``torr merge``: runs of one study as one run directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.atomic_files import atomic_folder, check_new_folder
from ..running import Run, refuse_foreign_run
from ..scoring import join_scored_runs
from .scores import Tell, analyse_scores


@dataclass(frozen=True)
class MergedRun:
    """The outcome of a merge.

    Attributes:
        run: the new run directory.
        models: its models.
        notes: a line on each model that several of the runs have: whose answers count, and where they differ.
        analysis: the contents of its analysis.json.
    """

    run: Path
    models: tuple[str, ...]
    notes: tuple[str, ...]
    analysis: dict[str, Any]


def merge_runs(paths: Sequence[Path], out: Path, tell: Tell = lambda line: None) -> MergedRun:
    """Make one run of several of one study, with their answers, scores and an analysis of all models.

    Args:
        paths: run directories, which stay as they are; where two have answered one request, the first counts.
        out: the new run directory; not there yet, or empty.
        tell: shows notes and steps.

    Raises:
        InputError: the studies differ, or a name stands for two models; ``out`` is not free, or lies in a
            run. Nothing is made then.
    """
    check_new_folder(out)
    refuse_foreign_run(out)
    with atomic_folder(out) as folder:
        joined = join_scored_runs(paths, folder)
        for note in joined.notes:
            tell(note)
        tell("Analysing ...")
        analysis = analyse_scores(folder, **_options(joined.run)).to_json()
        joined.run.write_analysis(analysis)
    return MergedRun(out, tuple(joined.run.models()), joined.notes, analysis)


def _options(run: Run) -> dict[str, Any]:
    """The options of the analysis that the study's recipe sets."""
    wanted = (run.study.get("recipe") or {}).get("analysis") or {}
    chosen = {name: wanted[name] for name in ("resamples", "level", "two_way") if name in wanted}
    return {**chosen, "seed": int(run.study.get("seed") or 0)}
