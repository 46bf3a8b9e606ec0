"""What a reader takes along from a page: its address, how to cite the study, the image of links to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..analysis.charts import to_png, to_svg
from ..analysis.charts.labels import NoChart
from ..analysis.charts.render import chart_context
from ..analysis.charts.vega import Spec
from ..analysis.figures.model_scores import MODEL_SCORES
from ..analysis.figures.performance_robustness import PictureSize, model_picture
from ..core.errors import counted
from .citation import Citation, site_citation, study_citation
from .files import PageFile
from .study import Study
from .text import visible
from .theming import SiteText
from .trust import trust

SHARE_IMAGE = "share.png"
"""Among a study's downloads."""

_SHARE_SIZE = (1200, 630)  # pixels: what services that show links ask for
_DOUBLE = 2  # pixels of the share image, for one of the drawing
_EDGE = 18

UNKNOWN_SITE = "https://YOUR-SITE/"
"""Stands for a site's address that is not known, so that nobody takes a path for one."""


@dataclass(frozen=True)
class Shared:
    """What is said of a page to those who see it elsewhere; texts are not escaped.

    Attributes:
        title: of the page.
        description: one sentence.
        address: of the page; below ``UNKNOWN_SITE`` where the site's address is not known.
        image: of the share image, likewise; "" where there is none.
        trust: what may be relied on, in two sentences.
        cited: the study, or the site.
    """

    title: str
    description: str
    address: str
    image: str
    trust: str
    cited: Citation


def shared(study: Study | None, page: PageFile, site: SiteText) -> Shared:
    """What a page is shared as: of a study, or, without one, the list of the site's studies."""
    base = site.address or UNKNOWN_SITE
    address = base + page.path
    image = base + study.share_image if study and study.share_image else ""
    if study is None:
        title = site.title or page.title
        cited = site_citation(title, page.values["studies"], site.address)
        description, relied = site.lead or _LEAD, _ON_ITS_PAGES
    else:
        own = page.current == "overview" or page.title == study.title
        title = study.title if own else f"{page.title} \N{EN DASH} {study.title}"
        cited = study_citation(study, site.address and site.address + study.paths.overview)
        description, relied = page.description or what_it_is(study), trust(study)
    return Shared(
        title=title,
        description=description,
        address=address,
        image=image,
        trust=relied,
        cited=cited,
    )


_LEAD = (
    "How well language models read tables, how much that depends on how a table is written down, and which "
    "differences are real."
)
_ON_ITS_PAGES = "Each study says what it claims, and how likely it is that any of that is due to chance."


def what_it_is(study: Study) -> str:
    """What a study asked, in a sentence."""
    models = counted(len(study.models), "model")
    datasets = counted(len(study.datasets), "data set")
    ways = counted(study.configurations, "way to write a table down", "ways to write a table down")
    return f"{study.title}: how well {models} read tables, on {datasets} and in {ways}."


def share_picture(study: Study) -> Spec | None:
    """Performance against robustness under the study's name; None of one configuration."""
    if not study.analysis.varied:
        return None
    results = study.analysis.results
    context = chart_context(results, study.tiers)
    try:
        spec = model_picture(results[MODEL_SCORES], context, PictureSize(520, 175))
    except NoChart:
        return None
    subtitle = [context.basis, *spec["title"]["subtitle"][2:]]
    title = {"text": str(visible(study.title))[:60], "subtitle": subtitle, "fontSize": 19}
    return {**spec, "title": {**spec["title"], **title}}


def share_png(specification: Mapping[str, Any]) -> bytes:
    """A chart as the image of links to a study."""
    return to_png(_on_canvas(to_svg(specification)))


def _on_canvas(svg: str) -> str:
    """A drawing in the middle of the share image."""
    width, height = (side / _DOUBLE for side in _SHARE_SIZE)
    found = re.search(r'width="([0-9.]+)" height="([0-9.]+)" viewBox="([^"]+)"', svg)
    if found is None:
        return svg
    scale = min((width - 2 * _EDGE) / float(found[1]), (height - _EDGE) / float(found[2]))
    wide, tall = scale * float(found[1]), scale * float(found[2])
    x, y = (width - wide) / 2, (height - tall) / 2
    placed = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" viewBox="{found[3]}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}">'
        f'<rect width="100%" height="100%" fill="white"/>{svg.replace(found[0], placed, 1)}</svg>'
    )
