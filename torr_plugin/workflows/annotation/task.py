"""What is to be annotated and by whom, and its record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...catalog.own_tables import Tables, TableShape
from ...core.errors import InputError, SerializationError, nearest
from ...core.text_files import TextFiles
from ...core.versions import versions
from ...recipes import labelled
from ...running.store.manifest import folder_name, model_record
from ...scoring.judges.prompts import fenced, without_turns
from ...synthesis.annotation import (
    PROMPTS_VERSION,
    TYPES,
    QuestionType,
    answer_prompt,
    judge_prompt,
    question_prompt,
)
from ...synthesis.annotation.parsing import MOST_CODE
from ...tables import Table, serializers
from ...tables.header_tuples import header_tuples, tree_text
from ...tables.serializers import PictureSerializer
from ..rounds import as_prompt, model_called

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry

FORMAT = 1


@dataclass(frozen=True)
class AnnotationTask:
    """What is to be annotated, and by whom.

    Attributes:
        tables: name -> table.
        types: of the questions.
        most: questions of a type about a table.
        serializer: the format in which models see tables.
        asker: writes the questions; ``answerers`` answer them; ``judge`` scores the answers.
        max_tokens: of a reply.
        tree: whether those who answer see the table's header trees too.
        notes: on the tables.
    """

    tables: Mapping[str, Table]
    types: tuple[QuestionType, ...]
    most: int
    serializer: str
    asker: ModelEntry
    answerers: tuple[ModelEntry, ...]
    judge: ModelEntry
    max_tokens: int
    tree: bool = False
    notes: tuple[str, ...] = field(default=())

    @property
    def generation(self) -> dict[str, Any]:
        """The generation parameters of all prompts; greedy, so that there is no seed."""
        return {"max_tokens": self.max_tokens, "temperature": 0.0, "until": []}

    @property
    def models(self) -> tuple[ModelEntry, ...]:
        """All models, each once."""
        return tuple({each.label: each for each in (self.asker, *self.answerers, self.judge)}.values())

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Name -> the table in the chosen format.

        Raises:
            InputError: the format cannot hold one of them.
        """
        return self._written(self.serializer)

    @cached_property
    def html(self) -> Mapping[str, str]:
        """Name -> the table as HTML, which can be read back without loss.

        Raises:
            InputError: HTML cannot hold one of them.
        """
        return self._written("html")

    def _written(self, serializer: str) -> dict[str, str]:
        write = serializers.get(serializer)
        found = {}
        for name, table in self.tables.items():
            try:
                found[name] = str(write.serialize(table))
            except SerializationError as error:
                raise InputError(f"table {name!r}: {error}") from error
        return found

    def question_prompt(self, kind: QuestionType, table: str) -> Prompt:
        """Asks for questions of a type about the table of this name."""
        return as_prompt(question_prompt(kind, self.texts[table], self.most))

    def answer_prompt(self, kind: QuestionType, subtype: str, table: str, question: str) -> Prompt:
        """Asks for the answer to a question about the table of this name."""
        tree = tree_text(header_tuples(self.tables[table])) if self.tree else ""
        return as_prompt(answer_prompt(kind, subtype, self.texts[table], without_turns(question), tree))

    def judge_prompt(self, kind: QuestionType, table: str, question: str, answer: str) -> Prompt:
        """Asks for a score of an answer to a question about the table of this name."""
        shown = fenced(answer, MOST_CODE)
        return as_prompt(judge_prompt(kind, self.texts[table], without_turns(question), shown))

    def record(self) -> dict[str, Any]:
        """What ``annotation.yaml`` says: prompts, models and their arguments, fingerprints of the tables."""
        return {
            "format": FORMAT,
            "versions": dict(versions()),
            "prompts": PROMPTS_VERSION,
            "types": [kind.name for kind in self.types],
            "questions": self.most,
            "serializer": self.serializer,
            "tree": self.tree,
            "generation": self.generation,
            "asker": self.asker.label,
            "answerers": [each.label for each in self.answerers],
            "judge": self.judge.label,
            "models": [model_record(each, folder_name(each.label)) for each in self.models],
            "tables": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.html.items()},
        }


def annotation_task(
    folder: Path,
    models: Sequence[ModelEntry],
    *,
    types: Sequence[str] = (),
    most: int = 5,
    serializer: str = "latex",
    asker: str | None = None,
    answerers: Sequence[str] = (),
    judge: str | None = None,
    max_tokens: int = 4096,
    tree: bool = False,
    encoding: str | None = None,
    header_rows: int | None = None,
    header_columns: int | None = None,
) -> AnnotationTask:
    """A task from what a person says.

    Args:
        folder: of the tables.
        models: all models.
        types: names of types of questions; empty for all.
        most: questions of a type about a table.
        serializer: a text format.
        asker: the label of the model that writes questions; None for the first one.
        answerers: labels of those that answer; empty for all.
        judge: the label of the model that scores answers; None for the asker.
        max_tokens: of a reply.
        tree: whether those who answer see the header trees too.
        encoding: of CSV and HTML files; None to detect it.
        header_rows: rows of headings of every table; None for what its file shows.
        header_columns: columns of headings of every table; None for what its file shows.

    Raises:
        InputError: no model; an unknown type, label or format; or a table cannot be read.
    """
    if not models:
        raise InputError("no model: name one by --model (as in lm-eval) or a file of them by --models")
    by_label = {each.label: each for each in labelled(models)}
    first = model_called(by_label, asker, "--asker") if asker else next(iter(by_label.values()))
    if isinstance(serializers.get(serializer), PictureSerializer):
        raise InputError(
            f"--serializer: found {serializer!r}, which draws; expected a text format, e.g. latex"
        )
    tables = Tables(folder, TextFiles(encoding), TableShape(header_rows, header_columns))
    found = dict(tables.every())
    return AnnotationTask(
        tables=found,
        types=_types_called(types or tuple(TYPES)),
        most=most,
        serializer=serializer,
        asker=first,
        answerers=tuple(model_called(by_label, name, "--answerers") for name in dict.fromkeys(answerers))
        or tuple(by_label.values()),
        judge=model_called(by_label, judge, "--judge") if judge else first,
        max_tokens=max_tokens,
        tree=tree,
        notes=(*tables.texts.notes(), *tables.notes()),
    )


def _types_called(names: Sequence[str]) -> tuple[QuestionType, ...]:
    unknown = [name for name in names if name not in TYPES]
    if unknown:
        raise InputError(f"--types: unknown type {unknown[0]!r}; {nearest(unknown[0], TYPES)}")
    return tuple(TYPES[name] for name in dict.fromkeys(names))
