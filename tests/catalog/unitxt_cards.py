"""unitxt's own cards run on rows that the tests give: its file, its steps, its task; its loader stays out."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.parquet as pq

from torr_plugin.catalog import Example
from torr_plugin.catalog.folders import unitxt_file
from torr_plugin.integrations.unitxt import register

from . import tiny

Row = Mapping[str, Any]


def unitxt_card(name: str) -> dict[str, Any]:
    """A card's file in unitxt's own catalog."""
    path = unitxt_file(f"cards.{name}")
    assert path is not None
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return card


def artifact(value: Mapping[str, Any] | str) -> Any:
    """The artifact that a part of a card's file describes."""
    register()
    from unitxt.artifact import Artifact, fetch_artifact
    from unitxt.struct_data_operators import MapHTMLTableToJSON

    if isinstance(value, str):
        return fetch_artifact(value)[0]
    # it asks for a distribution called bs4; what it imports is beautifulsoup4's
    with patch.object(MapHTMLTableToJSON, "check_missing_requirements"):
        return Artifact.from_dict(dict(value))


def task_instances(
    name: str, rows: Iterable[Row], split: str = "test", source: str = ""
) -> list[dict[str, Any]]:
    """What a card of unitxt hands to its template: ``{"input_fields": ..., "reference_fields": ...}`` a row.

    Args:
        name: the card's, without ``cards.``.
        rows: what its loader would give for ``source``.
        split: the split of the card.
        source: the loader's split; the same where it is left out.
    """
    card = unitxt_card(name)
    made = _through([*card["preprocess_steps"], card["task"]], rows, source or split, split)
    return [{key: each[key] for key in ("input_fields", "reference_fields")} for each in made]


def template_references(name: str, instances: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """Target and references as a card's first template makes them, before postprocessing."""
    template = artifact(unitxt_card(name)["templates"][0])
    return [
        template.reference_fields_to_target_and_references(
            template.serialize(dict(each["reference_fields"]), {})
        )
        for each in instances
    ]


def loaded(name: str, files: Mapping[str, Path]) -> dict[str, list[Row]]:
    """What the loader of a card that reads files gives when it is pointed at others."""
    settings = {**unitxt_card(name)["loader"], "files": {split: str(path) for split, path in files.items()}}
    loader = artifact(settings)
    try:
        return {split: [dict(row) for row in loader.split_generator(split)] for split in files}
    finally:
        gc.collect()  # the loader leaves its files open: closed, with a warning, here and not in another test


def turl_rows(path: Path, split: str = "test") -> list[Row]:
    """What unitxt's loader of TURL makes of a file, given in place of the hub's."""
    loader = artifact(unitxt_card("turl_col_type")["loader"])
    loader._download = lambda *_, **__: str(path)
    return [dict(row) for row in loader.split_generator(split)]


def tablebench_rows(name: str, rows: Sequence[Row]) -> list[Row]:
    """The rows that the filter of a TableBench card of unitxt keeps."""
    import datasets
    from unitxt.settings_utils import get_settings

    loader = artifact(unitxt_card(name)["loader"])
    with get_settings().context(allow_unverified_code=True):
        return list(loader.filter_load(datasets.Dataset.from_list([dict(row) for row in rows])))


# -- beside ours -------------------------------------------------------------------------------------------

# our card -> unitxt's names of table, inputs
FIELDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "scigen": ("input_a", {"caption": "input_b"}),
    "numeric_nlg": ("input_a", {"caption": "input_b"}),
    "tab_fact": ("text_a", {"statement": "text_b"}),
    "qtsumm": ("context", {"question": "question"}),
    **{
        name: ("context", {"question": "question", "answer_format": "answer_formatter"})
        for name in tiny.TABLEBENCH_CARDS
    },
    "finqa": (
        "table",
        {"question": "question", "pre_text": "pre_text", "post_text": "post_text"},
    ),
    "turl_col_type": (
        "table",
        {
            "column_name": "colname",
            "page_title": "page_title",
            "section_title": "section_title",
            "caption": "table_caption",
        },
    ),
}


TWINS = {"finqa": "fin_qa"}


def assert_agree(name: str, ours: Sequence[Example], theirs: Sequence[Row]) -> None:
    """Table with its numbers as numbers, inputs, target and references of every example."""
    table, inputs = FIELDS[name]
    assert len(ours) == len(theirs) > 0
    references = template_references(TWINS.get(name, name), theirs)
    for example, instance, (target, right) in zip(ours, theirs, references, strict=True):
        given = instance["input_fields"]
        found = {key: given[table][key] for key in ("header", "rows")}
        assert json.dumps(example.table.to_unitxt()) == json.dumps(found), example.id
        assert {ours: given[named] for ours, named in inputs.items()} == {
            ours: example.fields[ours] for ours in inputs
        }, example.id
        assert (example.target, list(example.references)) == (target, right), example.id


def rows_of(mirror: Path, name: str, split: str) -> list[dict[str, Any]]:
    """The rows of a mirror's file."""
    rows: list[dict[str, Any]] = pq.read_table(mirror / name / f"{split}.parquet").to_pylist()
    return rows


# -- WikiTableQuestions as its repository has it -----------------------------------------------------------


def escaped(text: str) -> str:
    """A value as WikiTableQuestions' files write it."""
    return text.replace("\n", "\\n").replace("|", "\\p")


def write_wikitq(folder: Path, rows: Sequence[Row]) -> Path:
    """The questions' file and the tables' files (``.tsv``); the path of the former."""
    lines = ["id\tutterance\tcontext\ttargetValue"]
    for row in rows:
        table = row["table"]
        answers = "|".join(map(escaped, row["answers"]))
        lines.append("\t".join([row["id"], escaped(row["question"]), table["name"], answers]))
        path = folder / table["name"].replace(".csv", ".tsv")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            grid = [table["header"], *table["rows"]]
            path.write_text("".join("\t".join(map(escaped, line)) + "\n" for line in grid), encoding="utf-8")
    questions = folder / "questions.tsv"
    questions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return questions


def wikitq_examples(folder: Path, rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """unitxt's WikiTQ card, loader included, on files written here instead of fetched: id -> its fields."""
    questions = loaded("wikitq", {"test": write_wikitq(folder, rows)})["test"]
    steps = unitxt_card("wikitq")["preprocess_steps"]
    for step in steps:
        if step["__type__"] == "format_text":
            step["text"] = f"{folder}/{{context}}"
    return {each["id"]: each for each in _through(steps, questions, "test", "test")}


def _through(
    steps: Iterable[Mapping[str, Any] | str], rows: Iterable[Row], source: str, split: str
) -> list[dict[str, Any]]:
    from unitxt.stream import MultiStream

    streams = MultiStream.from_iterables({source: [dict(row) for row in rows]})
    for step in steps:
        streams = artifact(step)(streams)
    return [dict(each) for each in streams[split]]
