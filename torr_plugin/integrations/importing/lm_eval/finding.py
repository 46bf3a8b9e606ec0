"""lm-eval's files below a folder, and which of several runs of a task is the newest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ....core.errors import InputError
from ..files import files_below
from ..recognising import expected

_DATE = r"(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_DATE}\.jsonl")
_RESULTS = re.compile(rf".*_{_DATE}\.json")
_WHAT = "a folder that lm_eval wrote with --output_path and --log_samples"


@dataclass(frozen=True, slots=True)
class Samples:
    """A file of samples, and the results of the same run."""

    path: Path
    task: str
    date: str
    results: Path


def sample_files(path: Path) -> tuple[list[Samples], list[Path]]:
    """The files of samples in a folder and those below it, and all files of results.

    Raises:
        InputError: there are none, samples were not logged, or a file of samples has no results.
    """
    files = files_below(path, ".json", ".jsonl")
    results = {
        (each.parent, match["date"]): each for each in files if (match := _RESULTS.fullmatch(each.name))
    }
    matched = [(each, match) for each in files if (match := _SAMPLES.fullmatch(each.name))]
    if not matched:
        raise InputError(_without_samples(path, files, results.values()))
    found = []
    for each, match in matched:
        of_run = results.get((each.parent, match["date"]))
        if of_run is None:
            raise InputError(
                f"{each}: half-written run: has no results_{match['date']}.json beside it, which says "
                "what model this is; run lm_eval again, or leave the file out"
            )
        found.append(Samples(each, match["task"], match["date"], of_run))
    return found, list(results.values())


def _without_samples(path: Path, files: Iterable[Path], results: Iterable[Path]) -> str:
    named = next(iter(results), None) or next(
        (each for each in files if each.name.startswith("results")), None
    )
    if named is not None:
        return f"{named}: has no samples beside it, only means; run lm_eval with --log_samples"
    return expected(path, "lm-eval", _WHAT)
