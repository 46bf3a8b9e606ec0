"""The ratings of a run whose answers were judged in pairs: ``ratings.json`` beside ``analysis.json``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis.ratings import BATTLES_FILE, rate_file
from ..core.atomic_files import make_directory, write_atomically
from ..core.errors import InputError, counted

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
        found = rate_file(run, options)
    except InputError as error:
        tell(f"No ratings: {error}")
        return None
    path = write_ratings(found, out)
    best = next(iter(found.bradley_terry))
    tell(f"Ratings from {counted(found.battles, 'battle')}, {best} ahead: {path}")
    return found
