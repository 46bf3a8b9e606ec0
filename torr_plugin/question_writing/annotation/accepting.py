"""From reviewed questions to a data set as ``torr data make`` makes it: a mirror, cards, recipes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...catalog.own_tables.answer_forms import AnswerMetric
from ...catalog.own_tables.data_set import DataAndCard, Wording, write_data, write_recipe
from ...catalog.own_tables.questions import BETWEEN, TEST, OwnQuestion, with_splits
from ...core.errors import DataError, InputError
from ...scoring.chart_programs import reference_values
from ...scoring.listed_values import parts_of
from ...tables import Table, workbooks
from ..asking import read_record
from ..verdicts import Review, counts_of, read_reviews
from .question import AnnotatedQuestion, question_types, read_annotated, read_tables
from .task import AnnotationTask
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


def accept_annotation(
    folder: Path, name: str, mirror: Path, *, reviews: Sequence[Path] = (), licence: str = "unknown"
) -> dict[str, Any]:
    """Make a data set of the accepted and changed questions; its cards, one a type, and recipes lie here.

    Args:
        folder: the annotation's.
        name: of the data sets; each is called ``<name>_<type>``.
        mirror: the folder that ``TORR_DATA`` names; the data go into folders in it.
        reviews: files with verdicts; none for those in the annotation's folder that have any.
        licence: of the tables.

    Returns:
        ``accepted``, ``changed``, ``rejected`` and ``unreviewed`` (questions), ``made`` (type -> its data set
        and card), ``recipes`` (the first studies), ``kept`` (those of them that were there and were left
        unchanged) and ``notes``.

    Raises:
        InputError: no annotation, no verdicts, a wrong line in a review, no question left, or as for
            ``torr data make``.
        OSError: a file cannot be written.
    """
    record = read_record(AnnotationTask, folder)
    questions, tables = read_annotated(folder), read_tables(folder)
    verdicts = read_reviews(
        folder, reviews, {name: question.candidate for name, question in questions.items()}
    )
    by_type: dict[str, list[OwnQuestion]] = {kind: [] for kind in question_types()}
    for number, review in verdicts.items():
        if review.verdict != "reject":
            question = questions[number]
            by_type[question.type].append(_own_question(question, review, tables[question.table], record))
    source = reviews[0] if reviews else folder
    if not any(by_type.values()):
        raise DataError(
            f"{source}: no question is accepted; expected the verdict 'accept' or 'change' on one"
        )
    # all of them before anything is written, as each may be wrong
    data_sets = {
        kind: write_data(
            f"{name}_{kind}",
            questions_of if questions_of[0].split else with_splits(questions_of),
            mirror,
            beside=Path(),
            licence=licence,
            source=source,
            metric=_METRICS.get(kind),
            wording=_WORDINGS.get(kind),
        )
        for kind, questions_of in by_type.items()
        if questions_of
    }
    recipes = _write_recipes(name, data_sets)
    return {
        **counts_of(verdicts, len(questions)),
        "made": data_sets,
        "recipes": list(recipes),
        "kept": [path for path, was_there in recipes.items() if was_there],
        "notes": list(dict.fromkeys(note for data in data_sets.values() for note in data.notes)),
    }


def _own_question(
    question: AnnotatedQuestion, review: Review, table: Table, record: Mapping[str, Any]
) -> OwnQuestion:
    """The question as it goes into the data, corrected, with its provenance.

    Raises:
        DataError: the answer has several lines, or an empty value.
    """
    answer, is_chart = review.answer or question.candidate, question.kind.form == "code"
    facts = {}
    if is_chart:
        workbook = workbooks.to_bytes(table)
        facts = {"chart_type": question.subtype, "workbook": base64.b64encode(workbook).decode()}
        answer = _chart_values(question, review, workbook)
    if len(answer.splitlines()) > 1:
        raise DataError(f"{review.where}: corrected_answer: has several lines; expected one")
    values = parts_of(answer) if question.kind.form == "values" else [answer]
    if not all(values):
        raise DataError(f"{review.where}: the answer {answer[:40]!r} has an empty value; expected a text")
    return OwnQuestion(
        id=question.id,
        table=question.table,
        content=table,
        question=review.question or question.question,
        answers=(BETWEEN.join(values),),
        has_values=len(values) > 1,
        split=TEST if is_chart else "",
        groups={"type": question.type, "subtype": question.subtype},
        facts=facts,
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
    answers = [
        {**asdict(one), "final": None if one.final is None else round(one.final, 2)}
        for one in question.alternatives
    ]
    provenance = {
        "asked_by": question.asked_by,
        "prompts": record["prompts"],
        "judge": record.get("judge"),
        "question": question.question,
        "answers": answers,
        "verdict": review.verdict,
        "corrected_question": review.question,
        "corrected_answer": review.answer,
        "reviewers": review.reviewers,
        "comments": review.comments,
    }
    return json.dumps(provenance, ensure_ascii=False)


def _write_recipes(name: str, data_sets: Mapping[str, DataAndCard]) -> dict[Path, bool]:
    """A first study of all types, and one of structure comprehending, which exchanges parts of the tables.

    Returns:
        The files, and whether each was there already.
    """
    plain = [kind for kind in data_sets if kind != _STRUCTURE]
    structure = [kind for kind in data_sets if kind == _STRUCTURE]
    studies = (name, plain, ("none", "transpose")), (f"{name}_{_STRUCTURE}", structure, ("none", *_EXCHANGES))
    recipes = {}
    for study, kinds, changes in studies:
        if kinds:
            path, cards = Path(f"{study}.yaml"), [data_sets[kind].card for kind in kinds]
            shots = min(data_sets[kind].shots for kind in kinds)
            recipes[path] = write_recipe(path, cards, shots, changes, _TOKENS)
    return recipes
