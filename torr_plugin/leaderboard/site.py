"""Builds a site, in this process and in those that draw its charts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .. import running
from ..analysis.charts.workers import MOST_WORKERS, chart_workers
from ..core.atomic_files import check_result_folder
from .theming import SiteText, Theme, find_theme

_PACKAGE = __package__.rpartition(".")[0]
_COMPUTING = tuple(f"{_PACKAGE}.{module}" for module in ("analysis.budget", "running.usage"))
"""Modules of what other processes compute for pages; they take as long to import as those of this process."""


def build_site(
    runs: Sequence[Path | str],
    out: Path | str,
    *,
    theme: Theme | str | Path | None = None,
    charts: bool = True,
    previous: Path | str | None = None,
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
        charts: whether every chart is also drawn as SVG, PNG and PDF, to be downloaded.
        previous: the folder of an earlier site, whose history continues; by default that in ``out``.
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
    # without files there are few charts, and this process draws them
    with chart_workers(_drawing() if charts else 0, _COMPUTING) as workers:
        check_site_folder(out, given)
        from .building import make_files  # while the others import what they need

        return make_files(
            given,
            out,
            workers,
            theme=chosen,
            charts=charts,
            previous=Path(previous or out),
            models=models,
            words=words or SiteText(),
        )


def _drawing() -> int:
    """Processes that draw charts: this one makes pages meanwhile, so one processor is left to it."""
    return max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 1))


def check_site_folder(out: Path, runs: Sequence[Path] = ()) -> None:
    """Refuse a folder for a site that lies in a run that is not shown, or holds other files than a site's.

    Raises:
        RunError: it does.
    """
    running.refuse_foreign_run(out, runs)
    check_result_folder(out, "assets/board.js", "earlier site")
