"""The page of a model: its figures are the analysis's, and what it says its intervals bear."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from torr_plugin.analysis import format_dollars, format_percent
from torr_plugin.leaderboard.pages.model import files
from torr_plugin.leaderboard.study import ModelWords, Study
from torr_plugin.running.answer import answer_schema

from .made import make_run, with_analysis
from .pages import Page, read
from .rendered import opened, rendered, scored

pytestmark = pytest.mark.full

HOSTILE = "{0.__class__}<img src=x onerror=window.pwned=1>%s"


@pytest.fixture(scope="module")
def study(simulated_run: Path) -> Study:
    return opened(simulated_run)


@pytest.fixture(scope="module")
def folder(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rendered(files, study, tmp_path_factory.mktemp("site"))


def page(folder: Path, model: str) -> Page:
    return read(folder / "simulated-torr" / "models" / f"{model}.html")


def links(found: Page) -> list[str]:
    return [attrs.get("href") or "" for tag, attrs in found.tags if tag == "a"]


def test_each_model_has_a_whole_page(folder: Path, study: Study) -> None:
    for model in study.models:
        found = page(folder, model)
        assert found.problems == []
        headings = [tag for tag, _ in found.tags if tag in ("h1", "h2", "h3")]
        assert headings[0] == "h1"
        assert headings.count("h1") == 1
        assert {"datasets", "formats", "layouts", "flips", "pairs"} <= set(found.attributes("id"))


def test_what_is_known_of_the_model_is_said(folder: Path, study: Study) -> None:
    words = " ".join(page(folder, "borealis-70b").text.split())
    assert "Size 70 billion parameters" in words
    assert "Weights open" in words
    assert "pretrained=nobody/borealis-70b" in words
    (failed,) = [each for each in study.source.failures if each.model == "borealis-70b"]
    assert failed.failed > 0
    assert f"{failed.failed} failed" in words
    assert "Size" not in page(folder, "aster-large").text


KNOWN: dict[str, Any] = {
    "maker": "Aster Labs",
    "licence": "Apache-2.0",
    "open": True,
    "size": 7.0,
    "context": 131_072,
    "price": 0.25,
    "link": "https://example.org/aster",
    "released": "2026-03-01",
}
SAID = {
    "maker": "Maker Aster Labs",
    "licence": "Licence Apache-2.0",
    "open": "Weights open",
    "size": "Size 7 billion parameters",
    "context": "Context 131,072 tokens",
    "price": "Price 0.25",
    "link": "More about it https://example.org/aster",
    "released": "Released 2026-03-01",
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_of_a_model_is_said_and_nothing_else(study: Study, tmp_path: Path, name: str) -> None:
    model = study.models[0]
    told = replace(study, words={**study.words, model: ModelWords(**{name: KNOWN[name]})})
    first = rendered(lambda study: islice(files(study), 1), told, tmp_path)
    found = read(first / study.paths.models[model])
    words = " ".join(found.text.replace("\u200b", "").split())
    assert [each for each, said in SAID.items() if said in words] == [name]
    assert found.problems == []


def test_what_it_cost_and_how_its_answers_ended_is_said(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", datasets=["facts"])
    record = yaml.safe_load((run / "study.yaml").read_text(encoding="utf-8"))
    record["models"][0]["price"] = {"prompt": 1.0, "completion": 10.0}
    (run / "study.yaml").write_text(yaml.safe_dump(record), encoding="utf-8")
    shard = next((run / "predictions" / record["models"][0]["folder"]).glob("*.parquet"))
    answers = pq.read_table(shard).to_pylist()
    ends = [("", "length"), (None, "length"), ("no", "content_filter"), *[(None, "stop")] * len(answers)]
    for answer, (text, reason) in zip(answers, ends, strict=False):
        answer |= {"finish_reason": reason, "prompt_tokens": 1000, "completion_tokens": 100}
        answer["prediction"] = answer["prediction"] if text is None else text
    pq.write_table(pa.Table.from_pylist(answers, schema=answer_schema()), shard)
    (run / "scores.parquet").touch()  # the scores are of these answers
    with_analysis(run, resamples=20)
    out = rendered(files, opened(run), tmp_path / "site")
    words = {
        model: " ".join(read(next(out.rglob(f"models/{model}.html"))).text.split())
        for model in ("alpha", "beta")
    }
    assert "; 1 ran out of tokens before any text; 1 refused; 1 cut off at the token limit" in words["alpha"]
    scores = pd.read_parquet(run / "scores.parquet")
    right = scores[scores["model"] == "alpha"]["score"].sum()
    cost = len(answers) * 2000 / 1e6
    assert f"Cost {format_dollars(cost)} US dollars for all tokens" in words["alpha"]
    assert f"{format_dollars(cost / right)} for each right answer" in words["alpha"]
    assert "US dollars" not in words["beta"]
    assert "cut off" not in words["beta"]


def test_configurations_of_flips_lack_what_all_of_them_share(folder: Path) -> None:
    text = page(folder, "aster-large").text
    assert "torr." not in text
    assert "/default" not in text


def test_flips_lead_to_their_examples(folder: Path, study: Study) -> None:
    found = page(folder, "aster-large")
    scores = study.source.scores
    chosen = [link for link in links(found) if "with=" in link]
    assert 0 < len(chosen) <= 10
    for link in chosen:
        parts = urlsplit(link)
        state = {name: value for name, (value,) in parse_qs(parts.fragment).items()}
        own = scores[
            (scores["dataset"] == state["dataset"])
            & (scores["example"] == state["example"])
            & (scores["model"] == "aster-large")
        ]["score"]
        row = found.row(state["example"])
        ends = [format_percent(own.min()), format_percent(own.max())]
        assert [cell.split()[-1] for cell in row[1:3]] == ends
        assert own.max() > own.min()
        assert parts.path == f"../../{study.paths.examples}"


def test_pairs_read_the_same_from_either_side(study: Study) -> None:
    rows = {
        (str(file.values["name"]), row.model): row  # type: ignore[union-attr]
        for file in files(study)
        for row in file.values["pairs"]  # type: ignore[union-attr]
    }
    turned = {"better": "worse", "worse": "better"}
    assert len(rows) == len(study.models) * (len(study.models) - 1)
    assert {row.standing for row in rows.values()} > set(turned)
    for (one, other), row in rows.items():
        back = rows[other, one]
        assert back.standing == turned.get(row.standing, row.standing)
        assert row.points.numbers[0] == -(back.points.numbers[0] or 0.0)
        assert row.points.value.lstrip("+-") == back.points.value.lstrip("+-")
        own = study.pairs.of("performance", one, other)
        assert own is not None
        assert (row.standing in turned) is own.differs


def test_on_one_data_set_it_is_not_listed(toon: Study, tmp_path: Path) -> None:
    """Four real models, all of whose cells all of them have."""
    found = read(rendered(files, toon, tmp_path) / toon.paths.models[toon.models[0]])
    assert found.problems == []
    assert "datasets" not in found.attributes("id")


def test_a_group_is_said_and_no_rank(folder: Path, study: Study) -> None:
    for model in study.models:
        words = " ".join(page(folder, model).text.split())
        assert "Of 5 models " in words
        assert "Rank" not in words


def test_one_model_in_one_configuration_says_nothing_of_flips_or_groups(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda model, example, *cell: example % 2, "a", ("csv",), ("none",))
    words = " ".join(read(rendered(files, study, tmp_path / "site") / study.paths.models["a"]).text.split())
    assert "Right 50%" in words
    for word in ("obustness", "Worst", "Rank", "Tier", "Median", "answer noise", "Flips", "Of 1 model"):
        assert word not in words, word


def test_hostile_names_are_text_on_every_page(tmp_path: Path) -> None:
    path = make_run(
        tmp_path / "run",
        models=[HOSTILE, "{model}", "half \u202e"],
        datasets=[f"a {HOSTILE}", "{0}"],
        failing={"{model}": HOSTILE},
        examples=4,
    )
    with_analysis(path, resamples=30)
    site = rendered(files, opened(path), tmp_path / "site")
    pages = sorted((site / "a-small-study").glob("models/*.html"))
    assert len(pages) == 3
    for found in pages:
        assert read(found).problems == []
        assert "<img src=x" not in found.read_text()


def test_a_scores_file_of_one_model_has_a_page_too(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", models=["alone"], datasets=["wikitq"], examples=3)
    path = tmp_path / "scores.parquet"
    (run / "scores.parquet").rename(path)
    site = rendered(files, opened(path), tmp_path / "site")
    found = read(site / "scores" / "models" / "alone.html")
    assert found.problems == []
    assert "Against other models" not in found.text


def test_a_model_without_any_score_has_a_page_and_no_claims(tmp_path: Path) -> None:
    configs = ("html/none/default", "csv/none/default")
    rows = [
        (model, "a/b.c", f"e{example}", config, "exact_match", None if model == "mute" else example % 2)
        for model in ("one", "two", "mute")
        for example in range(12)
        for config in configs
    ]
    columns = ["model", "dataset", "example", "config", "metric", "score"]
    path = tmp_path / "scores.parquet"
    pd.DataFrame(rows, columns=columns).to_parquet(path)
    study = opened(path)
    site = rendered(files, study, tmp_path / "site")
    found = read(site / study.paths.models["mute"])
    assert found.problems == []
    assert "formats" not in found.attributes("id")
    assert found.row("one")[1] == found.row("two")[1] == "not compared"
