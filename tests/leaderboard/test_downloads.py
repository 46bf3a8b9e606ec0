"""The downloads page: what it names is there, of the size it says, and holds the figures."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse, format_interval, tables_as
from torr_plugin.analysis.charts import specifications
from torr_plugin.analysis.table_files import written_as
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.files import PageFile
from torr_plugin.leaderboard.pages import downloads, formats
from torr_plugin.leaderboard.pages.downloads import size
from torr_plugin.leaderboard.study import Study

from ..conftest import MadeOnce
from .conftest import Only
from .made import make_run, small_site, with_analysis

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def site(small_run: Path, made_once: MadeOnce) -> Path:
    """Of a run without charts."""
    return small_site(small_run, made_once)


@lru_cache(maxsize=4)
def page(site: Path) -> BeautifulSoup:
    (found,) = site.glob("*/downloads.html")
    return BeautifulSoup(found.read_text(encoding="utf-8"), "html.parser")


def linked(site: Path) -> Iterator[tuple[Tag, Path]]:
    """Links into the downloads, and the files they lead to."""
    (found,) = site.glob("*/downloads.html")
    for link in page(site).select("main a[href]"):
        path = Path(os.path.normpath(found.parent / str(link["href"])))
        assert path.is_relative_to(site)
        yield link, path


def test_every_file_that_is_named_is_there_and_as_large_as_it_says(site: Path) -> None:
    found = list(linked(site))
    assert len(found) > 60
    for link, path in found:
        assert path.is_file(), path
        said = link.find_next_sibling(class_="bounds")
        assert said is None or said.text == size(path.stat().st_size)


def test_every_table_is_there_in_two_formats_that_say_the_same(site: Path) -> None:
    paths = {path for _, path in linked(site)}
    analysis = json.loads(next(site.glob("data/*/analysis.json")).read_text(encoding="utf-8"))
    (data,) = site.glob("data/*")
    for folder, part in (("", analysis), ("label_keeping", analysis["label_keeping"])):
        for file in tables_as(part, ["csv"]):
            if "/" in file.path:
                continue
            stem = data / folder / file.path.removesuffix(".csv")
            assert {stem.with_suffix(f".{ending}") for ending in ("csv", "parquet")} <= paths
            assert not stem.with_suffix(".json").exists()
            columns = pq.read_table(stem.with_suffix(".parquet"))
            expected = [tuple(row.values()) for row in columns.to_pylist()]
            assert len(expected) == file.rows
            with stem.with_suffix(".csv").open(newline="", encoding="utf-8") as opened:
                header, *rows = csv.reader(opened)
            assert header == columns.column_names
            assert stem.with_suffix(".csv").read_bytes() == file.content
            assert rows == [["" if cell is None else str(cell) for cell in row] for row in expected]


def test_the_page_says_how_many_rows(site: Path) -> None:
    row = next(row for row in page(site).select("tbody tr") if row.th and row.th.text.startswith("figures"))
    (data,) = site.glob("data/*")
    assert f"; {len(pd.read_csv(data / 'figures.csv')):,} rows" in row.th.text  # type: ignore[union-attr]


def test_numbers_are_numbers_in_parquet(site: Path) -> None:
    (data,) = site.glob("data/*")
    intervals = {"value", "low", "high", "difference", "behind", "behind_low", "behind_high"}
    numbers = {*intervals, "tau", "score", "size"}
    for path in set(data.glob("*.parquet")) - {data / "scores.parquet"}:
        schema = pq.read_schema(path)
        kinds = {name: str(kind) for name, kind in zip(schema.names, schema.types, strict=True)}
        ranks = path.stem.startswith("rank_intervals")
        for name in numbers & set(kinds):
            assert kinds[name] == ("int64" if ranks else "double"), (path, name)
        assert {kinds[name] for name in ("paired", "apart", "worse", "complete") if name in kinds} <= {
            "bool",
            "double",
        }
        names = {"dataset", "config", "serializer", *({} if "agreement" in path.stem else {"model"})}
        assert {kinds[name] for name in names if name in kinds} <= {"string"}, path


def test_the_scores_give_the_same_figures_again(site: Path) -> None:
    (data,) = site.glob("data/*")
    analysis = json.loads((data / "analysis.json").read_text(encoding="utf-8"))
    settings = analysis["settings"]
    again = analyse(pd.read_parquet(data / "scores.parquet"), resamples=50, seed=settings["seed"])
    for name in ("performance", "robustness", "pairs", "rank_intervals_datasets"):
        assert again[name] == analysis[name]


def test_every_table_says_what_it_holds(site: Path) -> None:
    rows = page(site).select("table.downloads tbody th")
    assert len(rows) > 10
    assert [row.text for row in rows if row.select_one(".bounds") is None] == []


def test_where_a_format_stands_apart_every_difference_of_formats_is_in_a_table(toon: Study) -> None:
    """Pages compare the others over more examples than all formats share."""
    tables = {
        file.path: pd.read_csv(io.BytesIO(file.content)) for file in tables_as(toon.source.figures, ["csv"])
    }
    ends = [["value", "low", "high"], ["behind", "behind_low", "behind_high"]]
    written = {
        format_interval(*both)
        for table in tables.values()
        for columns in ends
        if set(columns) <= set(table)
        for value, low, high in table[columns].dropna().itertuples(index=False, name=None)
        for both in ((value, low, high), (-value, -high, -low))
    }
    page = next(file for file in formats.files(toon) if isinstance(file, PageFile))
    for name, least in (("away", 20), ("glance", 4), ("formats", 10), ("wins-format", 5)):
        cells = [cell for row in page.values["views"][name].rows for cell in row if "[" in cell.bounds]
        # a cell of the format that is furthest behind has its name for a text
        said = {cell.bounds if "furthest" in cell.style else f"{cell.text} {cell.bounds}" for cell in cells}
        assert len(cells) >= least, name
        assert {text.removeprefix("+") for text in said} - written == set(), name


def test_the_list_says_over_which_examples_a_table_is(toon: Study) -> None:
    page = next(file for file in downloads.files(toon) if isinstance(file, PageFile))
    about = {offer.name: offer.about for offer in page.values["tables"][""]}
    assert "over the 109 of 244 examples scored in every configuration" in about["configuration_range"]
    assert "; ToRR's robustness, worst and best over 109 of 244 examples; " in about["figures"]


def test_a_chart_says_over_which_examples_its_figures_are(toon: Study) -> None:
    found, _ = specifications(toon.source.figures)
    said = {name: " ".join(one["title"]["subtitle"]) for name, one in found.items()}
    basis = "4 models, 1 data set, 6 configurations and 244 examples, not all in every configuration"
    five = f"{basis}; over 5 of 6 configurations. "
    begins = {
        "serializer_win_rates": f"{basis}. ",
        "serializer_range": f"{basis}. ",
        "configuration_range": f"{basis}; over the 109 of 244 examples scored in every configuration ",
        "model_scores": f"{basis}; ToRR's robustness, worst and best over 109 of 244 examples. ",
        "performance_datasets": f"{basis}. ",
        "performance_robustness": f"{basis} ",
        "configuration_agreement": five,
        "reliability_prompts": five,
        "reliability_disjoint": five,
        "reliability_examples": five,
    }
    assert {name: said[name][: len(text)] for name, text in begins.items()} == begins
    assert "Cross: this study, 0.99" in said["reliability_frontier"]


def test_torr_s_robustness_has_its_name(toon: Study) -> None:
    spec = specifications(toon.source.figures)[0]["model_scores"]
    assert spec["title"]["text"] == "Performance and ToRR's robustness of each model"
    assert {row["panel"] for row in spec["datasets"]["rows"]} == {
        *("performance", "ToRR's robustness", "worst", "best")
    }


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (17_400, "17 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
    ],
)
def test_sizes_as_people_say_them(count: int, text: str) -> None:
    assert size(count) == text


HOSTILE = "<img src=x onerror=alert(1)>=\"'\n"


def test_hostile_names_are_whole_in_every_format() -> None:
    rows = cube_frame([[[0.5, 1.0]], [[0.2, 0.1]]])
    frame = rows.assign(model=rows["model"].replace("m0", HOSTILE))
    found = {file.path: file.content for file in tables_as(analyse(frame, resamples=5))}
    models = {row["model"] for row in json.loads(found["rank_intervals.json"])}
    assert models == {HOSTILE, "m1"}
    parquet = pq.read_table(io.BytesIO(found["rank_intervals.parquet"]))
    assert set(parquet["model"].to_pylist()) == {HOSTILE, "m1"}
    text = found["rank_intervals.csv"].decode()
    assert {row["model"] for row in csv.DictReader(io.StringIO(text, newline=""))} == {HOSTILE, "m1"}


def test_cells_of_any_kind_can_be_written() -> None:
    """A plugin's table may hold anything, and have two columns of one name."""
    header, rows = (
        ("a", "a", "b", "c"),
        [("\udc80", 1, float("nan"), None), ([1], 2.5, 10**30, None), (None, True)],
    )
    records = json.loads(next(written_as(header, rows, ("json",))))
    assert records[0] == {"a": "?", "a 2": 1, "b": None, "c": None}
    assert records[2] == {"a": None, "a 2": True, "b": None, "c": None}
    columns = pq.read_table(io.BytesIO(next(written_as(header, rows, ("parquet",)))))
    assert columns["a"].to_pylist() == ["?", "[1]", None]
    assert columns.schema.field("c").type == "double"
    assert len(next(written_as(header, rows, ("csv",))).splitlines()) == 4
    assert json.loads(next(written_as(header, [], ("json",)))) == []


def test_a_run_with_hostile_words_and_holes(tmp_path: Path, only: Only) -> None:
    only(downloads)
    run = make_run(
        tmp_path / "run", models=("</script><b>", "=1+1"), failing={"=1+1": "<b>gone</b>"}, name="<b>bold</b>"
    )
    with_analysis(run, resamples=20)
    build_site([run], tmp_path / "site", charts=False)
    assert not page(tmp_path / "site").select("main b")
    for _, path in linked(tmp_path / "site"):
        assert path.is_file()


def test_label_keeping_tables_have_a_group(site: Path) -> None:
    summaries = [each.text for each in page(site).select("#tables summary")]
    assert len(summaries) == 1
    assert summaries[0].startswith("Only changes that keep the answer: ")
