"""Scores by kind of example, and the pictures that models were shown."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.analysis import format_value
from torr_plugin.analysis.figures.table_kinds import TableKinds
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.files import DataFile
from torr_plugin.leaderboard.kinds import MOST_ROWS, facet_tables, mean_cell
from torr_plugin.leaderboard.navigation import navigation
from torr_plugin.leaderboard.pages import dataset, examples, tables
from torr_plugin.leaderboard.views import ViewCell
from torr_plugin.recipes import request_schema
from torr_plugin.running import Run

from .conftest import Only
from .made import make_run, with_analysis
from .pages import Page, read, read_script
from .rendered import opened, rendered

PNG = b"\x89PNG\r\n\x1a\n" + b"the rest of a picture"
HOSTILE = "<script>window.pwned=1</script>"


def examples_of(run: Path) -> pd.DataFrame:
    """What might be known of the examples: sources, one of them hostile, and a property that some have."""
    scores = Run.open(run).scores()
    known = scores[["dataset", "example"]].drop_duplicates().reset_index(drop=True)
    number = known["example"].str.rsplit("-", n=1).str[1].astype(int)
    found: pd.DataFrame = known.assign(
        groups=[json.dumps({"source": HOSTILE if n % 2 else "yearbook", "table": f"t{n}"}) for n in number],
        properties=[
            json.dumps(
                {
                    "table": {"Row Nesting": bool(n < 4), "complexity": ("high", "low")[n % 2]},
                    "question": {"length": ("short", "long")[n % 2], "asks for a sum": bool(n % 3)},
                }
            )
            for n in number
        ],
        cells=[10 + 10 * (int(n) % 4) for n in number],
    )
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(tmp_path_factory.mktemp("kinds") / "run", datasets=("wikitq",), examples=24)
    examples_of(path).to_parquet(path / "examples.parquet", index=False)
    with_analysis(path, examples=Run.open(path).examples(), resamples=1000)
    return path


def page_of(run: Path, out: Path) -> Page:
    """The data set's page."""
    return read(rendered(dataset.files, opened(run), out) / "a-small-study" / "datasets" / "wikitq.html")


def tables_page(run: Path, out: Path) -> Page:
    """The page "Tables like mine"."""
    return read(rendered(tables.files, opened(run), out) / "a-small-study" / "tables.html")


def table_of(page: Page, kind: str) -> list[list[str]]:
    """The rows of the table that has a kind of table in its head."""
    rows = [[" ".join(cell.split()) for cell in row] for row in page.rows]
    at = next(place for place, row in enumerate(rows) if kind in row)
    return [row for row in rows[at:] if len(row) == len(rows[at])]


def views_of(run: Path) -> dict[str, Any]:
    """What the page loads, by choices."""
    file = next(file for file in tables.files(opened(run)) if isinstance(file, DataFile))
    found: dict[str, Any] = read_script(file.content)[1]
    return found


def analysis_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "analysis.json").read_text())
    return found


def test_kinds_of_questions_stand_on_the_page_of_their_data_set(run: Path, tmp_path: Path) -> None:
    page = page_of(run, tmp_path / "site")
    assert page.problems == []
    assert "kinds" in page.attributes("id")
    found = analysis_of(run)["slices"]["wikitq"]
    long = page.row("long")
    assert long[1] == "12"
    of_long = found["values"]["question"]["length"]["long"]["models"]["alpha"]["value"]
    assert float(long[3].split()[0]) == pytest.approx(of_long, abs=0.0051)
    assert "yearbook" not in page.text, "kinds of tables have a page of their own"
    for of, name in (("question", "asks for a sum"), ("table", "Row Nesting")):
        contrast = found["properties"][of][name]
        shown = [float(cell.split()[0]) for cell in page.row(name)[2:]]
        assert shown == pytest.approx(
            [contrast[part]["overall"]["value"] for part in ("present", "absent", "difference")], abs=0.0051
        )


def test_kinds_of_tables_stand_on_their_own_page(run: Path, tmp_path: Path) -> None:
    page = tables_page(run, tmp_path / "site")
    assert page.problems == []
    assert HOSTILE in page.text, "as text"
    found = analysis_of(run)["table_kinds"]
    assert list(found["facets"]) == ["number of cells", "complexity", "source"]
    kinds = {tuple(kind["of"].items()): kind for kind in found["kinds"]}
    own = kinds[(("source", "yearbook"),)]
    head, counts, *rows = table_of(page, "yearbook")
    at = head.index("yearbook")
    assert counts[at] == str(own["examples"]) == "12"
    assert {row[0] for row in rows} == set(own["models"])
    for row in rows:
        figure = own["models"][row[0]]
        assert row[at].split()[0] == format_value(figure["value"], figure["low"], figure["high"])
    assert any("Fewer than 30 examples" in view["lines"][-1] for view in views_of(run).values())


