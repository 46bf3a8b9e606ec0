"""Builds a site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import running
from ..core.atomic_files import check_result_folder
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
    what its pages load in ``data/<study>/``, style and scripts in ``assets/``. Files of an earlier site there
    are replaced, others left alone.

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

    return make_files(given, out, theme=chosen, charts=charts, models=models, words=words or SiteText())


def check_site_folder(out: Path, runs: Sequence[Path] = ()) -> None:
    """Refuse a folder for a site that lies in a run that is not shown, or holds other files than a site's.

    Raises:
        RunError: it does.
    """
    running.refuse_foreign_run(out, runs)
    check_result_folder(out, "assets/board.js", "earlier site")
