"""The classes that make card files and metrics artifacts of unitxt. Importing this imports unitxt.

Each class of a card takes its fields from the namesake in :mod:`torr_plugin.catalog.schema`, and leaves the
work to the same functions that read cards without unitxt; so both ways give the same examples.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import json
import math
from collections.abc import Generator, Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from typing import Any, Optional, TypeVar

from pydantic import BaseModel
from unitxt.artifact import Artifact
from unitxt.card import TaskCard
from unitxt.dataclass import InternalField
from unitxt.loaders import LazyLoader
from unitxt.metrics import MeanReduction, ReductionInstanceMetric
from unitxt.operator import StreamOperator
from unitxt.operators import FieldOperator
from unitxt.task import Task

from ...catalog import preserved_global_state, schema
from ...catalog.examples import instance_of, read_rows
from ...catalog.loading import Row, available_splits, stream_rows
from ...scoring.example_scores import rate
from ...scoring.metrics import metrics
from ...scoring.processors import processors

_Model = TypeVar("_Model", bound=BaseModel)
_RATED = set[str]()
"""The metrics that have rated an answer in this process."""


def _fields(base: type[Artifact], model: type[BaseModel]) -> Any:
    """A subclass with the fields that a card's file has there, but for those that unitxt's class has."""
    fields = {
        name: field
        for name, field in model.model_fields.items()
        if name not in base.__fields__ and not str(field.alias).startswith("__")
    }
    given = {
        name: field.get_default(call_default_factory=True)
        for name, field in fields.items()
        if not field.is_required()
    }
    name = f"{model.__name__}Fields"
    types = dict.fromkeys(fields, Any)
    body = {"__module__": __name__, "__qualname__": name, "__annotations__": types, **given}
    make: Any = type(base)  # unitxt's metaclass
    return make(name, (base,), body)


class TableCard(_fields(TaskCard, schema.CardFile)):  # type: ignore[misc]
    """unitxt's card with what the project adds."""

    def prepare(self) -> None:
        """Tell the loader whose it is, for the split that nobody can do without and for messages."""
        super().prepare()
        if isinstance(self.loader, CardLoader):
            self.loader.card = self


class CardTask(Task):  # type: ignore[misc]
    """A task whose instances also have the fields of one of unitxt's own tasks, so that its templates fit.

    ``standard_fields``: unitxt's name -> ours; what is the same in all instances is among the ``defaults``.
    """

    standard_fields: dict[str, str] = {}  # noqa: RUF012

    def process(
        self,
        instance: dict[str, Any],
        stream_name: Optional[str] = None,  # noqa: UP045
    ) -> Any:
        """The instance of the task, as unitxt makes it."""
        named = {theirs: instance[ours] for theirs, ours in self.standard_fields.items() if ours in instance}
        return super().process({**instance, **named}, stream_name)


class CardLoader(LazyLoader):  # type: ignore[misc]
    """The splits of a card's loader as streams of rows."""

    _rows_of = BaseModel
    card: Any = InternalField(default=None)

    def get_splits(self) -> list[str]:
        """The splits that can be read here, and the one to ask about: an error says where it is missing."""
        loader = self._schema()
        needed = {self.card.test_split} if self.card else set[str]()
        wanted = needed.union(available_splits(loader))
        return [split for split in loader.splits if split in wanted]

    def split_generator(self, split: str) -> Generator[dict[str, Any], None, None]:
        """The rows of a split, at most as many as unitxt's loader limit."""
        name = self.card.__id__ if self.card else None
        card = name.replace("cards.torr.", "cards.") if name else self.get_pretty_print_name()
        rows = stream_rows(self._schema(), split, card)
        yield from (dict(row) for row in islice(rows, self.get_limit()))

    def _schema(self) -> Any:
        return _as(self._rows_of, self)


class LoadTables(_fields(CardLoader, schema.TableLoader)):  # type: ignore[misc]
    """Rows from the mirror or the hub."""

    _rows_of = schema.TableLoader


class LoadGenerated(_fields(CardLoader, schema.GeneratedLoader)):  # type: ignore[misc]
    """Rows from a generator."""

    _rows_of = schema.GeneratedLoader


class LoadStructural(_fields(CardLoader, schema.StructuralLoader)):  # type: ignore[misc]
    """Structural questions."""

    _rows_of = schema.StructuralLoader


class ReadExample(_fields(StreamOperator, schema.RowReading)):  # type: ignore[misc]
    """Rows as examples."""

    def process(
        self,
        stream: Iterable[Row],
        stream_name: Optional[str] = None,  # noqa: UP045
    ) -> Generator[dict[str, Any], None, None]:
        """An instance an example: its id, its inputs, its references."""
        policies: list[Any] = [None]
        rows = _noting_policy(stream, policies)
        step = _as(schema.RowReading, self)
        for example in read_rows(step, rows, split=str(stream_name), card=self.get_pretty_print_name()):
            yield {**instance_of(example), "data_classification_policy": policies[0] or []}


def _noting_policy(stream: Iterable[Row], policies: list[Any]) -> Iterator[Row]:
    """Yield the rows; ``policies`` holds the data classification of the latest."""
    for row in stream:
        policies[0] = row.get("data_classification_policy")
        yield row


def _as(model: type[_Model], artifact: Artifact) -> _Model:
    """Convert an artifact to the model that the rest of the package works with."""
    return model.model_validate_json(json.dumps({"__type__": artifact.__type__, **artifact._init_dict}))


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
        """The scores of one answer; NaN for a metric of pairs, whose other answer unitxt does not have."""
        metric = metrics.get(self.name)
        if metric.pairs:
            return dict.fromkeys((metric.main, *metric.score_names), math.nan)
        # a metric may import what seeds the global generator, as spaCy does: with its first answer
        with nullcontext() if self.name in _RATED else preserved_global_state():
            scores = rate(metric, prediction, references, task_data.get("facts") or {})
        _RATED.add(self.name)
        return scores


class TorrProcessor(FieldOperator):  # type: ignore[misc]
    """A postprocessor of the project that no operators of unitxt's make up, by its name."""

    name: str

    def process_value(self, value: Any) -> Any:
        """The text after the step."""
        return processors.get(self.name)(value)
