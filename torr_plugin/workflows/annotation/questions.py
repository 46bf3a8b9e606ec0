"""The questions of an annotation with their answers, and the files that keep them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from ...core.atomic_files import read_error, write_atomically
from ...core.errors import InputError, RunError
from ...leaderboard.text import slug
from ...synthesis.annotation import Alternative
from ...synthesis.annotation.parsing import same_question
from ...tables import Table, serializers
from .task import FORMAT

RECORD_FILE, QUESTIONS_FILE, TABLES_FILE = "annotation.yaml", "questions.jsonl", "tables.jsonl"


@dataclass(frozen=True)
class AnnotatedQuestion:
    """A question with the answers that models gave.

    Attributes:
        id: the table's name as far as it is plain, the type, and a hash of both and the question's words.
        table: the table's name.
        type: of the question; ``subtype`` one of the type's, or empty.
        question: its text.
        asked_by: the label of the model that wrote it.
        alternatives: the distinct answers, the candidate first.
    """

    id: str
    table: str
    type: str
    subtype: str
    question: str
    asked_by: str
    alternatives: tuple[Alternative, ...] = ()

    @property
    def candidate(self) -> str:
        """The answer that the vote chose; empty where no model gave one."""
        return self.alternatives[0].answer if self.alternatives else ""


def question_id(table: str, kind: str, question: str) -> str:
    """A question's id: equal for equal words about the same table."""
    digest = hashlib.sha256(json.dumps([table, kind, same_question(question)]).encode()).hexdigest()
    return f"{slug(table)}-{kind}-{digest[:8]}"


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write ``annotation.yaml``.

    Raises:
        RunError: it cannot be written, or what is there was made with other prompts.
    """
    path = folder / RECORD_FILE
    if path.exists():
        before = read_record(folder)
        if before["prompts"] != record["prompts"]:
            raise RunError(
                f"{path}: prompts: found version {before['prompts']!r}, now {record['prompts']}; choose "
                "another --out, so that questions and answers do not mix"
            )
    text = yaml.safe_dump(dict(record), sort_keys=False, allow_unicode=True)
    write_atomically(path, text.encode("utf-8", "replace"))


def read_record(folder: Path) -> Mapping[str, Any]:
    """What ``annotation.yaml`` says.

    Raises:
        RunError: there is none, it cannot be read, or another version wrote it.
    """
    path = folder / RECORD_FILE
    try:
        record = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(
            f"{folder}: no {RECORD_FILE}; expected a folder that 'torr annotate run' wrote"
        ) from None
    except OSError as error:
        raise read_error(path, error) from error
    except (yaml.YAMLError, UnicodeDecodeError):
        raise RunError(f"{path}: is not YAML; expected what 'torr annotate run' wrote") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT or "prompts" not in record:
        raise RunError(f"{path}: is no record of format {FORMAT}; expected what 'torr annotate run' wrote")
    return record


def questions_as_bytes(questions: Iterable[AnnotatedQuestion]) -> bytes:
    """JSON lines, one a question."""
    return _as_lines(asdict(each) for each in questions)


def read_annotated(folder: Path) -> dict[str, AnnotatedQuestion]:
    """Id -> question, of an annotation's folder.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    found = {}
    for row in _lines(folder / QUESTIONS_FILE):
        alternatives = [
            Alternative(**{**each, "models": tuple(each["models"])}) for each in row["alternatives"]
        ]
        found[row["id"]] = AnnotatedQuestion(**{**row, "alternatives": tuple(alternatives)})
    return found


def write_tables(folder: Path, tables: Mapping[str, str]) -> None:
    """Write the tables, name -> HTML, so that the folder stands alone."""
    write_atomically(folder / TABLES_FILE, tables_as_bytes(tables))


def tables_as_bytes(tables: Mapping[str, str]) -> bytes:
    """JSON lines, one a table."""
    return _as_lines({"table": name, "html": html} for name, html in tables.items())


def read_tables(folder: Path) -> dict[str, Table]:
    """Name -> table.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    html = serializers.get("html")
    return {row["table"]: html.parse(row["html"]) for row in _lines(folder / TABLES_FILE)}


def _as_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode("utf-8", "replace")


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    except FileNotFoundError:
        raise RunError(f"{path}: is not there; the same 'torr annotate run' writes it when it ends") from None
    except OSError as error:
        raise read_error(path, error) from error
    except (ValueError, InputError):
        raise RunError(f"{path}: is not JSON lines; expected what 'torr annotate run' wrote") from None
