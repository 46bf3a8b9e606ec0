"""The vote: how often each answer was given, times a judge's score (RealHiTBench, section 3.4).

Programs for charts are compared by what they draw; they run in the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import get_args

from ...core.errors import InputError
from ...core.texts import normalize
from ...scoring.chart_programs import reference_values, run_answer
from ...scoring.listed_values import values_of
from ...scoring.sandbox import Kind
from ..review import Alternative, AnswerForm

_KINDS: Mapping[str, Kind] = {f"{kind.capitalize()}Chart Generation": kind for kind in get_args(Kind)}
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def distinct(answers: Mapping[str, str | None], key: Callable[[str], str]) -> list[Alternative]:
    """The distinct answers, in the order in which they come first.

    Args:
        answers: model -> its answer; None where it gave none.
        key: what equal answers share.
    """
    models: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for model, answer in answers.items():
        if answer is not None:
            models.setdefault(key(answer), []).append(model)
            first.setdefault(key(answer), answer)
    return [Alternative(first[shared], tuple(by), len(answers)) for shared, by in models.items()]


def ranked(alternatives: Iterable[Alternative], scores: Mapping[str, float]) -> list[Alternative]:
    """Alternatives with the judge's scores, given by answer; the candidate comes first.

    The highest final score comes first. Ties go to the answer that more models gave, and then to the one that
    came first. An answer that the judge did not score comes after all that it did.
    """
    return sorted(
        (replace(one, score=scores.get(one.answer)) for one in alternatives),
        key=lambda one: (one.final is None, -(one.final or 0.0), -len(one.models)),
    )


def equal_key(kind: AnswerForm, answer: str) -> str:
    """What equal answers of a kind share.

    Values are normalized one by one, as ``exact_match`` does; a program counts without its comments, blank
    lines and spaces.
    """
    if kind == "code":
        return "".join(_COMMENT.sub("", answer).split())
    return " | ".join(values_of(answer)) if kind == "values" else normalize(answer)


def drawn_values(program: str, subtype: str, workbook: bytes) -> str:
    """The y values that a program's chart shows, as a list.

    Empty where it fails, draws another kind, or draws what can be no reference: infinite values, or too many.

    Args:
        program: a model's.
        subtype: of the question, e.g. ``LineChart Generation``.
        workbook: what the program finds as ``table.xlsx``.

    Raises:
        SandboxError: programs cannot be contained here.
    """
    run = run_answer(program, workbook)
    values = str(list(run.values.get(_KINDS[subtype], ()))) if run.ran else ""
    with suppress(InputError):
        return values if reference_values(values) else ""
    return ""


def values_key(values: str) -> str:
    """What equal charts share: their values to two decimals, sorted, as the metric compares them."""
    return str(sorted((value is None, round(value or 0.0, 2)) for value in reference_values(values)))
