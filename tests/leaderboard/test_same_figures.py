"""One study in the terminal, analysis.json, CSV, Parquet and on the pages: everywhere the same figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from tests.cli.in_process import here
from torr_plugin.analysis import (
    format_interval,
    format_percent,
    format_percent_bounds,
    ranked_models,
    summary_rows,
)
from torr_plugin.analysis.summary import findings
from torr_plugin.leaderboard import build_site

from ..conftest import MadeOnce
from .made import small_site
from .pages import read_script
from .shown_everywhere import StudyEverywhere, words
from .simulated import DATASETS, MODELS, simulate

pytestmark = pytest.mark.full

FIGURES = {name: name.capitalize() for name in ("performance", "robustness", "worst", "best")}
"""ToRR's, as its table names them."""
SEED = 7


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(0.0, id="whole"),
        pytest.param(0.05, id="with holes", marks=pytest.mark.full),
    ],
)
def study(
    request: pytest.FixtureRequest,
    small_run: Path,
    made_once: MadeOnce,
    tmp_path_factory: pytest.TempPathFactory,
) -> StudyEverywhere:
    folder, run = tmp_path_factory.mktemp("same"), small_run
    if request.param:
        sizes: dict[str, int] = {"examples": 6, "rows": 3, "seed": SEED, "resamples": 50}
        run = simulate(
            folder / "run", models=MODELS[:4], datasets=DATASETS[:2], failing=request.param, **sizes
        )
    options = ("--seed", str(SEED), "--resamples", "50", "--no-charts")
    with pytest.MonkeyPatch.context() as wide:
        wide.setenv("COLUMNS", "160")  # in a narrow one names are broken
        done = here("analyse", run, "--out", folder / "files", *options)
    assert done.exit_code == 0, done.stderr
    if not request.param:
        return StudyEverywhere(done.stdout, folder / "files", small_site(small_run, made_once))
    build_site([run], folder / "site", charts=False)
    return StudyEverywhere(done.stdout, folder / "files", folder / "site")


@lru_cache(maxsize=16)
def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def plain(text: str) -> str:
    """A figure without the star of one over a cube with holes."""
    return text.replace("*", "")


def written(figure: Mapping[str, Any]) -> str:
    """A figure as it must be written everywhere, to the last sign."""
    return format_interval(figure["value"], figure["low"], figure["high"])


def table(page: BeautifulSoup, where: str, last: str) -> tuple[list[str], dict[str, list[Tag]]]:
    """Names of the columns, and the cells of each row by the name of its model."""
    found = page.select_one(where)
    assert found is not None, where
    heads = [row for row in found.select("thead tr") if last in words(row)]
    header = [words(cell) for cell in heads[-1].select("th, td")]
    rows = {}
    for row in found.select("tbody tr"):
        link = row.select_one("a bdi") or row.select_one("th")
        rows[words(link)] = row.select("th, td")
    return header, rows


def test_the_terminal_says_what_the_files_say(study: StudyEverywhere) -> None:
    lines = [line.split() for line in study.terminal.splitlines()]
    for row in summary_rows(study.analysis):
        expected = " ".join(row.values()).split()
        assert expected in lines
    shares = study.analysis["separability"]["overall"]
    assert f"{shares['paired']:.0%} of {shares['pairs']} pairs of models differ" in study.terminal


def test_the_terminal_says_all_findings(study: StudyEverywhere) -> None:
    lines = [line.strip() for line in study.terminal.splitlines()]
    said = list(map(str.strip, findings(study.analysis)))
    assert len(said) > 4
    assert set(said) <= set(lines)


def test_the_site_offers_the_figures_of_the_command(study: StudyEverywhere) -> None:
    offered = json.loads((study.data / "analysis.json").read_text(encoding="utf-8"))
    for name in (*FIGURES, "separability", "pairs", "rank_intervals", "rank_intervals_datasets"):
        assert offered[name] == study.analysis[name], name


