"""Formats: what ways of writing a table down do to scores, and one small table in each of them."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.errors import InputError
from ...tables import Table, serializers
from ...tables.serializers.base import PictureSerializer
from ..coverage import apart_lines, design_lines
from ..factors import change_tables, format_tables
from ..files import DataFile, PageFile, SiteFile
from ..study import Study
from ..text import slugs

SAMPLE = Table.flat(
    header=["Town", "Visitors", "Museums"],
    rows=[["Ely", "310", "4"], ["Wells", "125", "3"], ["Truro", "98", "2"]],
)


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and the pictures of the sample; nothing of a study of one configuration."""
    analysis = study.analysis
    if not analysis.varied:
        return
    samples, pictures = _samples(study)
    paths = {name: f"{study.paths.data}/sample-{each}.png" for name, each in slugs(pictures).items()}
    yield from (DataFile(paths[name], png) for name, png in pictures.items())
    yield PageFile(
        path=study.paths.formats,
        template="formats.html",
        title="Formats",
        current="formats",
        values={
            "formats": format_tables(study),
            "layouts": change_tables(study, analysis.perturbations),
            "designs": change_tables(study, analysis.designs),
            "modalities": change_tables(study, analysis.modalities),
            "at_design": tuple(design_lines(analysis)),
            "apart": tuple(apart_lines(study.cubes, study.short)),
            "samples": samples,
            "pictures": paths,
        },
    )


def _samples(study: Study) -> tuple[dict[str, str], dict[str, bytes]]:
    """The sample in each format of the study that is known here: texts, and pictures."""
    scores = study.source.scores
    names = scores["serializer"].dropna().unique() if "serializer" in scores else ()
    texts, pictures = dict[str, str](), dict[str, bytes]()
    for name in sorted(set(map(str, names)) & set(serializers.names())):
        try:
            serializer = serializers.get(name)
            if isinstance(serializer, PictureSerializer):
                pictures[name] = serializer.draw(SAMPLE)
            else:
                texts[name] = serializer.serialize(SAMPLE)
        except InputError:  # what draws is not installed, or a plugin's format does not take it
            continue
    return texts, pictures
