"""From reviewed questions to a data set as ``torr data make`` makes it: a mirror, cards, recipes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from ...catalog.own_tables.data_set import DataAndCard, write_data, write_recipe
from ...catalog.own_tables.form import AnswerMetric, Wording
from ...catalog.own_tables.questions import BETWEEN, TEST, OwnQuestion, with_splits
from ...core.errors import DataError, InputError
from ...scoring.metrics.charts import reference_values
from ...scoring.metrics.spellings import parts_of
from ...synthesis.annotation import TYPES
from ...tables import Table, workbooks
from ..reviewing import Review, files_with_verdicts, read_reviews
from .charts import chart_facts, drawn_values
from .questions import AnnotatedQuestion, annotation_folder, read_annotated, read_tables

_STRUCTURE = "structure_comprehending"
_EXCHANGES = ("exchange_column_groups", "exchange_row_groups", "exchange_sub_tables")
_Study: TypeAlias = "tuple[Path, Sequence[DataAndCard], tuple[str, ...]]"
_TOKENS = 1024  # of an answer in the first study, where answers may be sentences


@dataclass(frozen=True)
class AcceptedData:
    """What became of a review.

    Attributes:
        made: type of questions -> its data set and card.
        recipes: the first studies; ``kept`` those of them that were there and were left unchanged.
        accepted: the number of questions taken as they are, ``changed`` with corrections.
        rejected: left out by a verdict; ``unreviewed``: for want of one.
        notes: remarks for the user.
    """

    made: Mapping[str, DataAndCard]
    recipes: tuple[Path, ...]
    kept: tuple[Path, ...]
    accepted: int
    changed: int
    rejected: int
    unreviewed: int
    notes: tuple[str, ...]


def accept(
    folder: Path,
    name: str,
    mirror: Path,
    *,
    reviews: Sequence[Path] = (),
    beside: Path = Path(),
    licence: str = "unknown",
) -> AcceptedData:
    """Make a data set of the accepted and changed questions, one card a type.

    Args:
        folder: the annotation's.
        name: of the data sets; each is called ``<name>_<type>``.
        mirror: the folder that ``TORR_DATA`` names; the data go into folders in it.
        reviews: files with verdicts; none for those in the annotation's folder that have any.
        beside: the folder for cards and recipes.
        licence: of the tables.

    Raises:
        InputError: no annotation, no verdicts, a wrong line in a review, no question left, or as for
            ``torr data make``.
        OSError: a file cannot be written.
    """
    record = annotation_folder(folder).read_record()
    questions, tables = read_annotated(folder), read_tables(folder)
    paths = list(reviews) or files_with_verdicts(folder)
    found = read_reviews(paths, questions)
    taken = {each: review for each, review in found.items() if review.verdict != "reject"}
    if not taken:
        raise DataError(
            f"{paths[0]}: no question is accepted; expected the verdict 'accept' or 'change' on one"
        )
    by_type: dict[str, list[OwnQuestion]] = {kind: [] for kind in TYPES}
    for each, review in taken.items():
        question = questions[each]
        by_type[question.type].append(_own_question(question, review, tables, record))
    # all of them before anything is written, as each may be wrong
    made = {
        kind: write_data(
            f"{name}_{kind}",
            own if own[0].split else with_splits(own),
            mirror,
            beside=beside,
            licence=licence,
            source=paths[0],
            metric=_METRICS.get(kind),
            wording=_WORDINGS.get(kind),
        )
        for kind, own in by_type.items()
        if own
    }
    recipes, kept = _write_recipes(name, made, beside)
    verdicts = Counter(review.verdict for review in found.values())
    notes = dict.fromkeys(note for each in made.values() for note in each.notes)
    counts = (verdicts["accept"], verdicts["change"], verdicts["reject"], len(questions) - len(found))
    return AcceptedData(made, recipes, kept, *counts, notes=tuple(notes))


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


def _own_question(
    question: AnnotatedQuestion,
    review: Review,
    tables: Mapping[str, Table],
    record: Mapping[str, object],
) -> OwnQuestion:
    """The question as it goes into the data, corrected, with its provenance.

    Raises:
        DataError: the answer has several lines, or an empty value.
    """
    table, is_chart = tables[question.table], TYPES[question.type].kind == "code"
    said = review.answer or question.candidate
    answer = _chart_values(question, review, table) if is_chart else said
    if len(answer.splitlines()) > 1:
        raise DataError(f"{review.where}: corrected_answer: has several lines; expected one")
    values = parts_of(answer) if TYPES[question.type].kind == "values" else [answer]
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
        facts=chart_facts(question.subtype, table) if is_chart else {},
        provenance=_provenance(question, review, record),
    )


def _chart_values(question: AnnotatedQuestion, review: Review, table: Table) -> str:
    """The y values of the right chart, as a list.

    Raises:
        DataError: the corrected answer is neither such a list nor a program that draws a chart of the kind;
            or there is none, and no program was run.
    """
    if not review.answer:
        values = question.alternatives[0].values
        expected = "a corrected_answer, as no program was run"
    else:
        with suppress(InputError):
            if reference_values(review.answer):
                return review.answer
        values = drawn_values(review.answer, question.subtype, workbooks.to_bytes(table))
        expected = "a corrected_answer that draws one of the subtype asked for"
    if not values:
        raise DataError(
            f"{review.where}: no values of a chart; expected {expected}, or a list of them: [1, 2.5]"
        )
    return values


def _provenance(question: AnnotatedQuestion, review: Review, record: Mapping[str, object]) -> str:
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


def _write_recipes(
    name: str, made: Mapping[str, DataAndCard], beside: Path
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """A first study of all types, and one of structure comprehending, which exchanges parts of the tables."""
    plain = [each for kind, each in made.items() if kind != _STRUCTURE]
    wanted: list[_Study] = [(beside / f"{name}.yaml", plain, ("none", "transpose"))] * bool(plain)
    if _STRUCTURE in made:
        wanted.append((beside / f"{name}_{_STRUCTURE}.yaml", [made[_STRUCTURE]], ("none", *_EXCHANGES)))
    kept = [
        path
        for path, sets, perturbations in wanted
        if write_recipe(
            path, [each.card for each in sets], min(each.shots for each in sets), perturbations, _TOKENS
        )
    ]
    return tuple(path for path, _, _ in wanted), tuple(kept)
