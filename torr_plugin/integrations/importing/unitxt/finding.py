"""unitxt's files of samples in a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ....core.errors import InputError
from ..files import files_below
from ..recognising import expected

_SAMPLES = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)_)?.+_samples\.json")
_DATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_.+\.json")
_WHAT = "a folder that unitxt-evaluate wrote with --output_path and --log_samples"


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A file of samples; ``date`` is when, empty where the name does not say."""

    path: Path
    date: str


def sample_files(path: Path) -> list[SampleFile]:
    """The files of samples in a folder and those below it, the oldest first.

    Raises:
        InputError: there are none.
    """
    files = [path] if path.is_file() and path.suffix == ".json" else files_below(path, ".json")
    found = [
        SampleFile(each, match["date"] or "") for each in files if (match := _SAMPLES.fullmatch(each.name))
    ]
    if found:
        return sorted(found, key=lambda each: (each.date, each.path))
    dated = next((each for each in files if _DATED.fullmatch(each.name)), None)
    if dated is not None:
        raise InputError(f"{dated}: has no samples beside it, only means; run it again with --log_samples")
    raise InputError(expected(path, "unitxt", _WHAT))
