"""Everything about one example, as the page's script reads it: question, prompts, answers, pictures."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.redaction import without_homes
from ..files import DataFile
from .rows import ExampleRows
from .shortening import gaps_of_row, in_parts, shortened

MOST = 400
_LABEL = re.compile(r"^(question|statement|claim|query|q)\s*:\s*", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")


def question(prompts: Sequence[str], constant: frozenset[str] = frozenset()) -> str:
    """The last line with words that all prompts of an example share, one that looks like a question if any.

    The table is written differently in every configuration and so has hardly a line in common; instructions
    are in the prompts of all examples (``constant``); demonstrations stand before the question.

    Returns:
        At most ``MOST`` characters, without a label such as ``Question:``; "" where nothing is found.
    """
    if not prompts:
        return ""
    shared = _lines(prompts[0])
    for text in prompts[1:]:
        shared = _shared(shared, text)
    worded = [line for line in shared if len(_WORDS.findall(line)) > 1]
    # a labelled one is no instruction: where other prompts have it too, they demonstrate it
    found = [line for line in worded if _LABEL.match(line) or line not in constant]
    questions = [line for line in found if _LABEL.match(line) or "?" in line]
    if not found:
        return ""
    return _LABEL.sub("", (questions or found)[-1])[:MOST]


def _shared(lines: list[str], text: str) -> list[str]:
    """The lines that also stand in a text."""
    framed = f"\n{text}\n"
    if all(f"\n{line}\n" in framed for line in lines):  # most often: only tables differ
        return lines
    own = set(map(str.strip, text.splitlines()))
    return [line for line in lines if line in own]


def constant_lines(one: str, other: str) -> frozenset[str]:
    """Lines that the prompts of two examples share."""
    return frozenset(_lines(one)) & frozenset(_lines(other))


def _lines(text: str) -> list[str]:
    return [line for each in text.splitlines() if (line := each.strip())]


_LOST = {True: "not shown", False: "shown", None: "not known"}


def shown_parts(cuts: Iterable[str | None]) -> list[list[str]]:
    """What is shown of an example's table, document and demonstrations, where that may not be all.

    Names and values, from the column ``cut`` of its requests, whose texts are equal where they are not null;
    none where all is shown, and of what is no such column.
    """
    cut = _cut(next(filter(None, cuts), "{}"))
    found = []
    for name, of, what in (
        ("rows", "of_rows", "rows of the table shown"),
        ("characters", "of_characters", "characters of the document shown"),
    ):
        if {name, of} <= cut.keys():
            found.append([what, f"{cut[name]:,} of {cut[of]:,}{', drawn at random' * (name == 'rows')}"])
    for name, what in (("lost_answer", "its answer in them"), ("lost_table", "the table asked about")):
        if name in cut:
            found.append([what, _LOST[cut[name]]])
    if "demonstrations" in cut:
        found.append(["demonstrations with room", f"{cut['demonstrations']:,}"])
    return found


def _cut(text: str) -> Mapping[str, Any]:
    """The column's JSON; empty where it is anything else, as in a run from elsewhere."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    lost = {name: each for name, each in value.items() if name.startswith("lost_")}
    counts = [each for name, each in value.items() if name not in lost]
    are_counts = all(type(each) is int for each in counts)
    return value if are_counts and all(each is None or type(each) is bool for each in lost.values()) else {}


PNG = b"\x89PNG\r\n\x1a\n"


