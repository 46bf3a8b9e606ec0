# ruff: noqa: RUF001 (typographic quotation marks are read as quotation marks)
"""JSON in models' answers, read leniently: fences and text around it, single quotes, missing ends.

In: what a model wrote. Out: the one object in it, or its answer, and what is wrong with the form, in words.
Nothing a model can write raises an error here or takes long: :data:`LONGEST`, :data:`DEEPEST` and
:data:`REPAIRED` bound what is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from ..core.texts import split_thoughts

LONGEST = 100_000
"""The most characters of an answer that are read, so that a runaway model does not stop the scoring."""

DEEPEST = 40
"""The most brackets open at once."""

REPAIRED = 16_000
"""The most characters that json-repair sees: on hostile text its time grows with the square of the length."""

Problem = Literal["", "no JSON", "two objects", "key twice", "no answer", "too deep", "too long"]
"""What is wrong with the form of an answer; empty where nothing is."""

ANSWER_KEYS = ("answer", "final answer", "final_answer")


def read_json_answer(text: str) -> tuple[str | None, Problem]:
    """The answer of what a model wrote, ``{"steps": ..., "answer": ...}``, and what is wrong with its form.

    An answer that is a list or an object becomes one text: of one value that value, else the values with
    `` | `` between them, those of an object with their keys. Keys are found in any case, and in an object
    that is the only value of another. An answer can be there even with a problem: of two objects it is the
    last's.

    Args:
        text: all that the model wrote, thoughts included.
    """
    found, problem = read_json_object(text)
    if found is None:
        return None, problem
    answer = text_at(unwrapped(found, ANSWER_KEYS), ANSWER_KEYS, " | ")
    return answer or None, problem if answer or problem else "no answer"


def read_json_object(text: str) -> tuple[Mapping[str, Any] | None, Problem]:
    """The JSON object in what a model wrote.

    Thoughts (up to ``</think>``), code fences and text around the object do not matter. Objects that are
    valid count before any that must be repaired (single quotes, trailing commas, no end). Of several
    different ones the last is given, with the problem ``two objects``; of a key that stands twice the last
    value, with ``key twice``.

    Args:
        text: all that the model wrote.

    Returns:
        The object, not empty, and the problem. Its values are texts, True, False, None, lists and mappings;
        numbers are texts, as they were written. None with a problem other than those two.
    """
    said = split_thoughts(text[-LONGEST:]).text
    if _depth(said) > DEEPEST:
        return None, "too deep"
    spans = list(_spans(said))
    objects = [each for span in spans if (each := _valid(span))]
    if not objects and sum(map(len, spans)) > REPAIRED:
        return None, "too long"
    objects = objects or [(each, False) for span in spans for each in _repaired(span)]
    if not objects:
        return None, "no JSON"
    last, is_twice = objects[-1]
    if any(other != last for other, _ in objects):
        return last, "two objects"
    return last, "key twice" if is_twice else ""


def unwrapped(found: Mapping[str, Any], keys: Sequence[str]) -> Mapping[str, Any]:
    """The object that is the only value of one that has none of these keys; else the object itself."""
    inner = next(iter(found.values()), None)
    if len(found) == 1 and isinstance(inner, Mapping) and _value(found, keys) is None:
        return inner
    return found


def text_at(found: Mapping[str, Any], keys: Sequence[str], between: str = ", ") -> str:
    """The value of the first of these keys that is there, in any case, as text; empty where there is none."""
    return _as_text(_value(found, keys), between).strip()


def _depth(text: str) -> int:
    """The most brackets open at once, those in strings too: broken quotes do not show what is a string."""
    deepest = depth = 0
    for bracket in re.findall(r"[][{}()]", text):
        depth = depth + 1 if bracket in "[{(" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


# a string in double quotes, or in single ones where a value can begin; without its end, all that follows
_TOKEN = re.compile(
    r"""(?s)"[^"\\]*(?:\\.[^"\\]*)*"?|(?<=[{\[,:])\s*'[^'\\]*(?:\\.[^'\\]*)*'(?=\s*[]},:])|[{}]"""
)
_OBJECT = re.compile(r"""\{\s*(?:"|'|“|‘|[^\W\d]\w*\s*:)""")


def _spans(text: str) -> Iterator[str]:
    """The texts of objects that are in no other one; of one without an end, all that follows."""
    end = 0
    while start := _OBJECT.search(text, end):
        depth = 0
        end = len(text)
        for token in _TOKEN.finditer(text, start.start()):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if not depth:
                end = token.end()
                break
        yield text[start.start() : end]


def _valid(span: str) -> tuple[Mapping[str, Any], bool] | None:
    """The object that is valid JSON, and whether it has a key twice with different values."""
    twice = False

    def merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        values = dict(pairs)
        twice = twice or any(values[key] != value for key, value in pairs)
        return values

    try:
        found = json.loads(
            span, strict=False, object_pairs_hook=merged, parse_float=str, parse_int=str, parse_constant=str
        )
    except ValueError:
        return None
    return (found, twice) if found else None


# a value without quotes: json-repair would drop the unit of $721 million and the sign of (13.2)
_BARE = re.compile(
    r"""(["'”’]\s*:\s*|\{\s*\w+\s*:\s*)([^\s"'“‘{\[\]},][^"\n{}\[\]]{0,200}?)(\s*(?:,\s*["'\n]|,?\s*[}\n]|$))"""
)
_LITERALS = {"true", "false", "null", "True", "False", "None"}


def _repaired(span: str) -> list[Mapping[str, Any]]:
    """The objects in a broken text; none where json-repair finds none."""
    from json_repair import repair_json  # only broken answers need it

    try:
        found = repair_json(_BARE.sub(_quoted, span), return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):  # json-repair's refusals
        return []
    return [
        each for each in (found if isinstance(found, list) else [found]) if each and isinstance(each, dict)
    ]


def _quoted(bare: re.Match[str]) -> str:
    value = bare[2] if bare[2] in _LITERALS else json.dumps(bare[2], ensure_ascii=False)
    return f"{bare[1]}{value}{bare[3]}"


def _value(found: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value of the first of these keys that is there, in any case."""
    folded = {str(key).strip().casefold(): value for key, value in found.items()}
    return next((folded[key] for key in keys if key in folded), None)


def _as_text(value: Any, between: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        if len(value) == 1:
            return _as_text(next(iter(value.values())), between)
        return between.join(f"{key}: {_as_text(each, ', ')}" for key, each in value.items())
    if isinstance(value, list):
        return between.join(_as_text(each, ", ") for each in value)
    return str(value)
