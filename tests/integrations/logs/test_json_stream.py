"""JSON read piece by piece is the JSON that json.loads reads, however the bytes come."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs import json_stream
from torr_plugin.integrations.logs.json_stream import json_members

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


MORE = ["[1 2]", "[nul]", '{"a": 1 "b": 2}', "[" * 100_000]


def trickling(text: str, step: int) -> Callable[[int], bytes]:
    """Bytes that come a few at a time, whatever is asked for."""
    stream = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    return lambda size: stream.read(min(size, step))


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.integers(1, 40), st.sampled_from([None, 2]))
def test_members_of_an_object(value: dict[str, Any], step: int, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=indent is None)
    assert dict(json_members(trickling(text, step), "file")) == value


@given(st.lists(VALUES, max_size=6), st.integers(1, 40), st.sampled_from([None, 2]))
def test_elements_of_lists(value: list[Any], step: int, indent: int | None) -> None:
    found = json_members(trickling(json.dumps(value, indent=indent), step), "file")
    assert [each for _, each in found] == value
    whole = json.dumps({"before": 1, "long": value, "after": [2]}, indent=indent)
    pairs = list(json_members(trickling(whole, step), "file", "long"))
    assert pairs == [("before", 1), *(("long", each) for each in value), ("after", [2])]


@pytest.mark.parametrize(
    "text",
    ["", "  ", "1", '"text"', "{", '{"a"', '{"a": ', '{"a": 1', '{"a": 1,', '{"a" 1}', "{1: 2}", "[1", *MORE],
)
@pytest.mark.parametrize("step", [1, 1000])
def test_what_is_no_json(text: str, step: int) -> None:
    with pytest.raises(InputError, match="file: is not JSON that can be read"):
        list(json_members(trickling(text, step), "file"))


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InputError, match="is not JSON that can be read"):
        list(json_members(io.BytesIO(b'{"a": "\xff"}').read, "file"))


def test_one_value_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "LONGEST_LINE", 100)
    assert list(json_members(trickling(json.dumps(["x" * 80] * 5), 50), "file"))
    with pytest.raises(InputError, match="a value is longer than 100 characters"):
        list(json_members(trickling(json.dumps(["x" * 800]), 50), "file"))
