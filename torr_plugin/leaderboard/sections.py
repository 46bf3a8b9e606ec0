"""Sections that plugins add to a study's page: their data in a template of theirs, in a chart, or in both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import PluginError
from ..core.registry import Registry

if TYPE_CHECKING:
    from markupsafe import Markup

    from .rendering import Renderer
    from .source import PublishedSource


class Section(ABC):
    """A section of a study's page.

    ``name`` is its anchor, ``title`` its heading. ``template`` is Jinja text, or the path of a file with it.
    The values of :meth:`data` are available there by name, and are escaped; the template's own HTML stands on
    the page as it is. A section may have a template, a chart, or both.
    """

    name: str
    title: str
    template: str | Path | None = None

    @abstractmethod
    def data(self, analysis: Mapping[str, Any], study: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what the section shows.

        Args:
            analysis: the contents of ``analysis.json``; ``analysis.get("plugins", {})`` has the results of
                plugins' analyses, where the study was analysed with them.
            study: ``study.yaml`` of the run; empty for a scores file.

        Returns:
            Names and values for the template; None where this study has nothing to show.
        """

    def chart(self, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return a Vega-Lite specification with its data in it, drawn as a picture; None for no chart."""
        return None


sections: Registry[Section] = Registry("section")


@dataclass(frozen=True)
class ShownSection:
    """A section, ready for the page: ``html`` from its template and ``svg``, its chart, or None."""

    name: str
    title: str
    html: Markup | None
    svg: str | None


def shown_sections(
    source: PublishedSource, renderer: Renderer
) -> tuple[tuple[ShownSection, ...], tuple[str, ...]]:
    """Return the sections that have something to show, and a note for each that failed."""
    shown, notes = [], []
    for name in sections.names():
        try:
            with sections.blamed(name):
                found = _shown(sections.get(name), source, renderer)
        except PluginError as error:
            notes.append(f"{error}; it was left out")
            continue
        if found is not None:
            shown.append(found)
    return tuple(shown), tuple(notes)


def _shown(section: Section, source: PublishedSource, renderer: Renderer) -> ShownSection | None:
    from ..analysis.charts import to_svg  # the command line reads this module for its registry

    # copies: the figures are also published beside the page
    data = section.data(deepcopy(source.figures), deepcopy(source.study))
    if data is None:
        return None
    chart = section.chart(data)
    html = None if section.template is None else renderer.render_section(section.template, data)
    return ShownSection(section.name, str(section.title), html, None if chart is None else to_svg(chart))
