"""From reviewed questions to a data set as ``torr data make`` makes it: a mirror, cards, recipes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...catalog.own_tables.answer_forms import AnswerMetric
from ...catalog.own_tables.data_set import DataAndCard, Wording, write_data, write_recipe
from ...catalog.own_tables.questions import BETWEEN, TEST, OwnQuestion, with_splits
from ...core.errors import DataError, InputError
from ...scoring.chart_programs import reference_values
from ...scoring.listed_values import parts_of
from ...tables import Table, workbooks
from ..verdicts import Review, ReviewCounts, counts_of, read_reviews
from ..words import question_types
from .question import FOLDER, AnnotatedQuestion, read_annotated, read_tables
from .voting import drawn_values

_STRUCTURE = "structure_comprehending"
_EXCHANGES = ("exchange_column_groups", "exchange_row_groups", "exchange_sub_tables")
_TOKENS = 1024  # of an answer in the first study, where answers may be sentences

_WORDINGS = {
    "data_analysis": Wording(
        "Read the table and answer the question in one short paragraph without line breaks. Write nothing "
        "but the answer."
    ),
    "chart_generation": Wording(
        "Read the table and write a Python program that draws the chart with matplotlib and ends with "
        "plt.show(). Write nothing but the program, in one block of code.",
        prefix="Program: ",
        processor="to_string_stripped",
    ),
    _STRUCTURE: Wording(keeps_labels=("none", *_EXCHANGES)),
}
_METRICS = {
    "numerical_reasoning": AnswerMetric.ours("number_match"),
    "chart_generation": AnswerMetric("metrics.torr.charts", "chart_pass"),
    "data_analysis": AnswerMetric("metrics.torr.rouge", "rougeL"),
}
"""The metrics of types whose answers do not show which one fits."""


@dataclass(frozen=True, kw_only=True)
class AcceptedData(ReviewCounts):
    """What became of a review.

    Attributes:
        made: type of questions -> its data set and card.
        recipes: the first studies; ``kept`` those of them that were there and were left unchanged.
        notes: remarks for the user.
    """

    made: Mapping[str, DataAndCard]
    recipes: Sequence[Path]
    kept: Sequence[Path]
    notes: Sequence[str]


def accept_annotation(
    folder: Path,
    name: str,
    mirror: Path,
    *,
    reviews: Sequence[Path] = (),
    licence: str = "unknown",
) -> AcceptedData:
    """Make a data set of the accepted and changed questions; its cards, one a type, and recipes lie here.

    Args:
        folder: the annotation's.
        name: of the data sets; each is called ``<name>_<type>``.
        mirror: the folder that ``TORR_DATA`` names; the data go into folders in it.
        reviews: files with verdicts; none for those in the annotation's folder that have any.
        licence: of the tables.

    Raises:
        InputError: no annotation, no verdicts, a wrong line in a review, no question left, or as for
            ``torr data make``.
        OSError: a file cannot be written.
    """
    record = FOLDER.read(folder)
    questions, tables = read_annotated(folder), read_tables(folder)
    found = read_reviews(folder, reviews, {each.id: each.candidate for each in questions.values()})
    by_type: dict[str, list[OwnQuestion]] = {kind: [] for kind in question_types()}
    for each, review in found.items():
        if review.verdict != "reject":
            question = questions[each]
            by_type[question.type].append(_own_question(question, review, tables[question.table], record))
    if not any(by_type.values()):
        raise DataError(
            f"{reviews[0] if reviews else folder}: no question is accepted; expected the verdict 'accept' or "
            "'change' on one"
        )
    # all of them before anything is written, as each may be wrong
    made = {
        kind: write_data(
            f"{name}_{kind}",
            own if own[0].split else with_splits(own),
            mirror,
            beside=Path(),
            licence=licence,
            source=reviews[0] if reviews else folder,
            metric=_METRICS.get(kind),
            wording=_WORDINGS.get(kind),
        )
        for kind, own in by_type.items()
        if own
    }
    recipes = _write_recipes(name, made)
    return AcceptedData(
        made=made,
        recipes=tuple(recipes),
        kept=tuple(path for path, was_there in recipes.items() if was_there),
        notes=tuple(dict.fromkeys(note for each in made.values() for note in each.notes)),
        **counts_of(found, len(questions)),
    )


def _own_question(
    question: AnnotatedQuestion, review: Review, table: Table, record: Mapping[str, Any]
) -> OwnQuestion:
    """The question as it goes into the data, corrected, with its provenance.

    Raises:
        DataError: the answer has several lines, or an empty value.
    """
    kind = question_types()[question.type].form
    workbook = workbooks.to_bytes(table) if kind == "code" else b""
    answer = review.answer or question.candidate
    if kind == "code":
        answer = _chart_values(question, review, workbook)
    if len(answer.splitlines()) > 1:
        raise DataError(f"{review.where}: corrected_answer: has several lines; expected one")
    values = parts_of(answer) if kind == "values" else [answer]
    if not all(values):
        raise DataError(f"{review.where}: the answer {answer[:40]!r} has an empty value; expected a text")
    facts = {"chart_type": question.subtype, "workbook": base64.b64encode(workbook).decode()}
    return OwnQuestion(
        id=question.id,
        table=question.table,
        content=table,
        question=review.question or question.question,
        answers=(BETWEEN.join(values),),
        has_values=len(values) > 1,
        split=TEST if kind == "code" else "",
        groups={"type": question.type, "subtype": question.subtype},
        facts=facts if kind == "code" else {},
        provenance=_provenance(question, review, record),
    )


def _chart_values(question: AnnotatedQuestion, review: Review, workbook: bytes) -> str:
    """The y values of the right chart, as a list.

    Raises:
        DataError: the corrected answer is neither such a list nor a program that draws a chart of the kind;
            or there is none, and no program was run.
    """
    if review.answer:
        with suppress(InputError):
            if reference_values(review.answer):
                return review.answer
        values = drawn_values(review.answer, question.subtype, workbook)
        expected = "a corrected_answer that draws one of the subtype asked for"
    else:
        values = question.alternatives[0].values
        expected = "a corrected_answer, as no program was run"
    if not values:
        raise DataError(
            f"{review.where}: no values of a chart; expected {expected}, or a list of them: [1, 2.5]"
        )
    return values


def _provenance(question: AnnotatedQuestion, review: Review, record: Mapping[str, Any]) -> str:
    """Who asked, who answered what and how it was scored, who reviewed it, and what was changed."""
    return json.dumps(
        {
            "asked_by": question.asked_by,
            "prompts": record["prompts"],
            "judge": record.get("judge"),
            "question": question.question,
            "answers": [
                {**asdict(each), "final": None if each.final is None else round(each.final, 2)}
                for each in question.alternatives
            ],
            "verdict": review.verdict,
            "corrected_question": review.question,
            "corrected_answer": review.answer,
            "reviewers": review.reviewers,
            "comments": review.comments,
        },
        ensure_ascii=False,
    )


def _write_recipes(name: str, made: Mapping[str, DataAndCard]) -> dict[Path, bool]:
    """A first study of all types, and one of structure comprehending, which exchanges parts of the tables.

    Returns:
        The files, and whether each was there already.
    """
    plain = [each for kind, each in made.items() if kind != _STRUCTURE]
    structure = [each for kind, each in made.items() if kind == _STRUCTURE]
    studies = [
        (Path(f"{name}.yaml"), plain, ("none", "transpose")),
        (Path(f"{name}_{_STRUCTURE}.yaml"), structure, ("none", *_EXCHANGES)),
    ]
    return {
        path: write_recipe(
            path, [each.card for each in sets], min(each.shots for each in sets), changes, _TOKENS
        )
        for path, sets, changes in studies
        if sets
    }
