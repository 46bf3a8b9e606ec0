"""Postprocessors: what is done to an answer, and to the references, before a metric sees them.

Each has unitxt's name and does what unitxt's operator does (``take_first_non_empty_line`` is
``processors.take_first_non_empty_line`` there); names of our own begin with ``torr.``. In: text. Out: text;
the two that split make a list, which a later one writes as text again, as in unitxt's card of
WikiTableQuestions.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..core.errors import CardError, UnknownNameError
from ..tables import Registry
from .answers import short_answer

__all__ = ["Processor", "Value", "postprocess", "processors"]

Value: TypeAlias = "str | list[str]"

_CATALOG = "processors."


@dataclass(frozen=True)
class Processor:
    """One step.

    Attributes:
        name: unitxt's, without ``processors.``.
        step: the function; pure.
        references: whether references go through it, as predictions do.
        takes_lists: whether the step can take a list, which it writes as text.
    """

    name: str
    step: Callable[[str], Value]
    references: bool = True
    takes_lists: bool = False

    def __call__(self, value: Value) -> Value:
        """The value after the step."""
        return self.step(str(value))


class _Processors(Registry[Processor]):
    """Names are known with or without ``processors.`` before them."""

    def _unlisted(self, name: str) -> Processor:
        if name.startswith(_CATALOG):
            return self.get(name.removeprefix(_CATALOG))
        return super()._unlisted(name)


processors: Registry[Processor] = _Processors("processor")


def postprocess(
    prediction: str, references: Sequence[str], names: Sequence[str], *, where: str = "postprocessors"
) -> tuple[str, list[str]]:
    """A prediction and its references after the named steps, each applied to what it is meant for.

    Args:
        prediction: the answer as the model gave it.
        references: the right answers as the data set has them.
        names: processors in order.
        where: what an error message calls the list of names.

    Raises: CardError: a name that is unknown, a step that cannot take what the one before it made, or a list
        at the end.
    """
    answer: Value = prediction
    right: list[Value] = list(references)
    for name in names:
        step = _named(name, where)
        answer = _apply(step, answer, where)
        right = [_apply(step, value, where) for value in right] if step.references else right
    return _text(answer, where), [_text(value, where) for value in right]


def _named(name: str, where: str) -> Processor:
    try:
        return processors.get(name)
    except UnknownNameError as error:
        raise CardError(f"{where}: {error}") from None


def _apply(step: Processor, value: Value, where: str) -> Value:
    if isinstance(value, list) and not step.takes_lists:
        raise CardError(
            f"{where}: {step.name!r} takes text, but the step before it makes a list; {_LISTS_GO_TO}"
        )
    with processors.blamed(step.name):
        return step(value)


def _text(value: Value, where: str) -> str:
    if isinstance(value, str):
        return value
    raise CardError(f"{where}: the last step makes a list, but metrics take text; {_LISTS_GO_TO}")


# -- the steps -------------------------------------------------------------------------------------------

_FIRST_PUNCTUATION = re.compile(r"[.,!?;]")
# a dash is tried once a run of dashes, not once a dash: the same matches, in linear time on hostile text
_FIRST_WORD = re.compile(r"(?:(?<!-)-*[0-9]+(?:\.[0-9]+)*)|\w+")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_DOUBLE_BRACKETS = re.compile(r"\[\[(.*?)\]\]")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def _lower_case_till_punc(text: str) -> str:
    return _FIRST_PUNCTUATION.split(text.lower(), maxsplit=1)[0]


def _take_first_word(text: str) -> str:
    match = _FIRST_WORD.search(text)
    return match[0] if match else ""


def _first_character(text: str) -> str:
    match = re.search(r"\w", text)
    return match[0] if match else ""


def _extract_from_double_brackets(text: str) -> str:
    match = _DOUBLE_BRACKETS.search(text)
    return match[1] if match else ""


def _str_to_float_format(text: str) -> str:
    try:
        return str(float(text))
    except ValueError:
        return text


def _convert_to_boolean(text: str) -> str:
    answer = text.strip().lower()
    if any(word in answer for word in ("no", "not", "wrong", "false")):
        return "FALSE"
    return "TRUE" if any(word in answer for word in ("yes", "right", "correct", "true")) else "OTHER"


# what takes text alone
_BOTH: dict[str, Callable[[str], Value]] = {
    "capitalize": str.capitalize,
    "first_character": _first_character,
    "fix_whitespace": lambda text: " ".join(text.split()),
    "get_string_after_colon": lambda text: text.split(":", 1)[-1].strip(),
    "lower_case": str.lower,
    "lower_case_till_punc": _lower_case_till_punc,
    "remove_articles": lambda text: _ARTICLES.sub(" ", text),
    "remove_punctuations": lambda text: text.translate(_NO_PUNCTUATION),
    "take_first_word": _take_first_word,
    "to_list_by_comma": lambda text: [part.strip() for part in text.split(",")],
    "to_list_by_comma_space": lambda text: [part.strip() for part in text.split(", ")],
    "to_yes_or_none": lambda text: "yes" if text == "yes" else "none",
    "yes_no_to_int": lambda text: {"yes": "1", "no": "0"}.get(text, text),
}
# what follows the last "Final Answer:", also in brackets; all of an answer without it
_FINAL_ANSWER = re.compile(r"(?is)^(?:.*final answer\]?\s*:)?(.*)$")


def _final_answer(text: str) -> str:
    match = _FINAL_ANSWER.search(text)
    return match[1] if match else text


_PREDICTIONS_ALONE: dict[str, Callable[[str], Value]] = {
    "torr.short_answer": short_answer,
    "torr.final_answer": _final_answer,
    "extract_from_double_brackets": _extract_from_double_brackets,
    "predictions_yes_1_else_0": lambda text: "1" if text == "yes" else "0",
}
# what unitxt's operators do to a list as well: they write it as text first
_ALSO_LISTS: dict[str, Callable[[str], Value]] = {
    "convert_to_boolean": _convert_to_boolean,
    "str_to_float_format": _str_to_float_format,
    "take_first_non_empty_line": lambda text: text.strip().split("\n")[0].strip(),
    "take_last_non_empty_line": lambda text: text.strip().split("\n")[-1].strip(),
    "to_string": lambda text: text,
    "to_string_stripped": str.strip,
    "upper_case": str.upper,
}
_LISTS_GO_TO = "a list goes to one of: " + ", ".join(_ALSO_LISTS)


for _name, _function in _BOTH.items():
    processors.register(_name, Processor(_name, _function))
for _name, _function in _PREDICTIONS_ALONE.items():
    processors.register(_name, Processor(_name, _function, references=False))
for _name, _function in _ALSO_LISTS.items():
    processors.register(_name, Processor(_name, _function, takes_lists=True))
