"""Builds the site: a page a study, what it rests on beside it, and a list where there are several studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RunError

if TYPE_CHECKING:
    from .page import Page


def build_site(runs: Sequence[Path | str], out: Path | str) -> Path:
    """Turn runs, or scores files, into a static site that needs no network.

    One run becomes ``index.html``; of several each has a page, and ``index.html`` lists them. Beside the
    pages lie ``assets/`` and, in ``data/<study>/``, analysis.json, its tables as CSV, and the recipe. Files
    of an earlier site in the same place are replaced, others left alone.

    Args:
        runs: run directories or scores files (Parquet, CSV, JSON lines).
        out: the site's folder, which is made.

    Returns:
        The path of ``index.html``.

    Raises:
        RunError: no run is given, a directory is not a run or damaged, or the site cannot be written.
        AnalysisError: a scores file cannot be read or analysed.
    """
    out = Path(out)
    pages = _pages([Path(run) for run in runs])
    from .rendering import Renderer
    from .writing import make_folder, write_file

    renderer = Renderer()
    make_folder(out / "assets")
    for asset in renderer.assets():
        write_file(out / "assets" / asset.name, asset.read_bytes())
    for page in pages:
        _write_data(page, out / "data" / page.slug)
        _write_pictures(page, out / "data" / page.slug)
        name = "index.html" if len(pages) == 1 else f"{page.slug}.html"
        write_file(out / name, renderer.render("study.html", page=page))
    if len(pages) > 1:
        write_file(out / "index.html", renderer.render("index.html", pages=pages))
    return out / "index.html"


def _pages(runs: Sequence[Path]) -> list[Page]:
    from .page import page
    from .source import open_source
    from .text import slug

    if not runs:
        raise RunError("no run to publish; expected run directories or scores files")
    pages: list[Page] = []
    for run in runs:
        source = open_source(run)
        name = slug(source.name, {"index", *(before.slug for before in pages)})
        pages.append(page(source, name, home="index.html" if len(runs) > 1 else None))
    return pages


def _write_data(page: Page, folder: Path) -> None:
    from ..analysis import write_tables
    from .writing import make_folder, write_file

    make_folder(folder)
    try:
        write_tables(page.source.figures, folder)
    except OSError as error:
        raise RunError(f"{folder}: the site cannot be written: {error.strerror or error}") from error
    if page.recipe is not None:
        write_file(folder / "recipe.yaml", page.recipe)


def _write_pictures(page: Page, folder: Path) -> None:
    from .writing import write_file

    for sample in page.source.samples:
        for _, _, pictures in sample.messages:
            for picture in pictures:
                write_file(folder / picture.name, picture.png)
