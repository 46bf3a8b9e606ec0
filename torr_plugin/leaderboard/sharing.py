"""What a reader takes along from a page: its address, how to cite the study, snippets that show it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import escape

from ..core.errors import counted
from .chart_files import SHARE_SIZE
from .citation import Citation, site_citation, study_citation
from .coverage import not_asked
from .files import PageFile
from .study import Study
from .text import visible
from .theming import SiteText

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
        picture: a snippet with the share image, linked to the page; "" where there is none.
        frame: a snippet with the page itself.
    """

    title: str
    description: str
    address: str
    image: str
    trust: str
    cited: Citation
    picture: str
    frame: str


def shared(study: Study | None, page: PageFile, site: SiteText) -> Shared:
    """What a page is shared as: of a study, or, without one, the list of the site's studies."""
    base = site.address or UNKNOWN_SITE
    address = base + page.path
    image = base + study.share_image if study and study.share_image else ""
    if study is None:
        title = site.title or page.title
        cited = site_citation(title, page.values["studies"], site.address)
        description, trust = site.lead or _LEAD, _ON_ITS_PAGES
    else:
        own = page.current == "overview" or page.title == study.title
        title = study.title if own else f"{page.title} \N{EN DASH} {study.title}"
        cited = study_citation(study, site.address and site.address + study.paths.overview)
        description, trust = page.description or what_it_is(study), _trust(study)
    return Shared(
        title=title,
        description=description,
        address=address,
        image=image,
        trust=trust,
        cited=cited,
        picture=_picture(title, address, image) if image else "",
        frame=_frame(title, address),
    )


_LEAD = (
    "How well language models read tables, how much that depends on how a table is written down, and which "
    "differences are real."
)
_ON_ITS_PAGES = "Each study says what it claims, and how likely it is that any of that is due to chance."


def _trust(study: Study) -> str:
    """Which scores are missing or were not asked, and how often a verdict may be wrong."""
    holes = study.analysis.holes
    left_out = not_asked(study.analysis) if holes.not_asked else ""
    asked_for = " that were asked for" if left_out else ""
    scores = (
        f"All {holes.expected:,} scores{asked_for} are there"
        if holes.complete
        else f"{holes.missing:,} of {holes.expected:,} scores{asked_for} are missing"
    )
    said = f"{scores}{'; ' if left_out else ''}{left_out}."
    return f"{said} {study.error_rule}" if len(study.models) > 1 or study.analysis.varied else said


def what_it_is(study: Study) -> str:
    """What a study asked, in a sentence."""
    models = counted(len(study.models), "model")
    datasets = counted(len(study.datasets), "data set")
    ways = counted(study.configurations, "way to write a table down", "ways to write a table down")
    return f"{study.title}: how well {models} read tables, on {datasets} and in {ways}."


def _picture(title: str, address: str, image: str) -> str:
    width, height = SHARE_SIZE
    return (
        f'<a href="{_text(address)}"><img src="{_text(image)}" alt="{_text(title)}" '
        f'width="{width}" height="{height}"></a>'
    )


def _frame(title: str, address: str) -> str:
    return (
        f'<iframe src="{_text(address)}" title="{_text(title)}" '
        'width="100%" height="720" loading="lazy"></iframe>'
    )


def _text(value: str) -> str:
    """Text for an attribute, on one line."""
    return str(escape(" ".join(str(visible(value)).split())))
