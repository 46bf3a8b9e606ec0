"""One study in the terminal, analysis.json, CSV, Parquet and on the pages: everywhere the same figures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from tests.cli.in_process import here
from torr_plugin.analysis import (
    format_interval,
    format_percent,
    format_percent_bounds,
    format_ranks,
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

FIGURES = ("performance", "robustness_5", "robustness", "worst", "best")
COLUMNS = {
    **{name: name.capitalize() for name in FIGURES},
    "robustness_5": "Robustness",
    "robustness": "ToRR\N{RIGHT SINGLE QUOTATION MARK}s robustness",
}
"""What pages call them."""
SEED = 7


@dataclass(frozen=True)
class Study(StudyEverywhere):
    """One study as everyone sees it."""

    @cached_property
    def ranks(self) -> dict[str, dict[str, str]]:
        """Place -> model -> the ranks that it may have, by the analysis."""
        places = {"overall": self.analysis["rank_intervals"], **self.analysis["rank_intervals_datasets"]}
        return {
            place: {model: format_ranks(ranks) for model, ranks in found.items()}
            for place, found in places.items()
        }


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
) -> Study:
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
        return Study(done.stdout, folder / "files", small_site(small_run, made_once))
    build_site([run], folder / "site", charts=False)
    return Study(done.stdout, folder / "files", folder / "site")


@lru_cache(maxsize=16)
def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def plain(text: str) -> str:
    """A figure without the star of one over a cube with holes."""
    return text.replace("*", "")


def written(figure: Mapping[str, Any]) -> str:
    """A figure as it must be written everywhere, to the last sign."""
    return format_interval(figure["value"], figure["low"], figure["high"])


def numbers(text: str) -> tuple[str, ...]:
    """All that has decimals; of a figure without an interval the value alone."""
    return tuple(re.findall(r"\d+\.\d+", text))


def interval(figure: Mapping[str, Any], value: str = "value") -> tuple[str, ...]:
    """The numbers of a figure as they must be written."""
    return numbers(format_interval(figure[value], figure["low"], figure["high"]))


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


def test_the_terminal_says_what_the_files_say(study: Study) -> None:
    lines = [line.split() for line in study.terminal.splitlines()]
    for row in summary_rows(study.analysis):
        expected = " ".join(row.values()).split()
        assert expected in lines
    shares = study.analysis["separability"]["overall"]
    assert f"{shares['paired']:.0%} of {shares['pairs']} pairs of models differ" in study.terminal


def test_the_terminal_says_all_findings(study: Study) -> None:
    lines = [line.strip() for line in study.terminal.splitlines()]
    said = list(map(str.strip, findings(study.analysis)))
    assert len(said) > 4
    assert set(said) <= set(lines)


def test_the_site_offers_the_figures_of_the_command(study: Study) -> None:
    offered = json.loads((study.data / "analysis.json").read_text(encoding="utf-8"))
    for name in (*FIGURES, "separability", "pairs", "rank_intervals", "rank_intervals_datasets"):
        assert offered[name] == study.analysis[name], name


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_hold_the_figures_to_the_last_digit(study: Study, form: str) -> None:
    readers: dict[str, Any] = {"csv": pd.read_csv, "parquet": pd.read_parquet}
    rows = readers[form](study.data / f"figures.{form}").to_dict("records")
    for name in FIGURES:
        for model, figure in study.analysis[name].items():
            for place, own in {"overall": figure["overall"], **figure["datasets"]}.items():
                (row,) = (r for r in rows if (r["figure"], r["model"], r["dataset"]) == (name, model, place))
                assert [row[key] for key in ("value", "low", "high")] == [
                    own[key] for key in ("value", "low", "high")
                ]
                assert row["complete"] == own.get("complete", True)
    ranks = readers[form](study.data / f"rank_intervals.{form}").set_index("model")
    for model, places in study.analysis["rank_intervals"].items():
        assert ranks.loc[model].tolist() == places


def test_the_first_page_shows_them(study: Study) -> None:
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


def body(page: BeautifulSoup, where: str) -> Sequence[Sequence[str]]:
    found = page.select_one(where)
    assert found is not None, where
    return [[words(cell) for cell in row.select("th, td")] for row in found.select("tbody tr")]


def test_a_models_page_shows_them(study: Study) -> None:
    analysis = study.analysis
    pages = {words(page.h1): page for page in map(read, study.site.glob("*/models/*.html"))}
    assert set(pages) == set(analysis["performance"])
    for model, page in pages.items():
        said = {words(each.dt): words(each.dd) for each in page.select("dl.sums > div")}
        (rank,) = (value for name, value in said.items() if name.startswith("Rank"))
        assert rank == study.ranks["overall"][model]
        for name in FIGURES:
            (text,) = (value for label, value in said.items() if label.startswith(COLUMNS[name]))
            assert plain(text) == written(analysis[name][model]["overall"])
        for chart, name in (("performance", "performance"), ("robustness", "robustness_5")):
            rows = {row[0]: row[1] for row in body(page, f"#chart-{chart} table")}
            assert {place: plain(text) for place, text in rows.items()} == {
                place: written(own) for place, own in analysis[name][model]["datasets"].items()
            }


def test_a_data_sets_page_shows_them(study: Study) -> None:
    analysis = study.analysis
    pages = {words(page.h1): page for page in map(read, study.site.glob("*/datasets/*.html"))}
    assert set(pages) == set(analysis["settings"]["examples"])
    for dataset, page in pages.items():
        header, rows = table(page, "#models table.board", "Performance")
        assert set(rows) == set(analysis["performance"])
        for model, cells in rows.items():
            ranks = words(cells[header.index("Tier, rank")].select_one(".bounds"))
            assert ranks == study.ranks[dataset][model]
            for name in FIGURES:
                text = words(cells[header.index(COLUMNS[name])])
                assert plain(text) == written(analysis[name][model]["datasets"][dataset])


def page_of(study: Study, name: str) -> BeautifulSoup:
    (found,) = study.site.glob(f"*/{name}.html")
    return read(found)


def _without_prefix(found: Any) -> Any:
    return json.loads(json.dumps(found).replace('"torr.', '"'))


def test_the_formats_page_shows_them(study: Study) -> None:
    """Which format to use: means, how far behind the best, prompt tokens, and which are worse."""
    page, found = page_of(study, "formats"), study.analysis["serializers"]
    model = ranked_models(study.analysis)[0]
    expected, tokens = found["choice"]["models"][model]["overall"], found["tokens"]["overall"]
    # the page calls formats by what their names do not share
    expected, found, tokens = (_without_prefix(each) for each in (expected, found, tokens))
    rows = body(page, "table[data-view=formats]")
    assert [row[0] for row in rows] == [row["name"] for row in expected]
    for (name, behind, price, mean, so), row in zip(rows, expected, strict=True):
        assert numbers(mean) == interval(row)
        assert numbers(behind) == interval(row["behind"])
        assert (so == "worse") == row["behind"].get("differs", False)
        assert price.split()[0] == f"{tokens[model][name]:,.0f}"
    for model, use, price, lost, furthest, alike, *worse in body(page, "table[data-view=glance]"):
        own, its = found["choice"]["models"][model]["overall"], tokens[model]
        good = [row["name"] for row in own if not row["behind"].get("differs")]
        assert use == next(name for name in good if its[name] <= 1.02 * min(map(its.__getitem__, good)))
        assert numbers(lost) == next(interval(row["behind"]) for row in own if row["name"] == use)
        fewest = min(its.values())
        assert price == f"{its[use]:,.0f} {its[use] / fewest:.2f}\N{MULTIPLICATION SIGN}"
        name, _, behind = furthest.partition(" ")
        assert name == own[-1]["name"]
        assert numbers(behind) == interval(own[-1]["behind"])
        for text, names in (
            (alike, [name for name in good if name != use]),
            *((one, [row["name"] for row in own if row["behind"].get("differs")]) for one in worse),
        ):
            prices = [f"{name} {its[name] / fewest:.2f}\N{MULTIPLICATION SIGN}" for name in names]
            assert text == (", ".join(prices) or "\N{EN DASH}")


def test_the_compare_page_shows_them(study: Study) -> None:
    page, first = page_of(study, "compare"), study.analysis["pairs"][0]
    assert first["models"] == ranked_models(study.analysis)[:2]
    for name in ("performance", "robustness_5", "robustness"):
        rows = {row[0]: row for row in body(page, f"[data-view={name}]")}
        for place, own in {"All data sets": first[name]["overall"], **first[name]["datasets"]}.items():
            text, verdict, *figures = rows[place][1:]
            assert plain(text).lstrip("+") == format_interval(own["value"], own["low"], own["high"])
            said = verdict.startswith(("not shown", "not compared", "too few"))
            assert own.get("differs", False) != said
            for model, figure in zip(first["models"], figures, strict=True):
                found = study.analysis[name][model]
                assert plain(figure) == written(
                    found["overall"] if place == "All data sets" else found["datasets"][place]
                )
    assert len(page.select("#neighbours li")) == len(study.analysis["performance"]) - 1


def test_the_reliability_page_shows_them(study: Study) -> None:
    page, analysis = page_of(study, "reliability"), study.analysis
    curves = analysis["reliability"]["overall"]
    rows = body(page, "table[data-view=prompts]")
    assert [(row[0], numbers(row[1])) for row in rows] == [
        (str(point["k"]), interval(point, "w"))
        for point in curves["prompts"][:-1]  # of all of them there is one ranking
    ]
    agreement = {row[0]: row for row in body(page, "table[data-view=configuration-agreement]")}
    for name, own in analysis["configuration_agreement_intervals"].items():
        row = agreement["All data sets" if name == "overall" else name]
        assert numbers(row[1]) == interval({**own, "low": None, "high": None})
        assert numbers(row[2]) == numbers(f"{own['chance']:.3f}")
    found = analysis["dataset_agreement"]
    for name, tau in zip(found["datasets"], found["tau"], strict=True):
        (row,) = (row for row in body(page, "table[data-view=tau]") if row[0] == name)
        others = [value for other, value in zip(found["datasets"], tau, strict=True) if other != name]
        assert [text for text in row[1:] if text != "\N{EN DASH}"] == [f"{value:.3f}" for value in others]
    assert f"(Kendall's W): {agreement['All data sets'][1]}," in study.terminal
    coefficient = analysis["generalizability"]["overall"]["coefficient"]
    if coefficient["value"] is None:  # of a cube with holes, and then neither says one
        assert not page.select("[data-view=variance]")
        assert "(generalizability)" not in study.terminal
        return
    text = format_interval(*(coefficient[key] for key in ("value", "low", "high")))
    assert text in words(page.select_one("[data-lines=variance]"))
    assert f"(generalizability): {text}" in study.terminal


def test_the_parts_of_the_first_page_show_theirs(study: Study) -> None:
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
