"""The page of a data set: its figures are the analysis's, its examples lead to themselves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

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
        assert {"difficulty", "torr"} <= set(found.attributes("id"))
        assert "missing" not in found.attributes("id")


def test_what_the_study_says_of_it_is_there(folder: Path, study: Study) -> None:
    words = " ".join(page(folder, study, "towns_qa").text.split())
    for said in (
        "What towns_qa would ask, in a sentence.",
        "Metric exact_match",
        "Questions 5, from the test split",
        "Demonstrations 2",
        "Licence CC0-1.0",
        "Card cards.towns_qa",
        f"changes that keep the answer {', '.join(each for each in KEEPS if each != 'none')}",
    ):
        assert said in words


@pytest.mark.full
def test_perturbations_that_were_not_asked_are_not_named(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run", datasets=["wikitq"], perturbations=["none", "shuffle_cols", "insert_empty_rows"]
    )
    found = page(rendered(files, opened(run), tmp_path / "site"), opened(run), "wikitq")
    assert "changes that keep the answer shuffle_cols " in " ".join(found.text.split())


def test_a_data_set_asked_in_one_way_is_not_said_to_be_asked_in_ways(tmp_path: Path) -> None:
    path = tmp_path / "uneven.csv"
    cells = [("one", "html"), *(("two", fmt) for fmt in ("html", "csv"))]
    lines = [f"{m},{d},{f}/none/x,e{e},f1,{e % 2}" for d, f in cells for m in "ab" for e in range(4)]
    path.write_text("\n".join(["model,dataset,config,example,metric,score", *lines]))
    study = opened(path)
    folder = rendered(files, study, tmp_path / "site")
    said = {name: " ".join(page(folder, study, name).text.split()) for name in ("one", "two")}
    assert "Questions 4 " in said["one"]
    assert "Questions 4, each in 2 ways" in said["two"]


def test_other_pages_open_on_this_data_set(folder: Path, study: Study) -> None:
    links = [attrs.get("href") for tag, attrs in page(folder, study, "facts").tags if tag == "a"]
    assert f"../../{study.paths.examples}#dataset=facts" in links
    assert f"../../{study.paths.overview}#show=on%20facts" in links


def test_lists_say_what_ties_with_their_last(tmp_path: Path) -> None:
    """Of 16 examples 1 is hard, 5 are middling, and 10 easy; the models differ on the middling ones."""
    path = tmp_path / "tied.csv"
    right = {example: (0, 0) if example == 0 else (1, 0) if example < 6 else (1, 1) for example in range(16)}
    lines = [f"m{m},d,c{c},e{e},f1,{own[m]}" for e, own in right.items() for m in range(2) for c in range(2)]
    path.write_text("\n".join(["model,dataset,config,example,metric,score", *lines]))
    found = read(rendered(files, opened(path), tmp_path / "site") / "tied" / "datasets" / "d.html")
    text = " ".join(found.text.split())
    assert "ways of writing the table; the last 4 of 5 that are equally hard" in text
    assert "models have right Question" in text, "all five that set models apart are listed"


def test_examples_lead_to_themselves_and_stand_in_order(folder: Path, study: Study) -> None:
    found = page(folder, study, "facts")
    scores = study.source.scores
    means = scores[scores["dataset"] == "facts"].groupby("example", observed=True)["score"].mean()
    means = means.sort_values()
    chosen = [
        attrs["href"] or ""
        for tag, attrs in found.tags
        if tag == "a" and "example=" in (attrs.get("href") or "")
    ]
    names: list[str] = []
    for link in chosen:
        parts = urlsplit(link)
        assert parts.path == f"../../{study.paths.examples}"
        state = {name: value for name, (value,) in parse_qs(parts.fragment).items()}
        assert state["dataset"] == "facts"
        names.append(state["example"])
    half = min(MOST_EXAMPLES, len(means) // 2)
    assert names[:half] == list(means.index[:half])
    row = found.row(names[0])
    assert row[1] == f"{100 * means.iloc[0]:.0f}%"


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
    assert rows_of(found, "aster-large")[-1] == ["aster-large", config, "1", "5"]
    assert "*" in rows_of(found, "aster-large")[0][1]
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
