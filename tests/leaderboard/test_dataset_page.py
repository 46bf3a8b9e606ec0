"""The page of a data set: its figures are the analysis's, its examples lead to themselves."""

from __future__ import annotations

import json
import re
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from torr_plugin.analysis import format_ranks, format_value
from torr_plugin.leaderboard.pages.dataset import MOST_EXAMPLES, files
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.text import tied

from .made import make_run, with_analysis
from .pages import Page, read
from .rendered import opened, rendered
from .simulated import KEEPS

HOSTILE = "{0.__class__}<img src=x onerror=window.pwned=1>%s"


@pytest.fixture(scope="module")
def analysis(small_run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((small_run / "analysis.json").read_text())
    return found


@pytest.fixture(scope="module")
def study(small_study: Study) -> Study:
    return small_study


@pytest.fixture(scope="module")
def folder(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rendered(files, study, tmp_path_factory.mktemp("site"))


def page(folder: Path, study: Study, dataset: str) -> Page:
    return read(folder / study.paths.datasets[dataset])


def rows_of(found: Page, first: str) -> list[list[str]]:
    return [[" ".join(cell.split()) for cell in row] for row in found.rows if row and row[0].strip() == first]


def test_each_data_set_has_a_whole_page(folder: Path, study: Study) -> None:
    for dataset in study.datasets:
        found = page(folder, study, dataset)
        assert found.problems == []
        assert [tag for tag, _ in found.tags].count("h1") == 1
        assert {"models", "difficulty"} <= set(found.attributes("id"))
        assert "missing" not in found.attributes("id")


def test_what_the_study_says_of_it_is_there(folder: Path, study: Study) -> None:
    words = " ".join(page(folder, study, "towns_qa").text.split())
    for said in (
        "What towns_qa would ask, in a sentence.",
        "Metric exact_match",
        "Examples 5, from the test split",
        "Demonstrations 2",
        "Licence CC0-1.0",
        "Card cards.towns_qa",
        f"keep its answers correct {', '.join(each for each in KEEPS if each != 'none')}",
    ):
        assert said in words


@pytest.mark.full
def test_perturbations_that_were_not_asked_are_not_named(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run", datasets=["wikitq"], perturbations=["none", "shuffle_cols", "insert_empty_rows"]
    )
    found = page(rendered(files, opened(run), tmp_path / "site"), opened(run), "wikitq")
    assert "keep its answers correct shuffle_cols Models" in " ".join(found.text.split())


def test_models_stand_in_the_order_of_this_data_set(
    folder: Path, study: Study, analysis: dict[str, Any]
) -> None:
    for dataset in study.datasets:
        found = page(folder, study, dataset)
        values = {model: own["datasets"][dataset]["value"] for model, own in analysis["performance"].items()}
        shown = [row[0].strip() for row in found.rows if row and row[0].strip() in values][: len(values)]
        assert shown == sorted(values, key=lambda model: -values[model])
        for model in values:
            cells = rows_of(found, model)[0]
            claimed = study.tied_groups[dataset]
            assert cells[1] == f"Tier {claimed.groups[model]} {format_ranks(claimed.ranks[model])}"
            parts = ("performance", "robustness_5", "robustness", "robustness_solvable", "worst", "best")
            for cell, part in zip(cells[2:], parts, strict=True):
                own = analysis[part][model]["datasets"][dataset]
                assert cell.split()[0] == format_value(own["value"], own["low"], own["high"])


def test_pairs_that_differ_are_counted(folder: Path, study: Study) -> None:
    for dataset in study.datasets:
        pairs = list(combinations(study.models, 2))
        found = [study.pairs.of("performance", *pair, dataset) for pair in pairs]
        apart = sum(own is not None and own.differs for own in found)
        line = f"{apart} of the {len(pairs)} pairs of models are told apart here"
        assert line in " ".join(page(folder, study, dataset).text.split())


def test_other_pages_open_on_this_data_set(folder: Path, study: Study) -> None:
    links = [attrs.get("href") for tag, attrs in page(folder, study, "facts").tags if tag == "a"]
    for path in (study.paths.formats, study.paths.examples):
        assert f"../../{path}#dataset=facts" in links


def test_the_chart_holds_the_counts_of_the_analysis(
    folder: Path, study: Study, analysis: dict[str, Any]
) -> None:
    own = analysis["difficulty"]["facts"]
    counts = [row[-1] for row in page(folder, study, "facts").rows if row and " to " in row[0]]
    assert [int(each.split()[0]) for each in counts] == own["counts"]


def test_a_chart_of_equally_hard_examples_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "even.csv"
    lines = [f"m,d,c{c},e{e},f1,1" for c in range(2) for e in range(3)]
    path.write_text("\n".join(["model,dataset,config,example,metric,score", *lines]))
    found = read(rendered(files, opened(path), tmp_path / "site") / "even" / "datasets" / "d.html")
    assert "Difficulty of its examples" not in found.text


def test_examples_lead_to_themselves_and_stand_in_order(folder: Path, study: Study) -> None:
    found = page(folder, study, "facts")
    scores = study.source.scores
    means = scores[scores["dataset"] == "facts"].groupby("example")["score"].mean().sort_values()
    chosen = [
        attrs["href"] or ""
        for tag, attrs in found.tags
        if tag == "a" and "example=" in (attrs.get("href") or "")
    ]
    names = []
    for link in chosen:
        parts = urlsplit(link)
        assert parts.path == f"../../{study.paths.examples}"
        state = {name: value for name, (value,) in parse_qs(parts.fragment).items()}
        assert state["dataset"] == "facts"
        names.append(state["example"])
    half = min(MOST_EXAMPLES, len(means) // 2)
    assert names[:half] == list(means.index[:half])
    assert names[half : 2 * half] == list(means.index[::-1][:half])
    row = found.row(names[0])
    assert row[1] == f"{means.iloc[0]:.2f}"


def test_lists_say_what_ties_with_their_last(tmp_path: Path) -> None:
    """Of 16 examples 1 is hard, 5 are middling, and 10 easy; the models differ on the middling ones."""
    path = tmp_path / "tied.csv"
    right = {example: (0, 0) if example == 0 else (1, 0) if example < 6 else (1, 1) for example in range(16)}
    lines = [f"m{m},d,c{c},e{e},f1,{own[m]}" for e, own in right.items() for m in range(2) for c in range(2)]
    path.write_text("\n".join(["model,dataset,config,example,metric,score", *lines]))
    found = read(rendered(files, opened(path), tmp_path / "site") / "tied" / "datasets" / "d.html")
    text = " ".join(found.text.split())
    assert "Lowest mean score over models and configurations; the last 4 of 5 that are equally hard" in text
    assert "Highest mean score; 5 of 10 that are equally easy" in text
    listed = [row[0] for row in found.rows if row and re.fullmatch(r"e\d+", row[0])]
    assert listed[5:10] == ["e10", "e11", "e12", "e13", "e14"], "the easiest, in order"
    assert "mean scores Example" in text, "all five that set models apart are listed"


@pytest.mark.parametrize(
    ("figures", "listed", "said"),
    [
        ([3, 2, 1], 2, ""),
        ([1, 1], 2, ""),
        ([1, 1, 0.3 - 0.2 + 0.9], 2, "2 of 3"),
        ([3, 1, 1], 2, "the last one of 2"),
    ],
)
def test_what_ties_with_the_last_listed(figures: list[float], listed: int, said: str) -> None:
    assert tied(figures, listed) == said


@pytest.mark.full
def test_missing_scores_are_named(small_run: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(small_run, tmp_path / "run"))
    import pandas as pd

    scores = pd.read_parquet(path / "scores.parquet")
    gone = (
        (scores["model"] == "aster-large") & (scores["dataset"] == "facts") & (scores["example"] == "facts-1")
    )
    config = scores["config"].iloc[0]
    scores[~(gone & (scores["config"] == config))].to_parquet(path / "scores.parquet", index=False)
    with_analysis(path, resamples=30)
    study = opened(path)
    folder = rendered(files, study, tmp_path / "site")
    found = page(folder, study, "facts")
    assert "1 score of this data set is missing" in found.text
    assert rows_of(found, "aster-large")[-1] == ["aster-large", config, "1", "5"]
    assert "*" in rows_of(found, "aster-large")[0][2]
    other = page(folder, study, "towns_qa")
    assert "missing" not in other.attributes("id")


def test_hostile_names_are_text_on_every_page(tmp_path: Path) -> None:
    path = make_run(
        tmp_path / "run", models=[HOSTILE, "all"], datasets=[f"a {HOSTILE}", "{0}", "__proto__"], examples=4
    )
    with_analysis(path, resamples=30)
    pages = sorted(rendered(files, opened(path), tmp_path / "site").rglob("*.html"))
    assert len(pages) == 3
    for found in pages:
        assert read(found).problems == []
        assert "<img src=x" not in found.read_text()


def test_a_scores_file_without_parts_of_configurations_has_a_page_too(tmp_path: Path) -> None:
    lines = ["model,dataset,config,example,metric,score"]
    lines += [
        f"m{m},d,c{c},e{e},f1,{(m + c + e) % 3 / 2}" for m in range(2) for c in range(2) for e in range(3)
    ]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(lines))
    found = read(rendered(files, opened(path), tmp_path / "site") / "own" / "datasets" / "d.html")
    assert found.problems == []
    assert "Metric f1" in " ".join(found.text.split())
