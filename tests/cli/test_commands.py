"""Commands beside the study: in-process, their results and what they say."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.main import get_command

from tests.catalog.own_tables.places import COMMAND, fill
from tests.cli.in_process import here
from torr_plugin.cli.app import app
from torr_plugin.recipes import request_schema
from torr_plugin.running import model_names
from torr_plugin.workflows.listing import advice, model_rows

from ..conftest import Torr
from ..tiny_llama import make

REQUEST_COLUMNS = {
    "key", "model", "dataset", "example", "config", "serializer", "perturbation", "design", "stage", "prompt",
    "references",
}  # fmt: skip


@pytest.fixture
def scores_frame() -> pd.DataFrame:
    rows = [
        (model, "d", config, str(example), "accuracy", float((example + len(config)) % step == 0))
        for model, step in (("a", 2), ("b", 3))
        for config in ("x/none/default", "yy/none/default")
        for example in range(30)
    ]
    return pd.DataFrame(rows, columns=["model", "dataset", "config", "example", "metric", "score"])


def test_plan_counts_and_calls_no_model(torr: Torr) -> None:
    done = torr("plan", "quickstart", "--limit", "2", "--json")
    rows = {row["dataset"]: row for row in json.loads(done.stdout)["datasets"]}
    assert {"bundled.cell_lookup", "bundled.fact_verification", "bundled.aggregation", "total"} == set(rows)
    assert rows["total"]["prompts"] == 3 * 35 * 2
    shown = torr("plan", "quickstart", "--limit", "2")
    assert shown.returncode == 0
    assert "bundled.fact_verification" in shown.stdout


def test_prompts_are_written_as_rows(torr: Torr, tmp_path: Path) -> None:
    out = tmp_path / "prompts.parquet"
    done = torr("prompts", "quickstart", "--limit", "1", "--out", out, "--json")
    assert json.loads(done.stdout) == {"out": str(out), "prompts": 105}
    frame = pd.read_parquet(out)
    assert set(request_schema().names) >= REQUEST_COLUMNS
    assert set(frame.columns) >= REQUEST_COLUMNS
    assert len(frame) == 105
    assert frame.prompt.str.len().min() > 100


def test_prompts_are_written_to_stdout(torr: Torr, tmp_path: Path) -> None:
    line = ("prompts", "quickstart", "--limit", "1", "--cards", "bundled.cell_lookup", "--out")
    done = torr(*line, "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert torr(*line, "p.jsonl").returncode == 0
    assert done.stdout == (tmp_path / "p.jsonl").read_text(encoding="utf-8")
    assert torr(*line, "-", "--json").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.jsonl"]


def test_names_given_twice_are_both_taken(torr: Torr) -> None:
    line = ("prompts", "quickstart", "--limit", "1", "--out", "-", "--cards", "bundled.cell_lookup")
    more = ("--configurations", "torr.html/none/*", "--cards", "bundled.aggregation")
    done = torr(*line, *more, "--configurations", "torr.csv")
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert {row["dataset"] for row in rows} == {"bundled.cell_lookup", "bundled.aggregation"}
    assert {row["serializer"] for row in rows} == {"torr.html", "torr.csv"}


def test_score_prints_each_metric_with_its_interval(torr: Torr, tmp_path: Path) -> None:
    from torr_plugin.catalog import load_card, read_examples

    examples = read_examples(load_card("cards.bundled.fact_verification"), "test")
    rows = [{"example": example.id, "prediction": example.target} for example in examples[:40]]
    rows += [{"example": example.id, "prediction": "neither"} for example in examples[40:50]]
    with gzip.open(tmp_path / "answers.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    done = torr(
        "score", "--card", "cards.bundled.fact_verification", "--predictions", "answers.jsonl.gz", "--json"
    )
    figure = json.loads(done.stdout)["accuracy"]
    assert figure["value"] == pytest.approx(0.8)
    assert figure["low"] < 0.8 < figure["high"]
    assert figure["n"] == 50
    assert "150" in done.stderr  # examples without a prediction are said


@pytest.mark.full
def test_several_models_of_a_file_have_figures_each(torr: Torr, tmp_path: Path) -> None:
    from torr_plugin.catalog import load_card, read_examples

    examples = list(read_examples(load_card("cards.bundled.fact_verification"), "test"))[:20]
    rows = [
        {"example": each.id, "prediction": each.target if right else "neither", "model": model}
        for model, right in (("good", True), ("bad", False))
        for each in examples
    ]
    pd.DataFrame(rows).to_json(tmp_path / "answers.jsonl", orient="records", lines=True)
    line = ("score", "--card", "cards.bundled.fact_verification", "--predictions", "answers.jsonl")
    found = json.loads(torr(*line, "--by", "table", "--json").stdout)
    assert found["accuracy"]["value"] == pytest.approx(0.5)  # over both
    for each, value in zip(found["models"], (1.0, 0.0), strict=True):
        assert each["model"] == ("good" if value else "bad")
        assert each["metrics"]["accuracy"]["value"] == value
        groups = each["by"]["table"]
        assert {figures["accuracy"]["value"] for figures in groups.values()} == {value}
    shown = torr(*line, "--by", "table").stdout
    assert shown.count("good, ") == shown.count("bad, ") > len(found["models"])
    alone = json.loads(torr(*line[:3], "--predictions", _one(tmp_path, rows), "--json").stdout)
    assert "models" not in alone


def _one(folder: Path, rows: list[dict[str, str]]) -> Path:
    """A file of the first model alone."""
    pd.DataFrame(rows[: len(rows) // 2]).to_json(folder / "one.jsonl", orient="records", lines=True)
    return folder / "one.jsonl"


def test_analyse_takes_any_scores_file(torr: Torr, tmp_path: Path, scores_frame: pd.DataFrame) -> None:
    scores_frame.to_json(tmp_path / "scores.jsonl", orient="records", lines=True)
    done = torr("analyse", "scores.jsonl", "--out", "analysis", "--no-charts", "--resamples", 200, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result == json.loads((tmp_path / "analysis" / "analysis.json").read_text())
    for model, part in scores_frame.groupby("model"):
        assert result["performance"][model]["overall"]["value"] == pytest.approx(part.score.mean())


def test_missing_charts_are_one_line_and_their_reasons_a_file(
    torr: Torr, tmp_path: Path, scores_frame: pd.DataFrame
) -> None:
    unsaid = scores_frame["config"].str.replace("/", "-")  # names that say no perturbation
    scores_frame.assign(config=unsaid).to_csv(tmp_path / "s.csv")
    done = torr("analyse", tmp_path / "s.csv", "--out", "analysis", "--resamples", 10)
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stderr.splitlines() if "chart" in line and "Every figure" not in line)
    lines = (tmp_path / "analysis" / "charts" / "left-out.txt").read_text().splitlines()
    assert said == "Some charts are left out; analysis/charts/left-out.txt says which and why"
    reason = "the scores do not say the perturbations of all configurations"
    assert len([line for line in lines if line.endswith(f"perturbation_differences: {reason}")]) == 1


def test_an_asterisk_is_explained_below_the_table(
    torr: Torr, tmp_path: Path, scores_frame: pd.DataFrame
) -> None:
    line = ("analyse", "s.csv", "--out", "analysis", "--resamples", 10, "--no-charts")
    scores_frame.to_csv(tmp_path / "s.csv", index=False)
    assert "*" not in torr(*line).stdout
    scores_frame.iloc[1:].to_csv(tmp_path / "s.csv", index=False)
    shown = torr(*line).stdout.splitlines()
    assert [" *" in row for row in shown[1:3]].count(True) == 1
    assert shown[3] == "* some cells have no score: `holes` in analysis.json names them"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("cards", "cards.hctqa.real"),
        ("recipes", "real"),
        ("serializers", "torr.html"),
        ("perturbations", "insert_empty_rows"),
        ("designs", "default"),
        ("metrics", "hctqa"),
    ],
)
def test_list_names_what_there_is(torr: Torr, kind: str, name: str) -> None:
    assert name in torr("list", kind).stdout
    assert name in [row["name"] for row in json.loads(torr("list", kind, "--json").stdout)[kind]]


def test_no_two_designs_share_a_description(torr: Torr) -> None:
    rows = json.loads(torr("list", "designs", "--json").stdout)["designs"]
    assert len({row["about"] for row in rows}) == len(rows)


def test_formats_are_listed_with_what_they_cost_and_lose(torr: Torr) -> None:
    rows = json.loads(torr("list", "serializers", "--json").stdout)["serializers"]
    found = {row["name"]: row for row in rows}
    assert (found["csv"]["tokens"], found["csv"]["loses"]) == ("1.00", "nothing")
    prices = [float(found[name]["tokens"]) for name in ("tsv", "html_minimal", "html")]
    assert prices == sorted(prices)
    assert found["toon"]["loses"] == "nothing"
    assert "merged" in found["torr.json"]["loses"]
    assert found["image"]["tokens"] == ""


def test_the_tables_that_prices_are_of_are_said(torr: Torr, shared_data: Path) -> None:
    bundled = torr("list", "serializers")
    said = " ".join(bundled.stderr.split())
    assert said == "tokens: relative to csv, by an estimate, over 50 tables that come with the package"
    real = torr("list", "serializers", data=shared_data)
    said = " ".join(real.stderr.split())
    assert said.endswith("over 30 tables of WikiTQ and 30 of HiTab, those with nested headers")
    assert real.stdout != bundled.stdout


@pytest.mark.full
def test_prices_by_a_tokenizer(torr: Torr, tmp_path: Path) -> None:
    folder = make(tmp_path / "tiny", layers=1)
    done = torr("list", "serializers", "--tokenizer", str(folder), "--json")
    rows = {row["name"]: row["tokens"] for row in json.loads(done.stdout)["serializers"]}
    assert f"by the tokenizer {folder}" in " ".join(done.stderr.split())
    assert rows["csv"] == "1.00"
    assert 1.5 < float(rows["html"]) < 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serializers", "--tokenizer", "nobody/nothing"), "tokenizer 'nobody/nothing': not on this machine"),
        (("metrics", "--tokenizer", "x"), "--tokenizer: found it with metrics; expected it with serializers"),
    ],
)
def test_a_tokenizer_that_cannot_be(torr: Torr, arguments: tuple[str, ...], message: str) -> None:
    done = torr("list", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def _all_commands(command: Any, words: list[str]) -> Iterator[list[str]]:
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from _all_commands(inner, [*words, name])


def test_help_fits_eighty_columns(torr: Torr) -> None:
    for words in _all_commands(get_command(app), []):
        done = torr(*words, "--help")
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= 80, words
        assert "..." not in "".join(re.findall(r"(?s)Commands:(.*)", done.stdout)), words  # nothing is cut


KINDS = ["in process", "server", "baseline", "plugin"]


def test_every_model_that_can_be_named_stands_there_engines_first() -> None:
    rows = model_rows()
    assert sorted(row["name"] for row in rows) == model_names()
    places = [(KINDS.index(row["kind"]), not row["installed"], row["name"]) for row in rows]
    assert places == sorted(places)


def test_what_is_missing_is_said_with_the_way_to_get_it() -> None:
    rows = {row["name"]: row for row in model_rows()}
    there = importlib.util.find_spec("vllm") is not None
    assert rows["vllm"]["installed"] is there
    assert rows["vllm"]["missing"] == ([] if there else ["vllm"])
    missing = {**rows["vllm"], "installed": False, "install": "pip install '.[vllm]'"}
    assert advice(missing) == "pip install '.[vllm]'"
    assert advice({**missing, "install": None, "missing": ["a", "b"]}) == "needs a, b"
    assert (
        advice({**rows["openai-chat-completions"], "installed": True}) == "reads its key from OPENAI_API_KEY"
    )


def test_baselines_say_what_they_are_and_take() -> None:
    rows = {row["name"]: row for row in model_rows()}
    assert rows["torr-constant"]["arguments"] == {"answer": ""}
    assert rows["torr-random-cell"]["arguments"] == {"seed": 0}
    assert rows["torr-majority"]["arguments"] == {}
    assert advice(rows["torr-constant"]).endswith("(answer='')")
    assert advice(rows["torr-majority"]) == "the most frequent answer among the demonstrations"


def test_the_command_fits_a_terminal_and_is_json_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = here("models")
    assert shown.exit_code == 0, shown.stderr
    for part in ("In process", "Servers", "Embedded baselines", "torr-lexical", "vllm"):
        assert part in shown.stdout
    found = json.loads(here("models", "--json").stdout)["models"]
    assert {"name", "kind", "installed", "missing", "install", "key", "origin", "about", "arguments"} == set(
        found[0]
    )


def test_the_next_command_is_one_line_to_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    mirror = tmp_path / ("a folder, " * 9).strip()
    done = here(*COMMAND, "--to", mirror)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.splitlines()[-1] == f"Next: TORR_DATA='{mirror}' torr run towns.yaml"
