"""The classes that make card files artifacts of unitxt.

Importing this imports unitxt; :func:`.register` does. Each class has the fields that :mod:`.schema` gives its
namesake, and leaves the work to the same functions that read cards without unitxt; so both ways give the same
examples.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import json
import pkgutil
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import Any, Optional, TypeVar

from pydantic import BaseModel
from unitxt.artifact import Artifact
from unitxt.card import TaskCard
from unitxt.loaders import LazyLoader
from unitxt.metrics import MeanReduction, ReductionInstanceMetric, new_random_generator
from unitxt.operator import StreamOperator

from . import schema
from .example import Example
from .loading import available_splits, stream_rows
from .reading import read_rows
from .rows import Row
from .undisturbed import undisturbed
from .unitxt_intervals import intervals

_Model = TypeVar("_Model", bound=BaseModel)


class TableCard(TaskCard):  # type: ignore[misc]
    """unitxt's card with what the project adds; see :class:`torr_plugin.catalog.schema.CardFile`."""

    licence: str
    skills: dict[str, str]
    main_metric: str
    keeps_labels: list[str]
    notes: list[str] = []  # noqa: RUF012
    subsets: dict[str, Any] = {}  # noqa: RUF012
    demo_split: str
    test_split: str
    unitxt: dict[str, Any] = {}  # noqa: RUF012


class CardLoader(LazyLoader):  # type: ignore[misc]
    """The splits of a card's loader as streams of rows."""

    def get_splits(self) -> list[str]:
        """The splits that can be read here."""
        return available_splits(self._schema())

    def split_generator(self, split: str) -> Generator[dict[str, Any], None, None]:
        """The rows of a split, at most as many as unitxt's loader limit."""
        rows = stream_rows(self._schema(), split, self.get_pretty_print_name())
        yield from (dict(row) for row in islice(rows, self.get_limit()))

    def _schema(self) -> schema.LoadTables | schema.LoadGenerated:
        raise NotImplementedError


class LoadTables(CardLoader):
    """Rows from the mirror or the hub; see :class:`torr_plugin.catalog.schema.LoadTables`."""

    mirror: str
    hub: dict[str, Any]
    columns: list[str]
    instead: dict[str, str] = {}  # noqa: RUF012
    splits: dict[str, Any]
    where: dict[str, Any] = {}  # noqa: RUF012
    each: dict[str, str] = {}  # noqa: RUF012
    mix: Any = None

    def _schema(self) -> schema.LoadTables:
        return _as(schema.LoadTables, self)


class LoadGenerated(CardLoader):
    """Rows from a generator; see :class:`torr_plugin.catalog.schema.LoadGenerated`."""

    generator: str
    seed: int
    splits: dict[str, int]

    def _schema(self) -> schema.LoadGenerated:
        return _as(schema.LoadGenerated, self)


class ReadExample(StreamOperator):  # type: ignore[misc]
    """Rows as examples; see :class:`torr_plugin.catalog.schema.ReadExample`."""

    id: Any
    table: dict[str, Any]
    inputs: dict[str, Any] = {}  # noqa: RUF012
    constants: dict[str, Any] = {}  # noqa: RUF012
    references: list[Any]
    target: Any = None
    groups: dict[str, Any] = {}  # noqa: RUF012
    facts: dict[str, Any] = {}  # noqa: RUF012
    properties: dict[str, str] = {}  # noqa: RUF012
    carried_prompt: Any = None
    only: dict[str, str] = {}  # noqa: RUF012
    unless: dict[str, Any] = {}  # noqa: RUF012
    longer_than: dict[str, int] = {}  # noqa: RUF012
    max_cells: Optional[int] = None  # noqa: UP045
    structure: Any = None

    def process(
        self,
        stream: Iterable[Row],
        stream_name: Optional[str] = None,  # noqa: UP045
    ) -> Generator[dict[str, Any], None, None]:
        """An instance an example: its id, its inputs, its references."""
        policies: list[Any] = [None]
        rows = _noting_policy(stream, policies)
        step = _as(schema.ReadExample, self)
        for example in read_rows(step, rows, split=str(stream_name), card=self.get_pretty_print_name()):
            yield {**instance_of(example), "data_classification_policy": policies[0] or []}


def _noting_policy(stream: Iterable[Row], policies: list[Any]) -> Iterator[Row]:
    """The rows; who may see the one last taken is in ``policies``."""
    for row in stream:
        policies[0] = row.get("data_classification_policy")
        yield row


def instance_of(example: Example) -> dict[str, Any]:
    """An example as the fields of the tasks ``tasks.torr.*``."""
    return {
        "example": example.id,
        "table": example.table.to_unitxt(),
        **example.fields,
        "target": example.target,
        "reference": example.references[0],
        "references": list(example.references),
        "groups": dict(example.groups),
        "facts": dict(example.facts),
    }


class TorrMetric(ReductionInstanceMetric[str, dict[str, float]]):  # type: ignore[misc]
    """A metric of the project or of a plugin, by its name; unitxt averages its scores and adds intervals."""

    name: str
    main_score: str
    reduction = MeanReduction()

    def map(
        self,
        prediction: str,
        references: list[str],
        task_data: dict[str, Any],
    ) -> dict[str, float]:
        """The scores of one answer."""
        rate = pkgutil.resolve_name("torr_plugin.scoring.metrics:rate")
        metric = scoring_metrics().get(self.name)
        with undisturbed():  # a metric may import what seeds the global generator, as spaCy does
            scores: dict[str, float] = rate(metric, prediction, references, task_data.get("facts") or {})
        return scores

    def bootstrap(self, data: list[dict[str, float]], score_names: list[str]) -> dict[str, float]:
        """The intervals of unitxt, the same numbers sooner."""
        return intervals(
            data,
            self.ci_score_names or score_names,
            new_random_generator(),
            resamples=self.n_resamples,
            level=self.confidence_level,
            method=self.ci_method,
        )


def scoring_metrics() -> Any:
    """The registry of metrics."""
    # unitxt calls up into a later stage here, so the stage is found by name, when a score is wanted
    return pkgutil.resolve_name("torr_plugin.scoring:metrics")


def _as(model: type[_Model], artifact: Artifact) -> _Model:
    """The artifact as the value that the rest of the package works with."""
    return model.model_validate_json(json.dumps({"__type__": artifact.__type__, **artifact._init_dict}))
