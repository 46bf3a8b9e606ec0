"""Makes a site's files: each study's pages and what they rest on, and a list of several studies."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from ..core.errors import RunError
from ..core.redaction import without_homes
from ..recipes import read_models
from ..running.store.joining import refuse_repeats
from .files import DataFile, SiteFile, root_of, write_file
from .pages import (
    compare,
    dataset,
    examples,
    formats,
    method,
    model,
    overview,
    ratings,
)
from .pages.overview import list_of_studies
from .rendering import Renderer
from .sections import shown_sections
from .sharing import SHARE_IMAGE, share_picture, share_png
from .site import Progress
from .source import open_joined, study_groups
from .study import ROOM, Study, study_of, with_unique_titles
from .theming import SiteText, Theme, theme_files

OF_BATTLES = frozenset({"battles.css", "battles.js"})
"""Assets that a site without battles does without."""

FILES_AT_ONCE = 8
"""That are rendered and written while further ones are made."""

_log = logging.getLogger(__name__)

PAGES = (
    examples,
    compare,
    ratings,
    method,
    model,
    dataset,
    formats,
    overview,
)


def make_files(
    runs: Sequence[Path],
    out: Path,
    *,
    theme: Theme,
    charts: bool,
    models: Path | str | None,
    words: SiteText,
    progress: Progress,
) -> None:
    """Make all files of a site.

    Arguments, and what is raised, are those of :func:`.site.build_site`.
    """
    with ExitStack() as opened:
        studies = _studies(runs, models, words, opened)
        renderer = Renderer(theme, words)
        _write_assets(studies, renderer, theme, out)
        shown = [_with_share_image(study, renderer, out) if charts else study for study in studies]
        shown = [_with_sections(study, renderer) for study in shown]
        _write_studies(shown, renderer, out, progress)
        if len(shown) > 1:
            _write([list_of_studies(shown)], renderer, out)


def _with_share_image(study: Study, renderer: Renderer, out: Path) -> Study:
    picture = share_picture(study)
    if picture is None:
        return study
    path = f"{study.paths.data}/{SHARE_IMAGE}"
    _write([DataFile(path, share_png(picture))], renderer, out)
    return study.having(share_image=path)


def _write_assets(studies: Sequence[Study], renderer: Renderer, chosen: Theme, out: Path) -> None:
    unused = OF_BATTLES if all(study.source.battles is None for study in studies) else ()
    assets = (
        DataFile(f"assets/{asset.name}", asset.read_bytes())
        for asset in renderer.assets()
        if asset.name not in unused
    )
    _write([*assets, *theme_files(chosen)], renderer, out)


def _studies(
    runs: Sequence[Path], models: Path | str | None, words: SiteText, opened: ExitStack
) -> list[Study]:
    if not runs:
        raise RunError("no run to publish; expected run directories or scores files")
    refuse_repeats(runs)
    descriptions = read_models(models) if models else {}
    groups = study_groups(runs, words.title_of)
    found: list[Study] = []
    for group in groups:
        source = opened.enter_context(open_joined(group, descriptions))
        study = study_of(source, {study.slug for study in found}, alone=len(groups) == 1)
        found.append(
            study.having(
                title=words.title_of(group[0]) or study.title,
                description=words.description_of(group[0]) or study.description,
            )
        )
    return list(with_unique_titles(found))


def _with_sections(study: Study, renderer: Renderer) -> Study:
    """The study with what plugins add to it."""
    shown, notes = shown_sections(study.source, renderer)
    for note in notes:
        _log.warning("%s", note)
    return study.having(sections=shown, section_notes=tuple(map(without_homes, notes)))


def _smallest_first(studies: Sequence[Study]) -> list[Study]:
    return sorted(studies, key=lambda study: len(study.source.scores))


def _write_studies(studies: Sequence[Study], renderer: Renderer, out: Path, progress: Progress) -> None:
    """Each study's files, small studies first: what they leave of the site's budget, others may take."""
    left, made, total = ROOM, 0, sum(map(_steps, studies))

    def followed(files: Iterable[SiteFile]) -> Iterator[SiteFile]:
        nonlocal made
        for file in files:
            yield file
            made += file.examples if isinstance(file, DataFile) else 1
            progress(min(made, total), total)

    ordered = _smallest_first(studies)
    for done, study in enumerate(ordered):
        roomy = study.having(room=max(0, left) // (len(ordered) - done))
        files = chain.from_iterable(page.files(roomy) for page in PAGES)
        left -= _write(followed(files), renderer, out, roomy)


def _steps(study: Study) -> int:
    """About how many pages and examples it has."""
    examples = sum(study.analysis.settings.examples.values())
    return examples + len(study.models) + len(study.datasets) + len(PAGES)


def _write(files: Iterable[SiteFile], renderer: Renderer, out: Path, study: Study | None = None) -> int:
    """Render pages and write all files, several at once because disks take time.

    Returns:
        The bytes of the files that needed no rendering.
    """

    def write(file: SiteFile) -> int:
        if isinstance(file, DataFile):
            write_file(out / file.path, file.content)
            return len(file.content)
        values = {"study": study, "page": file, "root": root_of(file.path), **file.values}
        write_file(out / file.path, renderer.render(file.template, **values))
        return 0

    written = 0
    unfinished: set[Future[int]] = set()
    with ThreadPoolExecutor(FILES_AT_ONCE) as pool:
        for file in files:
            unfinished.add(pool.submit(write, file))
            if len(unfinished) > FILES_AT_ONCE:
                done, unfinished = wait(unfinished, return_when=FIRST_COMPLETED)
                written += sum(each.result() for each in done)
        return written + sum(each.result() for each in unfinished)