def test_of_many_kinds_each_is_a_row(run: Path) -> None:
    found = opened(run).analysis.table_kinds
    assert found is not None
    source = [kind for kind in found.kinds if list(kind.of) == ["source"]]
    many = [kind.model_copy(update={"of": {"source": f"s{n}"}}) for n in range(9) for kind in source[:1]]
    models = {name: ViewCell(name) for name in source[0].models}
    for kinds, head in (
        (many, ("Source", "Examples", *models)),
        (many[:8], ("Model", *(f"s{n}" for n in range(8)))),
    ):
        (view,) = facet_tables(TableKinds(facets={"source": []}, kinds=kinds), models)
        assert view.head == head
        assert {len(row) for row in view.rows} == {len(head)}


@pytest.mark.full
def test_kinds_of_too_few_examples_are_counted(run: Path, tmp_path: Path) -> None:
    assert "left out" not in tables_page(run, tmp_path / "whole").text
    few = Path(shutil.copytree(run, tmp_path / "run"))
    known = examples_of(few)
    kinds = [{"source": "rare" if n < 3 else "unique" if n < 4 else "ab"[n % 2]} for n in range(len(known))]
    known.assign(groups=[json.dumps(of) for of in kinds]).to_parquet(few / "examples.parquet", index=False)
    (few / "analysis.json").unlink()
    page = tables_page(few, tmp_path / "site")
    assert "Kinds with fewer than 10 examples are left out: 2 by source." in page.text
    assert "rare" not in page.text


def test_every_kind_can_be_chosen_and_has_the_figures_of_the_analysis(run: Path) -> None:
    views = views_of(run)
    found = analysis_of(run)["table_kinds"]
    assert len(views) == len(found["kinds"])
    for kind in found["kinds"]:
        place = ",".join(
            str(values.index(kind["of"][name]) + 1 if name in kind["of"] else 0)
            for name, values in sorted(found["facets"].items(), key=lambda each: each[0] == "data set")
        )
        view = views[place]
        assert f"{kind['examples']} examples about {kind['tables']} tables" in view["lines"][0]
        shown = [row[0][0] for row in view["rows"]]
        assert shown == sorted(shown, key=lambda model: -kind["models"][model]["value"])
        for row in view["rows"]:
            figure = kind["models"][row[0][0]]
            assert row[1][0] == format_value(figure["value"], figure["low"], figure["high"])


@pytest.mark.full
def test_a_study_that_says_nothing_of_its_examples_has_no_such_page(tmp_path: Path) -> None:
    plain = make_run(tmp_path / "run", datasets=("wikitq",))
    with_analysis(plain)
    assert "kinds" not in page_of(plain, tmp_path / "site").attributes("id")
    study = opened(plain)
    assert list(tables.files(study)) == []
    assert "tables" not in {entry.name for entry in navigation(study)}


@pytest.mark.full
def test_an_analysis_made_anew_knows_the_examples_too(run: Path, tmp_path: Path) -> None:
    again = Path(shutil.copytree(run, tmp_path / "run"))
    (again / "analysis.json").unlink()
    page = tables_page(again, tmp_path / "site")
    assert table_of(page, "yearbook") == table_of(tables_page(run, tmp_path / "other"), "yearbook")


@pytest.mark.full
def test_a_long_list_of_kinds_is_cut_and_says_so(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", datasets=("wikitq",), examples=4)
    known = examples_of(path)
    many = [{f"property {n}": bool(row % 2) for n in range(MOST_ROWS + 5)} for row in range(len(known))]
    known["properties"] = [json.dumps({"table": own}) for own in many]
    with_analysis(path, examples=known)
    assert "and 5 more, in analysis.json" in page_of(path, tmp_path / "site").text


@pytest.mark.full
def test_pictures_lie_beside_the_pages(tmp_path: Path, only: Only) -> None:
    only(dataset, examples)
    path = make_run(tmp_path / "run", datasets=("wikitq",), prompt=lambda config, example: "<image>\nWho?")
    shards = path / "requests" / "part-000000.parquet"
    rows = [{**row, "images": [PNG, b"<script>"]} for row in pq.read_table(shards).to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=request_schema()), shards)
    with_analysis(path)
    build_site([path], tmp_path / "site", charts=False)
    pictures = list((tmp_path / "site" / "data").rglob("*.png"))
    assert [each.read_bytes() for each in pictures] == [PNG], "once, though every prompt shows it"
    assert re.fullmatch(r"[a-z0-9-]+\.png", pictures[0].name)
    held = [read_script(each.read_bytes())[1] for each in (tmp_path / "site" / "data").rglob("*.js")]
    assert pictures[0].relative_to(tmp_path / "site").as_posix() in json.dumps(held)


@pytest.mark.parametrize(("mean", "style"), [(0.01, "num at-limit"), (0.5, "num"), (1.0, "num at-limit")])
def test_a_mean_near_a_floor_or_a_ceiling_is_grey(mean: float, style: str) -> None:
    assert mean_cell(Interval(value=mean, low=None, high=None)).style == style
