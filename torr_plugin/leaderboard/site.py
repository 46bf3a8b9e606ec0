"""Builds a site."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import running
from ..core.atomic_files import check_result_folder, replace_folder
from ..core.errors import RunError
from .theming import SiteText, Theme, find_theme


def build_site(
    runs: Sequence[Path | str],
    out: Path | str,
    *,
    theme: Theme | str | Path | None = None,
    charts: bool = True,
    models: Path | str | None = None,
    words: SiteText | None = None,
) -> Path:
    """Turn runs, or scores files, into a static site that needs no network.

    Runs of one study and name are put together. Of one study ``index.html`` is the overview; of several each
    has its own, and ``index.html`` lists them. A study's other pages lie in ``<study>/``, its downloads and
    what its pages load in ``data/<study>/``, style and scripts in ``assets/``. The site is built beside an
    earlier one and takes its place at the end; other files in that folder stay.

    Args:
        runs: run directories or scores files (Parquet, CSV, JSON lines).
        out: the site's folder, which is made.
        theme: a bundled theme's name, or the path of a theme's folder or CSS file.
        charts: whether a study also has an image for those who link to it.
        models: a file (YAML) of what models are, see :func:`torr_plugin.recipes.read_models`.
        words: what the team says of its site.

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
        make_files(given, folder, theme=chosen, charts=charts, models=models, words=words or SiteText())
    return out / "index.html"


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """A new folder, which takes the place of another at the end of the block; its other files stay."""
    whole = out.resolve()
    fresh = whole.with_name(f".{whole.name}.new")
    try:
        if whole.is_file():
            raise FileExistsError
        shutil.rmtree(fresh, ignore_errors=True)  # of a command that was killed
        fresh.mkdir(parents=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        yield fresh
        for path in whole.iterdir() if whole.exists() else ():
            if not (fresh / path.name).exists():
                (shutil.copytree if path.is_dir() else shutil.copy2)(path, fresh / path.name)
        try:
            if Path.cwd().is_relative_to(whole):
                raise OSError  # noqa: TRY301, who is in the folder would be in none
            replace_folder(fresh, whole)
        except OSError:  # likewise a folder that is mounted stays where it is
            shutil.copytree(fresh, whole, dirs_exist_ok=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


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
