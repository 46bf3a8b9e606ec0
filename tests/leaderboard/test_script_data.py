"""Data for the pages' scripts: one call, whatever the data say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard.files import embedded, packed_script, script
from torr_plugin.leaderboard.text import visible

from .hostile import WORDS
from .pages import read_script

PATH = "data/a/pages/x.js"
TEXTS = st.text() | st.sampled_from(WORDS)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def as_shown(value: object) -> object:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): as_shown(inner) for key, inner in value.items()}
    return [as_shown(each) for each in value] if isinstance(value, list) else value


@given(VALUES)
def test_any_value_comes_back_from_one_call(value: object) -> None:
    for make in (script, packed_script):
        assert read_script(make(PATH, value).content) == (PATH, as_shown(value))


@given(VALUES)
def test_embedded_text_ends_no_element_and_begins_none(value: object) -> None:
    text = str(embedded(value))
    assert not set("<>&'\u2028\u2029") & set(text)
    assert json.loads(text) == as_shown(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [float("-inf")]}])
def test_numbers_that_json_has_not_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        script(PATH, value)


@pytest.mark.parametrize(
    "content",
    [
        "torr.put(\"x\",JSON.parse('1'));alert(1);\n",
        "torr.put(\"x\",JSON.parse('\\'+alert(1)+\\''));\n",
        'torr.put("x",JSON.parse(\'"\\x3c"\'));\n',
        'torr.put("x",alert(1));\n',
        'torr.packed("x","AA"+"AA");\n',
        'torr.put("x",JSON.parse(\'"</script>"\'));\n',
    ],
)
def test_the_reader_of_these_tests_takes_nothing_else(content: str) -> None:
    with pytest.raises(ValueError, match=r"expected one call|stands alone"):
        read_script(content)
