"""A whole card file, with its template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from ...core.validation import StrictModel
from .loaders import CardRows, TableLoader, Text
from .reading import RowReading


class CardTemplate(StrictModel):
    """How an example is put into words; a unitxt template.

    An example is shown as ``input_format`` with ``target_prefix`` on a separate line below it. A
    demonstration shows the card's target: for ``multi_reference_template`` the first reference.
    """

    type_: Literal[
        "input_output_template", "input_output_template_with_custom_target", "multi_reference_template"
    ] = Field(alias="__type__")
    instruction: str = ""
    input_format: Text
    target_prefix: Text
    output_format: Literal["{target}"] | None = None
    reference: Literal["{reference}"] | None = None
    references_field: Literal["references"] | None = None
    postprocessors: list[Text]

    @model_validator(mode="after")
    def _has_its_own_formats(self) -> CardTemplate:
        expected = {
            "input_output_template": ("output_format",),
            "input_output_template_with_custom_target": ("output_format", "reference"),
            "multi_reference_template": ("references_field",),
        }[self.type_]
        for key in ("output_format", "reference", "references_field"):
            if (getattr(self, key) is not None) != (key in expected):
                raise ValueError(
                    f"a template of type {self.type_!r} has {' and '.join(map(repr, expected))} and no other"
                )
        return self


class UnitxtCardRef(StrictModel):
    """Unitxt's own card of the same data, whose template the design ``torr`` uses.

    ``fields`` maps unitxt's inputs to ours where names differ; ours for the table is ``table``.
    """

    card: Annotated[str, StringConstraints(pattern=r"^cards\.[\w.]+$")]
    fields: dict[Text, Text] = Field(default_factory=dict)


Need: TypeAlias = Literal["required", "partial", "none"]

_TASK = re.compile(r"(?P<name>tasks\.[\w.]+)(\[metrics=\[(?P<metrics>[^\[\]]+)\]\])?")


class Skills(StrictModel):
    """The skills that a data set takes, as in Table 1 of the ToRR paper (section 2).

    ``knowledge_extraction``: finding fields, relations, entities in the table; ``textual_reasoning``:
    concluding from text and table together; ``numerical_reasoning``: calculating, comparing numbers.
    """

    knowledge_extraction: Need
    textual_reasoning: Need
    numerical_reasoning: Need


class Subset(StrictModel):
    """A subset that is also a card: the examples whose groups have these values."""

    description: Text
    where: dict[Text, Text] = Field(min_length=1)


class CardFile(StrictModel):
    """A card: one hand-written JSON file."""

    type_: Literal["table_card"] = Field(alias="__type__")
    description: Text = Field(alias="__description__")
    tags: dict[str, Any] = Field(alias="__tags__", default_factory=dict)
    licence: Text
    skills: Skills
    main_metric: Text
    spellings: dict[Text, list[Text]] = Field(default_factory=dict)
    keeps_labels: list[Text]
    notes: list[Text] = Field(default_factory=list)
    demo_split: Text | None = None
    test_split: Text
    subsets: dict[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")], Subset] = Field(
        default_factory=dict
    )
    unitxt: UnitxtCardRef | None = None
    loader: Annotated[CardRows, Field(discriminator="type_")]
    preprocess_steps: Annotated[list[RowReading], Field(min_length=1, max_length=1)]
    task: Annotated[str, StringConstraints(pattern=rf"^{_TASK.pattern}$")]
    templates: Annotated[list[CardTemplate], Field(min_length=1, max_length=1)]

    @model_validator(mode="after")
    def _parts_fit(self) -> CardFile:
        problems = [
            *self._splits_that_are_not(),
            *self._columns_that_are_not_loaded(),
            *self._targets_without_template(),
            *self._subsets_of_no_group(),
            *self._spellings_of_two_labels(),
        ]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _splits_that_are_not(self) -> Iterator[str]:
        splits = self.loader.splits
        for key, name in (("demo_split", self.demo_split), ("test_split", self.test_split)):
            if name is not None and name not in splits:
                yield f"{key} {name!r} is not among the loader's splits: {', '.join(splits)}"

    def _subsets_of_no_group(self) -> Iterator[str]:
        for name, subset in self.subsets.items():
            missing = [group for group in subset.where if group not in self.reading.groups]
            if missing:
                groups = ", ".join(self.reading.groups) or "none"
                yield f"subsets.{name}.where: chooses by the group {missing[0]!r}, but groups has {groups}"

    def _spellings_of_two_labels(self) -> Iterator[str]:
        of: dict[str, str] = {}
        for label, others in self.spellings.items():
            for spelling in (label, *others):
                other = of.setdefault(spelling.casefold(), label)
                if other != label:
                    yield f"spellings: {spelling!r} is one of {other!r} and of {label!r}; expected one label"

    def _columns_that_are_not_loaded(self) -> Iterator[str]:
        if isinstance(self.loader, TableLoader) and self.loader.rows is None:
            files = self.loader.files
            known = [*self.loader.columns, *([files.column] if files else [])]
            for name in self.reading.columns():
                if name not in known:
                    has = ", ".join(self.loader.columns)
                    yield f"column {name!r} is read, but loader.columns has only {has}"

    def _targets_without_template(self) -> Iterator[str]:
        single = self.template.type_ != "multi_reference_template"
        if single and len(self.reading.references) != 1:
            yield f"several references need a 'multi_reference_template', found {self.template.type_!r}"
        custom = self.template.type_ == "input_output_template_with_custom_target"
        if custom != (self.reading.target is not None):
            yield (
                "'target' of read_example goes with a template of type "
                "'input_output_template_with_custom_target'"
            )

    @property
    def reading(self) -> RowReading:
        """The one preprocessing step."""
        return self.preprocess_steps[0]

    @property
    def template(self) -> CardTemplate:
        """The one template."""
        return self.templates[0]

    @property
    def task_name(self) -> str:
        """The task without its metrics, e.g. ``tasks.torr.table_qa``."""
        return self.task.partition("[")[0]

    @property
    def task_metrics(self) -> tuple[str, ...]:
        """The metrics that the card names, e.g. ``metrics.torr.rouge``; empty for the task's own."""
        match = _TASK.fullmatch(self.task)
        named = match["metrics"] if match else None
        return tuple(name.strip() for name in named.split(",")) if named else ()
