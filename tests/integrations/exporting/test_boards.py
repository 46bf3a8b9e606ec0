"""``leaderboard.csv``, and the hub's YAML as its own library reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from huggingface_hub import ModelCard

from torr_plugin.integrations.logs.reading import read_scores

from .conftest import ChangedRun, Export


def test_a_row_a_model_and_data_set_best_first(
    export: Export, tmp_path: Path, analysis: dict[str, Any]
) -> None:
    export("csv", "--organization", "=A lab", "--url", "https://a.example")
    found = pd.read_csv(tmp_path / "csv" / "leaderboard.csv", keep_default_na=False)
    assert found["dataset"].tolist() == sorted(found["dataset"].tolist())
    for dataset, rows in found.groupby("dataset"):
        assert rows["score"].is_monotonic_decreasing
        for row in rows.to_dict("records"):
            figure = analysis["performance"][row["model"]]["datasets"][dataset]
            assert (row["score"], row["low"], row["high"]) == (figure["value"], figure["low"], figure["high"])
            ranks = analysis["rank_intervals_datasets"][dataset][row["model"]]
            assert [row["rank_low"], row["rank_high"]] == ranks
            assert (row["n"], row["configurations"], row["level"]) == (8, 4, 0.95)
    missing = found.set_index(["model", "dataset"])["missing"].to_dict()
    gaps = pd.DataFrame(analysis["holes"]["cells"]).groupby(["model", "dataset"])["missing"].sum().to_dict()
    assert {cell: count for cell, count in missing.items() if count} == gaps
    assert found[found["model"] != "torr-lexical"]["hf_model_id"].unique().tolist() == ["an-org/patchy"]
    assert set(found["organization"]) == {"'=A lab"}  # no formula


def test_the_csv_comes_back_by_our_own_reader(
    export: Export, tmp_path: Path, analysis: dict[str, Any]
) -> None:
    export("csv")
    board = read_scores([tmp_path / "csv" / "leaderboard.csv"])
    assert len(board.items) == 0
    found = board.aggregates.set_index(["model", "task"])
    figures = {
        (model, dataset): figure
        for model, own in analysis["performance"].items()
        for dataset, figure in own["datasets"].items()
    }
    assert found["score"].to_dict() == {cell: figure["value"] for cell, figure in figures.items()}
    assert set(found["n"]) == {8}
    assert found["metric"].xs("bundled.fact_verification", level="task").unique().tolist() == ["accuracy"]


def test_the_card_is_read_by_the_hubs_library(
    export: Export, tmp_path: Path, analysis: dict[str, Any]
) -> None:
    report = export("hub", "--url", "https://a.example/site")
    cards = [name for name in report["files"] if name.endswith("README.md")]
    assert len(cards) == 2
    for name in cards:
        data = ModelCard.load(tmp_path / "hub" / name).data
        assert {each.dataset_name: each.metric_value for each in data.eval_results} == {
            dataset: figure["value"]
            for dataset, figure in analysis["performance"][data.model_name]["datasets"].items()
        }
        assert {each.source_url for each in data.eval_results} == {"https://a.example/site"}


def test_data_that_are_not_on_the_hub_want_a_benchmark(
    export: Export, tmp_path: Path, analysis: dict[str, Any]
) -> None:
    report = export("hub")
    assert not [name for name in report["files"] if ".eval_results" in name]
    assert report["notes"] == [
        "no .eval_results for bundled.cell_lookup, bundled.fact_verification, whose data are not on the hub; "
        "--benchmark names a data set there"
    ]
    named = export("hub", "--benchmark", "an-org/tables", "--model", "torr-lexical", out=tmp_path / "named")
    files = [name for name in named["files"] if ".eval_results" in name]
    assert files == [
        f"torr-lexical/.eval_results/bundled.{name}.yaml" for name in ("cell_lookup", "fact_verification")
    ]
    for name in files:
        (entry,) = yaml.safe_load((tmp_path / "named" / name).read_text())
        assert entry.keys() == {"dataset", "value", "date", "notes"}
        assert entry["dataset"].keys() == {"id", "task_id"}
        figure = analysis["performance"]["torr-lexical"]["datasets"][entry["dataset"]["task_id"]]
        assert (entry["dataset"]["id"], entry["value"]) == ("an-org/tables", figure["value"])
        assert f"{figure['low']:.3f} to {figure['high']:.3f}" in entry["notes"]


@pytest.mark.parametrize(
    ("card", "hub"),
    [
        (
            "cards.tablebench_fact_checking",
            {"id": "Multilingual-Multimodal-NLP/TableBench", "revision": "90593ad8"},
        ),
        ("cards.wikitq", {"id": "stanfordnlp/wikitablequestions"}),  # its revision is a branch
    ],
)
def test_a_cards_own_place_on_the_hub(
    changed_run: ChangedRun, export: Export, tmp_path: Path, card: str, hub: dict[str, str]
) -> None:
    run = changed_run(lambda study: study["datasets"]["bundled.cell_lookup"].update(card=card))
    export("hub", "--model", "torr-lexical", run=run)
    (file,) = (tmp_path / "hub").rglob("*.yaml")
    (entry,) = yaml.safe_load(file.read_text())
    assert entry["dataset"] == {"task_id": "bundled.cell_lookup", **hub}
