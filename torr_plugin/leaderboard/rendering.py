"""The templates, with everything that comes from data escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from functools import partial
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from typing import Any

import jinja2
from jinja2 import BaseLoader, ChoiceLoader, FileSystemBytecodeCache, FileSystemLoader, PrefixLoader
from jinja2.bccache import Bucket
from markupsafe import Markup

from .. import __version__
from ..analysis import format_dollars
from ..analysis.charts import to_svg
from ..analysis.limits import NEARLY, UNMOVED
from ..core.errors import RunError
from ..core.versions import shipped_folder, user_cache
from .charts.inline import Draw, chart_svg
from .files import embedded, packed_script
from .navigation import navigation
from .sharing import UNKNOWN_SITE, shared
from .text import breakable, named, sentence, visible
from .theming import SiteText, Theme
from .views import WIDTH, place, two_digits


class Renderer:
    """Renders the templates in ``leaderboard/templates``, or a theme's in their place.

    A theme's template finds the one that it replaces as ``bundled/NAME``. What a team says of its site
    (:class:`.theming.SiteText`) is ``site`` in all of them; ``drawn(chart)`` is a chart as SVG, made by
    ``draw``, in this process by default.
    """

    def __init__(
        self, theme: Theme | None = None, words: SiteText | None = None, draw: Draw = to_svg
    ) -> None:
        self._folder = shipped_folder("leaderboard")
        today = datetime.now(timezone.utc)
        self._theirs = theme.templates if theme else None
        self._templates = jinja2.Environment(
            loader=_loader(self._folder / "templates", self._theirs),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=visible,
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=_CompiledTemplates(),
        )
        self._templates.filters.update(
            at=place,
            breakable=breakable,
            dollars=format_dollars,
            embedded=embedded,
            named=named,
            packed=_packed,
            sentence=sentence,
            two_digits=two_digits,
        )
        self._templates.globals.update(
            version=__version__,
            today=f"{today.day} {today:%b %Y}",
            whisker_width=WIDTH,
            nearly=NEARLY,
            unmoved=UNMOVED,
            navigation=navigation,
            shared=shared,
            unknown_site=UNKNOWN_SITE,
            themed=bool(theme and theme.css),
            logo=bool(theme and theme.logo),
            site=words or SiteText(),
            drawn=partial(chart_svg, draw=draw),
        )

    def render_section(self, template: str | Path, values: Mapping[str, Any]) -> Markup:
        """A part of a page in a plugin's own template, text or file; values are escaped as on every page."""
        text = template.read_text(encoding="utf-8") if isinstance(template, Path) else template
        return Markup(self._templates.from_string(text).render(**values))  # noqa: S704, a plugin's own HTML

    def assets(self) -> Sequence[Path]:
        """Style and script, to be copied."""
        return sorted(path for path in (self._folder / "assets").iterdir() if path.is_file())

    def render(self, template: str, **values: Any) -> str:
        """A page as text.

        Raises:
            RunError: a theme's template went wrong.
        """
        try:
            return self._templates.get_template(template).render(**values)
        except Exception as error:
            place = _place_in(self._theirs, error) if self._theirs else None
            if place is None:
                raise
            reason = " ".join(str(error).split())[:200]
            raise RunError(f"{place}: theme: {type(error).__name__}: {reason}") from error


def _packed(value: Any, path: str) -> Markup:
    """A value as the text of a script that pages load, which has no character of HTML."""
    return Markup(packed_script(path, value).content)  # noqa: S704


def _place_in(folder: Path, error: Exception) -> str | None:
    """File and line of a folder's template that an error came from; None where it came from none of them."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(folder):
            return f"{frame.filename}: line {frame.lineno}"
    return None


class _CompiledTemplates(FileSystemBytecodeCache):
    """Templates that were compiled for earlier sites, in the user's cache folder.

    One that cannot be read, or kept, is compiled again.
    """

    def __init__(self) -> None:
        # what this module sets is compiled into them, and Jinja does not look whether it has changed
        settings = sha256(Path(__file__).read_bytes() + jinja2.__version__.encode()).hexdigest()[:24]
        super().__init__(str(user_cache() / "templates"), f"{settings}-%s")

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # whatever a damaged file makes of itself
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def _loader(ours: Path, theirs: Path | None) -> BaseLoader:
    bundled = FileSystemLoader(ours)
    first = [FileSystemLoader(theirs)] if theirs else []
    return ChoiceLoader([*first, bundled, PrefixLoader({"bundled": bundled})])
