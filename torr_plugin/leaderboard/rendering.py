"""The templates, with everything that comes from data escaped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..shipped import folder
from .figures import WIDTH
from .heat import STRIP_WIDTH
from .text import breakable, sentence, visible


class Renderer:
    """Renders the templates in ``leaderboard/templates``."""

    def __init__(self) -> None:
        import jinja2

        from .. import __version__

        self._folder = folder("leaderboard")
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self._folder / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=visible,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters.update(breakable=breakable, sentence=sentence)
        self._templates.globals.update(version=__version__, whisker_width=WIDTH, strip_width=STRIP_WIDTH)

    def assets(self) -> Sequence[Path]:
        """Style and script, to be copied."""
        return sorted(path for path in (self._folder / "assets").iterdir() if path.is_file())

    def render(self, template: str, **values: Any) -> str:
        """A page as text."""
        return self._templates.get_template(template).render(**values)
