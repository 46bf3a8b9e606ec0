"""Scores by kind of example, and the pictures that models were shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.kinds import MOST_ROWS
from torr_plugin.leaderboard.pages import dataset, examples
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
    assert long[3].split()[0] == f"{100 * of_long:.0f}%"
    yearbook = found["groups"]["source"]["yearbook"]
    assert page.row("yearbook")[1] == str(yearbook["examples"])
    assert page.row("yearbook")[2].split()[0] == f"{100 * yearbook['overall']['value']:.0f}%"
    for of, name in (("question", "asks for a sum"), ("table", "Row Nesting")):
        contrast = found["properties"][of][name]
        shown = [float(cell.split()[0].rstrip("%")) / 100 for cell in page.row(name)[2:]]
        assert shown == pytest.approx(
            [contrast[part]["overall"]["value"] for part in ("present", "absent", "difference")], abs=0.0051
        )


@pytest.mark.full
def test_a_study_that_says_nothing_of_its_examples_has_no_such_page(tmp_path: Path) -> None:
    plain = make_run(tmp_path / "run", datasets=("wikitq",))
    with_analysis(plain)
    assert "kinds" not in page_of(plain, tmp_path / "site").attributes("id")


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