class Pictures:
    """Names for the pictures of a study; equal ones have one name."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._numbers: dict[bytes, int] = {}
        self._fresh: list[DataFile] = []

    def name(self, png: bytes) -> str | None:
        """The path of a picture on the site; None of what is no PNG, as a run from elsewhere may hold."""
        if not png.startswith(PNG):
            return None
        digest = sha256(png).digest()
        known = digest in self._numbers
        path = f"{self._folder}/{self._numbers.setdefault(digest, len(self._numbers))}.png"
        if not known:
            self._fresh.append(DataFile(path, png))
        return path

    def fresh(self) -> list[DataFile]:
        """Those that came since the last call."""
        found, self._fresh = self._fresh, []
        return found


MOST_REFERENCES = 50


Numbers: TypeAlias = "defaultdict[Any, int]"
"""Value -> its number; a new value gets the next one."""


def _numbers() -> Numbers:
    found: Numbers = defaultdict()
    found.default_factory = found.__len__
    return found


def detail(
    rows: ExampleRows,
    *,
    models: Sequence[int],
    places: Mapping[str, int],
    stages: Mapping[str, int],
    pictures: Pictures,
) -> dict[str, Any]:
    """Prompts and answers of an example; equal texts once.

    Args:
        rows: what the run has of it.
        models: for each model of the page its number in the run; -1 where the run has none such.
        places: configuration -> its number on the page.
        stages: design -> its calls, where they are several.
        pictures: that names pictures.

    Returns:
        ``texts`` (:data:`.shortening.Shown`); ``prompts``: configuration -> messages, each [role, text,
        pictures]; ``records``: [text or -1, error or -1, finish reason, tokens of the prompt, of the answer];
        ``answers``: a row per model, of each configuration the number of the record of the last call, or -1;
        ``calls``: [model, configuration, [[messages, record or -1], ...]] of strategies that take several.
    """
    texts, records = _numbers(), _numbers()
    known = {-1: -1}

    def record(answer: int) -> int:
        if answer not in known:
            known[answer] = records[_answer_record(rows.different[answer], texts)]
        return known[answer]

    prompts: dict[int, list[list[Any]]] = {}
    answers = [[-1] * len(places) for _ in models]
    by_cell: dict[int, list[int]] = {}
    for at, row in enumerate(rows.requests):
        by_cell.setdefault(places[row["config"]], []).append(at)
    calls = []
    for place, (first, *later) in sorted(by_cell.items()):
        prompts[place] = _messages(rows, first, texts, pictures)
        several = int(stages.get(rows.requests[first]["design"]) or 1)
        if several == 1:
            for own, model in zip(answers, models, strict=True):
                if model >= 0:
                    own[place] = record(rows.answers[first][model])
            continue
        asked = {first: prompts[place]} | {at: _messages(rows, at, texts, pictures) for at in later}
        for number, model in enumerate(models):
            steps = [
                (at, record(rows.answers[at][model]) if model >= 0 else -1)
                for at in asked
                if rows.requests[at]["model"] is None or rows.requests[at]["model_number"] == model
            ]
            answers[number][place] = _last(rows, model, steps, several)
            calls.append([number, place, [[asked[at], answer] for at, answer in steps]])
    return {
        "texts": list(texts),
        "prompts": {str(place): messages for place, messages in prompts.items()},
        "records": [list(each) for each in records],
        "answers": answers,
        "calls": calls,
    }


def _messages(rows: ExampleRows, at: int, texts: Numbers, pictures: Pictures) -> list[list[Any]]:
    return [
        [
            message.role,
            texts[in_parts(message.content, gaps)],
            [name for name in map(pictures.name, message.images) if name is not None],
        ]
        for message, gaps in zip(rows.prompts[at], gaps_of_row(rows.requests[at]), strict=False)
    ]


def _answer_record(answer: Sequence[Any], texts: Numbers) -> tuple[Any, ...]:
    prediction, error, finish, prompt_tokens, completion_tokens = answer
    return (
        -1 if prediction is None else texts[in_parts(*shortened(prediction))],
        -1 if error is None else texts[without_homes(error)],
        finish,
        prompt_tokens,
        completion_tokens,
    )


def _last(rows: ExampleRows, model: int, steps: Sequence[tuple[int, int]], several: int) -> int:
    """The record of the answer to the last call; where it was not reached, of what failed before."""
    for at, number in steps:
        if number >= 0:
            _, error, *_ = rows.different[rows.answers[at][model]]
            if error is not None or int(rows.requests[at]["stage"]) + 1 >= several:
                return number
    return -1


def plain_scores(scores: NDArray[np.float32] | None) -> list[list[float | int | None]]:
    """Models x configurations, four decimals, None where there is no score."""
    if scores is None:
        return []
    plain = scores.astype(float).round(4).astype(object)
    plain[np.isnan(scores)] = None
    for whole in (0, 1):
        plain[scores == whole] = whole
    found: list[list[float | int | None]] = plain.tolist()
    return found
