"""How an example is asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ...core.validation import StrictModel
from .values import Text


class TemplateOf(StrictModel):
    """How an example is asked; a unitxt template.

    An example is shown as ``input_format`` with ``target_prefix`` on a line of its own below it. The answer
    that a demonstration shows is the card's target: for ``multi_reference_template`` the first reference.
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
    def _has_its_own_formats(self) -> TemplateOf:
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
        if "{table}" not in self.input_format:
            raise ValueError(f"'input_format' has no {{table}}, found {self.input_format!r}")
        return self


class UnitxtTwin(StrictModel):
    """Unitxt's own card of the same data, whose words the design ``torr`` takes at run time.

    ``fields`` says which input of ours an input of the twin's is, where their names differ; ``table`` is the
    table's.
    """

    card: Annotated[str, StringConstraints(pattern=r"^cards\.[\w.]+$")]
    fields: dict[Text, Text] = Field(default_factory=dict)
