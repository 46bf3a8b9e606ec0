"""Tables like mine: the models on tables of the kind that a reader has, over all data sets."""

from __future__ import annotations

from collections.abc import Iterator

from ...analysis.figures.table_kinds import (
    DATASET,
    LEAST_EXAMPLES,
    MOST_KINDS,
    MOST_TOGETHER,
    KindOfTable,
    TableKinds,
)
from ...core.errors import counted
from ..checking.provenance import FEWEST_EXAMPLES
from ..files import PageFile, SiteFile, packed_script
from ..kinds import facet_tables, mean_cell
from ..study import Study
from ..text import slugs
from ..views import View, ViewCell, as_data, whisker

_UNIT = (0.0, 1.0)


def files(study: Study) -> Iterator[SiteFile]:
    """The page and what it loads when a reader chooses; none where nothing is known of tables."""
    found = study.analysis.table_kinds
    if found is None:
        return
    path = f"{study.paths.scripts}/tables.js"
    every = found.kinds[0]
    yield packed_script(
        path, {_place(found, kind): as_data(kind_view(study, kind, every)) for kind in found.kinds}
    )
    yield PageFile(
        path=study.paths.tables,
        template="tables.html",
        title="Tables like mine",
        current="tables",
        values={
            "found": found,
            "facets": _facets(found),
            "states": slugs(found.facets, **{DATASET: "dataset"}),
            "left_out": _left_out(found),
            "data": path,
            "every": kind_view(study, every, every),
            "facet_tables": facet_tables(
                found,
                {
                    model: ViewCell(study.short[model], href=study.paths.models[model])
                    for model in study.models
                },
            ),
            "least_examples": LEAST_EXAMPLES,
            "kinds_cut": len(found.kinds) > MOST_KINDS,
            "most_together": min(MOST_TOGETHER, len(found.facets)),
        },
        scripts=("views.js", "tables_like_mine.js"),
    )


def kind_view(study: Study, kind: KindOfTable, every: KindOfTable) -> View:
    """The models on one kind of table, best first, beside their means over all."""
    beside, such = [every] if kind.of else [], "Such tables" if kind.of else "All examples"
    rows = tuple(
        (
            ViewCell(study.short[model], href=study.paths.models[model]),
            mean_cell(kind.models[model], whisker(kind.models[model], _UNIT)),
            *(mean_cell(each.models[model]) for each in beside),
        )
        for model in sorted(study.models, key=lambda model: -(kind.models[model].value or 0.0))
    )
    of = f" of {counted(kind.datasets, 'data set')}" if len(study.datasets) > 1 else ""
    line = f"{such}: {counted(kind.examples, 'example')} about {counted(kind.tables, 'table')}{of}."
    head = ("Model", "On such tables", "On all tables") if kind.of else ("Model", "Mean score")
    few = f"Fewer than {FEWEST_EXAMPLES} examples: intervals are too short, and differences may be chance."
    return View(head, rows, (line, few) if kind.examples < FEWEST_EXAMPLES else (line,))


def _facets(found: TableKinds) -> dict[str, list[str]]:
    """What can be chosen, the data set last: a reader's own tables are of none."""
    return dict(sorted(found.facets.items(), key=lambda each: each[0] == DATASET))


def _left_out(found: TableKinds) -> str:
    """What neither the choices nor the tables have, as a mean over so few examples says next to nothing."""
    by = [f"{count:,} by {name}" for name, count in found.left_out.items()]
    return f"Kinds with fewer than {LEAST_EXAMPLES} examples are left out: {', '.join(by)}." if by else ""


def _place(found: TableKinds, kind: KindOfTable) -> str:
    """Which option of each choice it is: 0 for any."""
    return ",".join(
        str(values.index(kind.of[name]) + 1 if name in kind.of else 0)
        for name, values in _facets(found).items()
    )
