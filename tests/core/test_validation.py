"""What pydantic finds wrong becomes one line: where, what was found, what is expected."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from torr_plugin.core.errors import CardError, InputError
from torr_plugin.core.validation import StrictModel, validate


class _Circle(StrictModel):
    kind: Literal["circle"]
    radius: Annotated[float, Field(gt=0)]


class _Square(StrictModel):
    kind: Literal["square"]
    width: int


class _Drawing(StrictModel):
    name: Annotated[str, Field(min_length=1)]
    shapes: dict[str, Annotated[_Circle | _Square, Field(discriminator="kind")]] = Field(default_factory=dict)
    background: _Square | None = None
    code: str | int = 0
    tags: Annotated[list[str], Field(max_length=2)] = Field(default_factory=list)


def _drawing(**changes: Any) -> dict[str, Any]:
    return {"name": "x", **changes}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "file: found []; expected an object"),
        (_drawing(name=3), "file: name: found 3; expected text"),
        (_drawing(name=None), "file: name: found nothing; expected text"),
        (_drawing(name=""), "file: name: found ''; expected text that is not empty"),
        (_drawing(name="\ud800"), "file: name: found '\\ud800'; expected text without lone surrogates"),
        ({}, "file: the key 'name' is missing"),
        (_drawing(tag=[]), "file: tag: unknown key; did you mean 'tags'?"),
        ({"nam": "x"}, "file: nam: unknown key; did you mean 'name'?"),
        (
            {"titel": "x", "tags": [1, 1], "background": {}},
            "file: titel: unknown key; expected one of: background, code, name, shapes, tags; "
            "the key 'name' is missing; background: the keys 'kind', 'width' are missing; "
            "tags.0: found 1; expected text; tags.1: found 1; expected text",
        ),
        (
            _drawing(name=None, background=None, tags=None),
            "file: name: found nothing; expected text; tags: found nothing; expected a list",
        ),
        (_drawing(code=[]), "file: code: found []; expected text or a whole number"),
        (_drawing(tags=["a", 1]), "file: tags.1: found 1; expected text"),
        (_drawing(tags=["a"] * 3), "file: tags: found ['a', 'a', 'a']; list should have at most 2 items"),
        (_drawing(background={"kind": "square", "widht": 1}), "file: background.widht: unknown key; did you"),
        (
            _drawing(shapes={"a": {"kind": "circle", "radius": 0.0}}),
            "file: shapes.a.radius: found 0.0; expected a number of more than 0",
        ),
        (
            _drawing(shapes={"a": {"kind": "circle", "radius": 1.0, "width": 2}}),
            "file: shapes.a.width: unknown key; expected one of: kind, radius",
        ),
        (_drawing(shapes={"a": {"kind": "square"}}), "file: shapes.a: the key 'width' is missing"),
        (_drawing(name=["long"] * 99), f"file: name: found {str(['long'] * 99)[:57]}...; expected text"),
    ],
)
def test_the_message_of_a_fault(document: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        validate(_Drawing, document, "file")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_all_errors_are_listed_but_for_those_of_a_hopeless_document() -> None:
    with pytest.raises(InputError) as caught:
        validate(_Drawing, _drawing(shapes={str(number): {"kind": "square"} for number in range(30)}), "file")
    assert str(caught.value).count("the key 'width' is missing") == 20
    assert str(caught.value).endswith("; 10 further fields are wrong")


def test_the_kind_of_error_and_a_document_without_a_place() -> None:
    with pytest.raises(CardError, match=r"^name: found 3; expected text$"):
        validate(_Drawing, {"name": 3}, "", error_type=CardError)
    assert validate(_Drawing, {"name": "x"}, "file").name == "x"
