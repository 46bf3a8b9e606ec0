"""``torr synth hctqa``: what it writes, that it writes the same again, and one line for every wrong input."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.cli.in_process import one_line
from tests.conftest import Torr
from torr_plugin.papers.hctqa.generator.parameters.loading import SHIPPED
from torr_plugin.tables import serializers
from torr_plugin.tables.workbooks import read_xlsx

SMALL = ("synth", "hctqa", "--tables", "14", "--seed", "5")


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_what_is_written(torr: Torr, tmp_path: Path) -> None:
    done = torr(
        *SMALL,
        "--out",
        "made/hct",
        "--formats",
        "html,csv,latex,xlsx",
        "--sft",
        "alpaca",
        "--nonsense",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    folder = tmp_path / "made" / "hct"
    tables, questions = (pd.read_parquet(folder / f"{name}.parquet") for name in ("tables", "questions"))
    assert (said["tables"], said["questions"]) == (len(tables), len(questions)) == (14, len(questions))
    assert set(tables.columns) >= {
        "table_id",
        "topic",
        "html",
        "csv",
        "latex",
        "relational_csv",
        "properties",
    }
    assert set(questions.columns) >= {
        "question_id",
        "table_id",
        "template",
        "question",
        "sql",
        "answer",
        "properties",
    }
    assert {"html_nonsense"} < set(tables.columns)
    assert set(questions["table_id"]) == set(tables["table_id"])
    for table_id, html in zip(tables["table_id"], tables["html"], strict=True):
        table = serializers.get("html").parse(
            (folder / "html" / f"{table_id}.html").read_text(encoding="utf-8")
        )
        assert table == serializers.get("html").parse(html)
        assert read_xlsx(folder / "xlsx" / f"{table_id}.xlsx").texts_only == table
        assert (folder / "csv" / f"{table_id}.csv").is_file()
        assert (folder / "latex" / f"{table_id}.tex").is_file()
    record = yaml.safe_load((folder / "dataset.yaml").read_text(encoding="utf-8"))
    assert (record["seed"], record["made"]["questions"], len(record["families"])) == (5, len(questions), 12)
    tuned = [
        row for split in ("train", "validation", "test") for row in _rows(folder / "sft" / f"{split}.json")
    ]
    assert sorted(row["id"] for row in tuned) == sorted(questions["question_id"])
    assert not [path for path in (tmp_path / "made").iterdir() if path.name != "hct"]


def _rows(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.full
def test_equal_commands_make_equal_files(torr: Torr, tmp_path: Path) -> None:
    options = ("--formats", "html,xlsx", "--sft", "chat", "--nonsense")
    for out, more in (("one", ()), ("two", ()), ("three", ("--seed", "6"))):
        assert torr(*SMALL, "--tables", "5", *options, "--out", out, *more).returncode == 0
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert digests(tmp_path / "one") != digests(tmp_path / "three")


def test_topics_questions_and_every_combination(torr: Torr, tmp_path: Path) -> None:
    own = shutil.copytree(SHIPPED, tmp_path / "own")
    layouts = json.loads((own / "PARAM_tableTemplates.json").read_text(encoding="utf-8"))
    layouts |= {"col_row_levels": ["1_1", "2_1"], "col_row_agg_pos": ["none_none", "right_bottom"]}
    (own / "PARAM_tableTemplates.json").write_text(json.dumps(layouts), encoding="utf-8")
    done = torr(
        "synth", "hctqa", "--out", "hct", "--parameters", "own", "--topics", "Patent applications",
        "--questions", "2,5", "--shuffle", "none", "--replica", "2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tables, questions = (
        pd.read_parquet(tmp_path / "hct" / f"{name}.parquet") for name in ("tables", "questions")
    )
    assert len(tables) == 2 * 2 * 2 * 3 * 2
    assert set(tables["topic"]) == {"Patent applications"}
    assert set(questions["template"]) == {2, 5}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--questions", "1,16"), ["--questions", "'16'", "from 1 to 15"]),
        (("--questions", "one"), ["--questions", "'one'"]),
        (("--formats", "htlm"), ["--formats", "'htlm'", "did you mean 'html'"]),
        (("--sft", "alpacca"), ["--sft", "'alpacca'", "did you mean 'alpaca'"]),
        (("--sft", "chat", "--sft-table", "markdwn"), ["unknown serializer 'markdwn'"]),
        (("--topics", "Patent aplications"), ["Patent aplications", "did you mean 'Patent applications'"]),
        (("--shuffle", "columns"), ["--shuffle", "'columns'"]),
        (("--replica", "3"), ["--replica", "without --tables"]),
        (("--parameters", "nowhere"), ["nowhere", "no such folder"]),
        (("--out", "full"), ["full", "new or empty folder"]),
        (("--out", "full/notes.txt"), ["notes.txt", "is no folder"]),
    ],
)
def test_wrong_options(torr: Torr, tmp_path: Path, options: tuple[str, ...], expected: list[str]) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    line = one_line(torr(*SMALL, "--out", "hct", *options))
    assert [text for text in expected if text not in line] == [], line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("semantics", '"data"', '"data', ["PARAM_semantics.json:2:"]),
        (
            "NLquestionTemplates",
            "$Sex_patients",
            "$Sexx_patients",
            ["template_", "Sexx", "Patients admitted"],
        ),
        ("tableTemplates", "[2, 3]", "[3, 2]", ["PARAM_tableTemplates.json", "Samples", "[3, 2]"]),
        ("tableTemplates", '"avg"', '"mean"', ["PARAM_tableTemplates.json", "agg_fun1", "'mean'"]),
    ],
)
def test_wrong_parameters(
    torr: Torr, tmp_path: Path, name: str, old: str, new: str, expected: list[str]
) -> None:
    own = shutil.copytree(SHIPPED, tmp_path / "own") / f"PARAM_{name}.json"
    text = own.read_text(encoding="utf-8")
    assert old in text
    own.write_text(text.replace(old, new, 1), encoding="utf-8")
    line = one_line(torr(*SMALL, "--out", "hct", "--parameters", "own"))
    assert [part for part in expected if part not in line] == [], line
    assert not (tmp_path / "hct").exists()
