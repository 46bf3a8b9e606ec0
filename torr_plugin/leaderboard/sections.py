"""Sections that others add to a study's page: data of theirs in a template of theirs, or in a chart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import PluginError, blamed
from ..tables import Registry
from .added_html import added_html
from .source import StudySource

if TYPE_CHECKING:
    from markupsafe import Markup

    from .rendering import Renderer

MOST = 2_000_000
"""Characters of HTML or of a picture that one section may have."""


class Section(ABC):
    """A section of a study's page.

    ``name`` is its anchor, ``title`` its heading. ``template`` is Jinja text, or the path of a file of it;
    what :meth:`data` gives is there by its names, and everything is escaped. Elements have to
    be closed; script, styles and ids are not for sections. A section may have a template, a chart, or both.
    """

    name: str
    title: str
    template: str | Path | None = None

    @abstractmethod
    def data(self, analysis: Mapping[str, Any], study: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What the section shows.

        Args:
            analysis: the contents of ``analysis.json``; ``analysis.get("plugins", {})`` has what added
                analyses found, where the study was analysed with them.
            study: ``study.yaml`` of the run; empty for a scores file.

        Returns:
            Names and values for the template; None where there is nothing to show of this study.
        """

    def chart(self, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """A Vega-Lite specification with its data in it, drawn as a picture; None for none."""
        return None


sections: Registry[Section] = Registry("section")


@dataclass(frozen=True)
class ShownSection:
    """A section, ready for the page: ``html`` is safe, ``svg`` a picture, or None."""

    name: str
    title: str
    html: Markup | None
    svg: str | None


def shown_sections(
    source: StudySource, renderer: Renderer
) -> tuple[tuple[ShownSection, ...], tuple[str, ...]]:
    """The sections that have something to show, and a note for each that failed."""
    shown, notes = [], []
    for name in sections.names():
        try:
            with blamed("section", name, sections.origin(name)):
                found = _shown(sections.get(name), source, renderer)
        except PluginError as error:
            notes.append(f"{error}; it was left out")
            continue
        if found is not None:
            shown.append(found)
    return tuple(shown), tuple(notes)


def _shown(section: Section, source: StudySource, renderer: Renderer) -> ShownSection | None:
    from ..analysis.charts import to_svg

    # copies: what a section does to them is not to be published beside the page
    data = section.data(deepcopy(source.figures), deepcopy(source.study))
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise TypeError(f"its data are {type(data).__name__}, expected a mapping of names to values")
    chart = section.chart(data)
    html = None if section.template is None else renderer.render_added(section.template, data)
    svg = None if chart is None else to_svg(chart)
    if html is None and svg is None:
        raise TypeError("it has neither a template nor a chart, expected at least one")
    if max(len(html or ""), len(svg or "")) > MOST:
        raise ValueError(f"it has more than {MOST:,} characters")
    return ShownSection(section.name, str(section.title), None if html is None else added_html(html), svg)
