"""The templates, with everything that comes from data escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from markupsafe import Markup

from .. import __version__
from ..analysis import format_dollars, format_percent
from ..core.versions import shipped_folder
from .files import embedded, packed_script
from .navigation import navigation
from .sharing import UNKNOWN_SITE, shared
from .text import breakable, named, page_templates, sentence
from .theming import SiteText, Theme
from .views import place


class Renderer:
    """Renders the templates in ``leaderboard/templates``.

    What a team says of its site (:class:`.theming.SiteText`) is ``site`` in all of them; ``drawn(chart)`` is
    a chart as SVG.
    """

    def __init__(self, theme: Theme | None = None, words: SiteText | None = None) -> None:
        self._folder = shipped_folder("leaderboard")
        today = datetime.now(timezone.utc)
        self._templates = page_templates(self._folder / "templates")
        self._templates.filters.update(
            at=place,
            breakable=breakable,
            dollars=format_dollars,
            embedded=embedded,
            named=named,
            packed=_packed,
            percent=format_percent,
            sentence=sentence,
        )
        self._templates.globals.update(
            version=__version__,
            today=f"{today.day} {today:%b %Y}",
            navigation=navigation,
            shared=shared,
            unknown_site=UNKNOWN_SITE,
            themed=bool(theme and theme.css),
            logo=bool(theme and theme.logo),
            site=words or SiteText(),
        )

    def render_section(self, template: str | Path, values: Mapping[str, Any]) -> Markup:
        """A part of a page in a plugin's own template, text or file; values are escaped as on every page."""
        text = template.read_text(encoding="utf-8") if isinstance(template, Path) else template
        return Markup(self._templates.from_string(text).render(**values))  # noqa: S704, a plugin's own HTML

    def assets(self) -> Sequence[Path]:
        """Style and script, to be copied."""
        return sorted(path for path in (self._folder / "assets").iterdir() if path.is_file())

    def render(self, template: str, **values: Any) -> str:
        """A page as text."""
        return self._templates.get_template(template).render(**values)


def _packed(value: Any, path: str) -> Markup:
    """A value as the text of a script that pages load, which has no character of HTML."""
    return Markup(packed_script(path, value).content)  # noqa: S704