def test_the_first_page_shows_them(study: StudyEverywhere) -> None:
    analysis = study.analysis
    header, rows = table(read(study.site / "index.html"), "#board", "Right")
    models = {model: cells for model, cells in rows.items() if len(cells) > 1}
    assert list(models) == ranked_models(analysis)
    for model, cells in models.items():
        assert plain(words(cells[header.index("Right")])) == in_percent(
            analysis["performance"][model]["overall"]
        )
        same = analysis["robustness_5"][model]["overall"]["value"]
        assert plain(words(cells[header.index("Flips")])).startswith(f"{100 * (1 - same):.0f}%")
        for dataset, own in analysis["performance"][model]["datasets"].items():
            assert plain(words(cells[header.index(dataset)])) == in_percent(own).split()[0]


def in_percent(figure: Mapping[str, Any]) -> str:
    """A share as the first page must write it."""
    value = format_percent(figure["value"], figure["low"], figure["high"])
    return f"{value} {format_percent_bounds(figure['low'], figure['high'])}".strip()


def test_a_models_page_shows_them(study: StudyEverywhere) -> None:
    analysis = study.analysis
    pages = {words(page.h1): page for page in map(read, study.site.glob("*/models/*.html"))}
    assert set(pages) == set(analysis["performance"])
    for model, page in pages.items():
        said = {words(each.dt): plain(words(each.dd)) for each in page.select("dl.sums > div")}
        assert said["Right"] == in_percent(analysis["performance"][model]["overall"])
        same = analysis["robustness_5"][model]["overall"]["value"]
        assert said["Flips"].startswith(f"{100 * (1 - same):.0f}%")
        rows = {words(row.th): row for row in page.select("#datasets tbody tr")}
        for dataset, own in analysis["performance"][model]["datasets"].items():
            assert plain(words(rows[dataset].td)) == in_percent(own)
        levels = analysis["serializers"]["choice"]["models"][model]["overall"]
        tokens = analysis["serializers"]["tokens"]["overall"][model]
        shown = {words(row.th): row.select("td") for row in page.select("#formats tbody tr:not(.group)")}
        assert set(shown) == {level["name"].removeprefix("torr.") for level in levels}
        for level in levels:
            right, _, behind, price = shown[level["name"].removeprefix("torr.")]
            assert plain(words(right)) == in_percent(level)
            assert words(price).split()[0] == f"{tokens[level['name']]:,.0f}"
            assert ("real" in (behind.get("class") or [])) == level["behind"].get("differs", False)


def test_a_data_sets_page_has_torrs_figures(study: StudyEverywhere) -> None:
    analysis = study.analysis
    pages = {words(page.h1): page for page in map(read, study.site.glob("*/datasets/*.html"))}
    assert set(pages) == set(analysis["settings"]["examples"])
    for dataset, page in pages.items():
        header, rows = table(page, "#torr table", "Performance")
        assert set(rows) == set(analysis["performance"])
        for model, cells in rows.items():
            for name, head in FIGURES.items():
                text = plain(words(cells[header.index(head)]))
                assert text == written(analysis[name][model]["datasets"][dataset]).replace(" [no width]", "")


def test_the_method_page_says_how_far_models_differ(study: StudyEverywhere) -> None:
    (path,) = study.site.glob("*/method.html")
    shares = study.analysis["separability"]["overall"]
    said = words(read(path).select_one("#trust p"))
    assert f"{round(shares['paired'] * shares['pairs'])} of {shares['pairs']} pairs of models differ." in said


def test_the_parts_of_the_first_page_show_theirs(study: StudyEverywhere) -> None:
    """What its script puts in the place of all questions: each data set, then label-keeping perturbations."""
    kept = json.loads((study.data / "analysis.json").read_text(encoding="utf-8"))["label_keeping"]
    _, parts = read_script((study.data / "pages" / "boards.js").read_text(encoding="utf-8"))
    datasets = list(study.analysis["settings"]["examples"])
    chosen = [(study.analysis, place, parts[at]) for at, place in enumerate(["overall", *datasets])]
    for analysis, place, (html, _) in [*chosen, (kept, "overall", parts[-1])]:
        rows = BeautifulSoup(f"<table>{html}</table>", "html.parser").select("tr[data-model]")
        assert len(rows) == len(analysis["performance"])
        for row in rows:
            own = analysis["performance"][row["data-model"]]
            figure = own["overall"] if place == "overall" else own["datasets"][place]
            assert plain(words(row.select_one("td.right"))) == in_percent(figure)
