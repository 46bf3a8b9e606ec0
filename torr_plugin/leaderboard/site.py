"""Builds a site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .. import running
from ..core.atomic_files import check_result_folder, replace_folder
from ..core.errors import RunError
from .theming import SiteText, Theme, find_theme

Progress = Callable[[int, int], None]
"""Is told how many pages and examples are made, and of about how many."""


def silent(done: int, total: int) -> None:
    """Tell no one."""


def build_site(
    runs: Sequence[Path | str],
    out: Path | str,
    *,
    theme: Theme | str | Path | None = None,
    charts: bool = True,
    models: Path | str | None = None,
    words: SiteText | None = None,
    progress: Progress = silent,
) -> Path:
    """Turn runs, or scores files, into a static site that needs no network.

    Runs of one study and name are put together. Of one study ``index.html`` is the overview; of several each
    has its own, and ``index.html`` lists them. A study's other pages lie in ``<study>/``, its downloads and
    what its pages load in ``data/<study>/``, style and scripts in ``assets/``. The files are made in a
    folder of their own and take the places of earlier ones at the end; other files in ``out`` stay.

    Args:
        runs: run directories or scores files (Parquet, CSV, JSON lines).
        out: the site's folder, which is made.
        theme: a bundled theme's name, or the path of a theme's folder or CSS file.
        charts: whether a study also has an image for those who link to it.
        models: a file (YAML) of what models are, see :func:`torr_plugin.recipes.read_models`.
        words: what the team says of its site.
        progress: is told how many pages and examples are made, and of about how many.

    Returns:
        The path of ``index.html``.

    Raises:
        RunError: no run is given, a directory is not a run or damaged, the theme cannot be used, ``out``
            holds other things, or the site cannot be written.
        RecipeError: the file of models is wrong.
        AnalysisError: a scores file cannot be read or analysed.
    """
    out, given = Path(out), [Path(run) for run in runs]
    chosen = theme if isinstance(theme, Theme) else find_theme(theme) if theme else Theme()
    check_site_folder(out, given)
    from .building import make_files  # which loads what reads and analyses studies

    with _replacing(out) as folder:
        make_files(
            given,
            folder,
            theme=chosen,
            charts=charts,
            models=models,
            words=words or SiteText(),
            progress=progress,
        )
    return out / "index.html"


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """A folder for new files, which take the places of earlier ones at the end; what else is there stays."""
    fresh = out / ".new"
    try:
        if out.is_file():
            raise FileExistsError
        shutil.rmtree(fresh, ignore_errors=True)  # of a command that was killed
        fresh.mkdir(parents=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        yield fresh
        earlier, studies = _studies_of(out), _studies_of(fresh)
        for name in sorted(studies - earlier):
            if os.path.lexists(out / name):
                raise RunError(
                    f"{out / name}: is no part of an earlier site; move it, or choose another --out"
                )
        for path in sorted(fresh.iterdir(), key=lambda path: path.name == "index.html"):
            (replace_folder if path.is_dir() else os.replace)(path, out / path.name)
        for name in earlier - studies:
            shutil.rmtree(out / name, ignore_errors=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        with suppress(OSError):  # of a site that could not be made nothing is left
            out.rmdir()


def _studies_of(site: Path) -> set[str]:
    """The folders of a site's studies: each has one of its name in ``data``."""
    data = site / "data"
    return {path.name for path in data.iterdir() if path.is_dir()} if data.is_dir() else set()


def _unwritable(out: Path, error: OSError) -> RunError:
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return RunError(
            f"{out}: a file is in the way; expected a folder for the site, or a name that is free"
        )
    return RunError(f"{out}: the site cannot be written: {error.strerror or error}")


def check_site_folder(out: Path, runs: Sequence[Path] = ()) -> None:
    """Refuse a folder for a site that lies in a run that is not shown, or holds other files than a site's.

    Raises:
        RunError: it does.
    """
    running.refuse_foreign_run(out, runs)
    check_result_folder(out, "assets/board.js", "earlier site")
