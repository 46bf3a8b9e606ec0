"""Method and data: whether to rely on it, definitions, downloads, how to cite, add a model, run it again."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.redaction import without_homes
from ..citation import citations, commands_again
from ..downloads import offers
from ..facts import dataset_facts, model_facts, other_facts
from ..files import DataFile, PageFile, SiteFile
from ..standings import FIGURES, torr_rows
from ..study import Study
from ..trust import reliability, trust_lines


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what it offers."""
    found = list(offers(study))
    recipe = next((offer.content.decode() for offer in found if offer.name == "recipe.yaml"), None)
    yield from (DataFile(f"{study.paths.data}/{offer.name}", offer.content) for offer in found)
    notes = (*study.analysis.notes, *study.source.notes, *study.section_notes)
    trusted = " ".join(trust_lines(study))
    yield PageFile(
        path=study.paths.method,
        template="method.html",
        title="Method and data",
        current="method",
        values={
            "trusted": trusted,
            "reliability": reliability(study),
            "offers": [(offer.name, offer.about, offer.size) for offer in found],
            "notes": [without_homes(note) for note in notes],
            "datasets": dataset_facts(study.source),
            "models": model_facts(study.source),
            "facts": other_facts(study.source),
            "torr": torr_rows(study.analysis),
            "torr_figures": FIGURES,
            "recipe": recipe,
            "again": commands_again(study),
            "unanswered": [each for each in study.source.failures if each.failed or each.unanswered],
            "citations": citations(study),
        },
        description=f"{study.title}: {trusted}",
    )
