"""The page on which a person reviews questions in a browser: one file, which loads nothing.

All that comes from tables and models is escaped, and a policy lets no other script run than the page's own.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from ..leaderboard.text import visible
from ..tables import Table, serializers

if TYPE_CHECKING:
    from .review import ReviewSheet

_FOLDER = Path(__file__).parent / "page_files"


def review_page(sheet: ReviewSheet) -> str:
    """The page: each question with its figure, its candidate, the alternatives, and a form for a verdict."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    used = {each.about for each in sheet.items}
    present = {each.group for each in sheet.items}
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return environment.get_template(
        "page.html"
    ).render(
        sheet=sheet,
        groups={name: title for name, title in sheet.groups.items() if name in present},
        figures={name: figure for name, figure in sheet.figures.items() if name in used},
        style=Markup(style),  # noqa: S704, the page's own
        script=Markup(script),  # noqa: S704, the page's own
        style_hash=_digest(style),
        script_hash=_digest(script),
        # where a browser keeps what was filled in and not saved yet: other questions have another place
        place=hashlib.sha256(sheet.content).hexdigest()[:16],
    )


def table_markup(table: Table) -> Markup:
    """A table as HTML, its texts escaped, without what cannot be seen."""
    html = serializers.get("html").serialize(table)
    return Markup(visible(html))  # noqa: S704, the serializer escapes all texts


def _digest(text: str) -> str:
    """The source by which a policy names an inline script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
