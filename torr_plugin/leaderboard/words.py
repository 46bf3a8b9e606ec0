"""What a team says of its site, beside what runs say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class SiteText:
    """Plain texts, each "" where nothing is said; templates see them as ``site``.

    Attributes:
        title: of the site, above the list of several studies, or in the header of one.
        lead: a sentence or two below it.
        contact: whom to write to.
        citation: how the site wants to be cited.
        studies: run directory or scores file -> title of its study.
    """

    title: str = ""
    lead: str = ""
    contact: str = ""
    citation: str = ""
    studies: Mapping[Path, str] = field(default_factory=dict)

    def title_of(self, run: Path) -> str:
        """The title said of a run, by whatever path it is named; "" where none is."""
        wanted = run.resolve()
        return next((title for path, title in self.studies.items() if path.resolve() == wanted), "")
