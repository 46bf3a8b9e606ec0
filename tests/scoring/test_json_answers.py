"""The answer in what models write as JSON, and near-JSON."""

import json
import random
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timing import quickly
from torr_plugin.scoring.json_answers import REPAIRED, read_json_answer, read_json_object

_READ = {
    '{"steps": "a - b", "answer": "$13.2 million"}': "$13.2 million",
    'Sure!\n```json\n{"steps": ["a", "b"], "answer": "5"}\n```\nAnything else?': "5",
    "```\n{'steps': 'a', 'answer': '5',}\n```": "5",
    '{"steps": "a", "answer": {"change": "-$13.2 million"}}': "-$13.2 million",
    '{"answer": {"change": "-13.2", "share": ["1", "2"]}}': "change: -13.2 | share: 1, 2",
    '{"steps": [{"step": 1, "text": "a"}, "b"], "answer": ["x", "y"]}': "x | y",
    '{"steps": "a", "answer": "The change was': "The change was",
    '{"ANSWER": "5", "Steps": null}': "5",
    '{"response": {"answer": "5"}}': "5",
    '[{"answer": "5"}]': "5",
    '{"answer": 0.20}': "0.20",
    '{"answer": 1e400}': "1e400",
    '{"answer": true}': "true",
    '{"answer": $721 million, "steps": "x: y, z"}': "$721 million",
    '{"answer": (13.2)}': "(13.2)",
    '{"answer": 0.2%\n}': "0.2%",
    "{answer: 1,205}": "1,205",
    "{“answer”: “5”}": "5",
    '{"steps": "5" tall", "answer": "5"} thanks {x}': "5",
    '{"steps": "first\nsecond", "answer": "5"}': "5",
    '{"steps": "a {b} } c", "answer": "5"}}}': "5",
    "{'steps': 'it is: 5, then {', 'answer': 'y'}": "y",
    '<think>{"answer": "1"} or so</think> {"answer": "2"}': "2",
    'With \\frac{1}{2} of {x}: {"answer": "3"}': "3",
    '{"answer": "5"}\n{"answer": "5"}': "5",
    '{"answer": "[[A]] {\\"winner\\": \\"model_a\\"}"}': '[[A]] {"winner": "model_a"}',
    "{'answer': '4'} no: {\"answer\": \"5\"}": "5",
}


@pytest.mark.parametrize("text", _READ)
def test_what_models_write_is_read(text):
    assert read_json_answer(text) == (_READ[text], "")


_OFF = {
    "The answer is 5.": (None, "no JSON"),
    "": (None, "no JSON"),
    "{}": (None, "no JSON"),
    '<think>{"answer": "1"}': (None, "no JSON"),
    '{"2023": "$2.3 million", "Analysis": "It fell."}': (None, "no answer"),
    '{"steps": "cut off in the mid': (None, "no answer"),
    '{"steps": "a", "answer": null}': (None, "no answer"),
    '{"answer": " "}': (None, "no answer"),
    '{"answer": "4"}\nor rather\n{"answer": "5"}': ("5", "two objects"),
    "{'answer': '4',} {'answer': '5',}": ("5", "two objects"),
    '[{"answer": "4"}, {"answer": "5"}]': ("5", "two objects"),
    '{"answer": "4", "answer": "5"}': ("5", "key twice"),
    '{"answer": ' + "[" * 50 + "5" + "]" * 50 + "}": (None, "too deep"),
    "{'answer': '" + "x" * REPAIRED + "'}": (None, "too long"),
}


@pytest.mark.parametrize("text", _OFF, ids=lambda text: text[:40])
def test_what_is_wrong_with_the_form_is_said(text):
    assert read_json_answer(text) == _OFF[text]


_TEXTS = st.text(max_size=8)
_SCALARS = st.none() | st.booleans() | _TEXTS
_VALUES = st.recursive(_SCALARS, lambda value: st.lists(value) | st.dictionaries(_TEXTS, value), max_leaves=4)
_PROSE = _TEXTS.filter(lambda text: not set(text) & set("{}[]()<"))


@pytest.mark.full
@settings(max_examples=30)
@given(st.dictionaries(_TEXTS, _VALUES, min_size=1), _PROSE, _PROSE, st.booleans())
def test_valid_json_is_found_in_any_text_as_it_is(written, before, after, ascii_alone):
    text = json.dumps(written, ensure_ascii=ascii_alone)
    assert read_json_object(f"{before}{text}{after}") == (written, "")


@given(st.text() | st.text("{}[]()\"'\\:,a1 \n`<think>/", max_size=200))
def test_no_text_is_an_error(text):
    answer, problem = read_json_answer(text)
    assert answer is None or answer.strip()
    assert answer or problem


@given(st.integers(), st.floats(allow_nan=False))
def test_numbers_stay_as_written(whole, decimal):
    text = json.dumps({"a": whole, "b": decimal})
    assert read_json_object(text) == ({"a": str(whole), "b": json.dumps(decimal)}, "")


def _hostile():
    size = REPAIRED - 100
    yield from ("{" * 10**6, "[" * 10**6, "(" * 10**6, '{"a":' * 10**6)
    for part in ("\"'", "':x", '"b": "c ', "\\", " "):
        yield "{'a': '" + part * (size // len(part))
    dice = random.Random(1)
    yield '{"a": ' + "".join(dice.choices("{}}}[]\"',:\\ \nab1/`()))]]", k=size))


@pytest.mark.full
def test_hostile_text_is_read_in_bounded_time():
    for text in _hostile():  # 0.3 s measured; unbounded, json-repair takes minutes for the first
        quickly(partial(read_json_answer, text))
