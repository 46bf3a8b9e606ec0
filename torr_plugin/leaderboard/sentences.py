"""The study's findings, as the analysis says them, each with where more of it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..analysis.figures.findings import Phrase

if TYPE_CHECKING:
    from .study import Study


@dataclass(frozen=True)
class Sentence:
    """A finding with its heading.

    Attributes:
        title: its heading.
        parts: of the sentence.
        path: of the page that says more, from the site's root.
        more: what is there.
    """

    title: str
    parts: tuple[Phrase, ...]
    path: str
    more: str

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(part.text for part in self.parts)


def study_findings(study: Study) -> tuple[Sentence, ...]:
    """What the study shows."""
    paths = study.paths
    best = study.models[0]
    tied = sum(group == 1 for group in study.tiers.values()) > 1
    links = {
        "models": (paths.compare, "Compare them") if tied else (paths.models[best], "More about it"),
        "formats": (f"{paths.formats}#formats", "All formats"),
        "layout changes": (f"{paths.formats}#layouts", "All layout changes"),
        "designs": (f"{paths.formats}#designs", "All designs"),
    }
    return tuple(
        Sentence(found.title, found.parts, *links[found.question]) for found in study.analysis.findings
    )
