"""The ratings of a run whose answers were judged in pairs: ``ratings.json`` beside ``analysis.json``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis.ratings import BATTLES_FILE, rate_file
from ..core.atomic_files import make_directory, write_atomically
from ..core.errors import InputError, counted
from ..running import Run
from ..scoring.judges import contestant_judges

if TYPE_CHECKING:
    from ..analysis.ratings import RatingOptions, Ratings

RATINGS_FILE = "ratings.json"

Tell = Callable[[str], object]
"""Shows a line to the person who waits."""


def write_ratings(found: Ratings, out: Path) -> Path:
    """Write ``ratings.json`` into a folder, which is made where there is none."""
    make_directory(out)
    path = out / RATINGS_FILE
    write_atomically(path, found.to_json())
    return path


def with_contestants(run: Path, options: RatingOptions) -> RatingOptions:
    """The options, and in ``same`` the judges that are models of the run, under whatever names.

    Args:
        run: its directory; one that is no run, or has no judges, adds nothing.
        options: judges that these name stay as they are.

    Raises:
        RunError: what is known of a judge is damaged.
    """
    if not (run / "study.yaml").exists():
        return options
    known = dict(options.same)
    more = [
        (judge, model)
        for judge, model in contestant_judges(Run.open(run)).items()
        if judge not in known and options.judge in (None, judge)
    ]
    return replace(options, same=(*options.same, *more))


def rate_run(run: Path, out: Path, options: RatingOptions, tell: Tell = lambda line: None) -> Ratings | None:
    """Rate the models of a run by its battles, and write ``ratings.json``.

    Battles that cannot be rated are no reason to refuse the run's scores: they are said, and nothing is
    written.

    Args:
        run: its directory.
        out: where ``ratings.json`` goes.
        options: how.
        tell: shows what became of it.

    Returns:
        None where the run has no battles, or none that can be rated.
    """
    if not (run / BATTLES_FILE).exists():
        return None
    try:
        found = rate_file(run, with_contestants(run, options))
    except InputError as error:
        tell(f"No ratings: {error}")
        return None
    path = write_ratings(found, out)
    best = next(iter(found.bradley_terry))
    tell(f"Ratings from {counted(found.battles, 'battle')}, {best} ahead: {path}")
    return found
