"""A figure is one object: its key, its computation, its tables and charts, and the words that go with it.

:mod:`.figures` holds a file for each figure or family of figures; what is registered here is computed by
:func:`torr_plugin.analysis.analyse` and appears in ``analysis.json``, among the tables and charts, in the
terminal and on the site. A plugin's figure is of the same class; its results stand under ``plugins`` in
``analysis.json``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from ..core.errors import OWN
from ..core.registry import Registry
from .result import nested_rows

if TYPE_CHECKING:
    from .charts.labels import ChartContext
    from .charts.vega import Spec
    from .study import StudyScores

R = TypeVar("R")
Row = Sequence[object]


@dataclass(frozen=True)
class FigureTable:
    """A table of a figure in long form: a row a number, and what it is of.

    Attributes:
        name: of its file, without the ending.
        header: names of the columns; or makes them from what ``part`` gives.
        rows: makes the rows from what ``part`` gives; by default one for each interval in nested mappings,
            after the keys that lead to it.
        about: a phrase that says what it holds.
        part: what of the result the rows are made of; where that is empty, the study has no such table.
        over: makes of the result a phrase that says over which examples it is; empty: over all.
        markdown: it is written as Markdown too, to be read as it is.
    """

    name: str
    header: tuple[str, ...] | Callable[[Any], tuple[str, ...]]
    rows: Callable[[Any], Iterable[Row]] = nested_rows
    about: str = ""
    part: Callable[[Any], Any] = lambda result: result
    over: Callable[[Any], str] = lambda result: ""
    markdown: bool = False

    def columns(self, part: Any) -> tuple[str, ...]:
        """The names of the columns, of what ``part`` gives."""
        return self.header(part) if callable(self.header) else self.header


@dataclass(frozen=True)
class FigureChart:
    """A chart of a figure.

    Attributes:
        name: of its files, without the ending.
        build: makes a Vega-Lite specification with the data in it from what ``part`` gives; raises
            :class:`~.charts.labels.NoChart` where the study has no such chart.
        source: the figure or table of ToRR that shows the same; empty: none does.
        absent: why a study has no such chart where the figure, or the part, has no result; the end of a
            sentence.
        part: what of the result the chart is made of.
        absent_part: why a study has no such chart where the figure has a result, but not this part of it; by
            default as ``absent``.
        over: as of a table; it stands in the chart's subtitle.
    """

    name: str
    build: Callable[[Any, ChartContext], Spec]
    source: str = ""
    absent: str = ""
    part: Callable[[Any], Any] = lambda result: result
    absent_part: str = ""
    over: Callable[[Any], str] = lambda result: ""

    def drawn(self, result: Any, context: ChartContext) -> Spec:
        """The specification, of a result that has the part."""
        return self.build(self.part(result), replace(context, over=self.over(result)))


class Figure(ABC, Generic[R]):
    """One result of the analysis.

    Attributes:
        key: in ``analysis.json``; a plugin's stands under ``plugins`` there.
        spread: the type of a result whose fields are keys of ``analysis.json`` themselves, in place of
            ``key``.
        required: every analysis has it.
        tables: written as CSV, and offered for download by the site.
        charts: drawn as SVG, PNG and PDF.
    """

    key: ClassVar[str]
    spread: ClassVar[type[BaseModel] | None] = None
    required: ClassVar[bool] = False
    tables: ClassVar[tuple[FigureTable, ...]] = ()
    charts: ClassVar[tuple[FigureChart, ...]] = ()

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Reads a result from JSON and writes it: of the type ``R``, see :class:`~.result.FigureResult`."""
        bases = [base for kind in type(self).__mro__ for base in getattr(kind, "__orig_bases__", ())]
        results = [get_args(base)[0] for base in bases if get_origin(base) is Figure]
        result: Any = results[0] if results else JsonValue
        if isinstance(result, type) and issubclass(result, BaseModel):
            return TypeAdapter(result)
        # NaN stays itself, and is refused where the file is written
        return TypeAdapter(result, config=ConfigDict(ser_json_inf_nan="constants"))

    @property
    def name(self) -> str:
        """The key, by which it is registered."""
        return self.key

    @abstractmethod
    def compute(self, study: StudyScores) -> R | None:
        """Compute the result; None where the study has nothing for it."""

    def notes(self, study: StudyScores, result: R | None) -> list[str]:
        """Say what a reader must know of the figure in this study, a sentence each."""
        return []

    def lines(self, result: R) -> list[str]:
        """Say the most telling of it in the terminal, a line of 80 characters each."""
        return []

    def to_json(self, result: R) -> Any:
        """The result as plain JSON values."""
        return self.adapter.dump_python(result, mode="json", exclude_unset=True)

    def from_json(self, found: Any) -> R:
        """Read a result.

        Raises:
            pydantic.ValidationError: it is not of this figure's shape.
        """
        return cast("R", self.adapter.validate_python(found))

    def json_keys(self) -> tuple[str, ...]:
        """The keys of ``analysis.json`` that it fills."""
        return (self.key,) if self.spread is None else tuple(self.spread.model_fields)


figures: Registry[Figure[Any]] = Registry("figure", hook="torr_analyses")
"""All figures, those of papers and plugins too; :mod:`.registered` puts the framework's in it."""


def plugin_figures() -> list[Figure[Any]]:
    """The figures that plugins brought, in the order in which they were registered."""
    return [figure for figure in figures.values() if figures.origin(figure.key) != OWN]
