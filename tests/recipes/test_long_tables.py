"""Recipes with ``examples.table_tokens`` and ``demonstrations.fit``: planned, recorded, run and resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.catalog.examples import RowSample
from torr_plugin.core.texts import estimate_tokens
from torr_plugin.prompts import text_of
from torr_plugin.recipes import Plan, Recipe, plan, prompt_rows
from torr_plugin.tables import serializers

from ..conftest import Torr
from ..leaderboard.published import Published

CARD = "cards.bundled.cell_lookup"
CONFIGURATIONS = {"serializers": ["html", "csv"], "perturbations": ["none", "shuffle_rows"]}
SHORT: dict[str, Any] = {"table_tokens": 200, "context": 550, "refused": "leave_out"}
FIT = {"shots": 2, "fit": True}


def recipe(examples: dict[str, Any], demonstrations: dict[str, Any] | None = None, **changes: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "short",
            "cards": [CARD],
            "configurations": CONFIGURATIONS,
            "examples": {"count": 20, **examples},
            "demonstrations": demonstrations or {"shots": 0},
            **changes,
        }
    )


def cuts(planned: Plan) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in prompt_rows(planned):
        cut = json.loads(row["cut"] or "{}")
        assert found.setdefault(row["example"], cut) == cut  # the same in every configuration
    return found


@pytest.mark.full
def test_tables_and_prompts_fit_and_requests_say_what_is_shown() -> None:
    planned = plan(recipe(SHORT, FIT))
    [examples] = planned.examples.values()
    html = serializers.get("html")
    assert max(estimate_tokens(str(html.serialize(each.table))) for each in examples) <= 200
    lengths = [estimate_tokens(text_of(each.prompt)) for each in planned.requests()]
    assert max(lengths) <= 450  # answers take 100
    found = cuts(planned)
    assert {each["demonstrations"] for each in found.values()} >= {0, 1}
    for example in examples:
        shown = found[example.id]
        assert shown["demonstrations"] == example.demonstrations
        if isinstance(example.cut, RowSample):
            assert (shown["rows"], shown["of_rows"]) == (len(example.table.body), example.cut.of_rows)
            assert shown["lost_answer"] is example.cut.lost_answer
        else:
            assert set(shown) == {"demonstrations"}
    *_, rows, demonstrations = planned.notes
    sampled = [each for each in found.values() if "rows" in each]
    assert rows.startswith(
        f"{CARD}: {len(sampled)} of 20 examples show some rows of their table, drawn at random, so that no "
        "table takes more than 200 tokens and no prompt takes more than 550 tokens; "
    )
    lost = sum(each["lost_answer"] is True for each in sampled)
    assert f"{lost} lose the answer" in rows
    assert demonstrations.startswith(f"{CARD}: demonstrations are shown as far as they fit into 550 tokens: ")


@pytest.mark.full
def test_where_no_demonstration_can_be_cut_so_short_none_is_shown() -> None:
    few = {"count": 5, "table_tokens": 200, "context": 290}
    planned = plan(recipe(few, FIT))
    assert {each["demonstrations"] for each in cuts(planned).values()} == {0}
    assert max(estimate_tokens(text_of(each.prompt)) for each in planned.requests()) <= 190


def test_the_context_alone_can_limit_tables() -> None:
    planned = plan(recipe({"table_tokens": 300, "context": 300, "refused": "leave_out"}))
    lengths = [estimate_tokens(text_of(each.prompt)) for each in planned.requests()]
    assert 190 < max(lengths) <= 200


@pytest.mark.full
def test_a_limit_of_examples_changes_no_sample() -> None:
    whole, some = cuts(plan(recipe(SHORT, FIT))), cuts(plan(recipe(SHORT, FIT), limit=4))
    assert some == {name: whole[name] for name in some}


@pytest.mark.full
def test_studies_with_other_limits_differ_and_whole_ones_are_as_before() -> None:
    shots = {"shots": 2}
    plain, context = plan(recipe({}, shots)), plan(recipe({"context": 550}, shots))
    keys = [[each.key for each in planned.requests()] for planned in (plain, context)]
    assert keys[0] == keys[1]  # it cuts documents alone
    assert set(cuts(plain).values().__iter__().__next__()) == set()
    record = plain.record()
    assert "table_tokens" not in record
    assert "table_tokens" not in record["recipe"]["examples"]
    assert "fit" not in record["recipe"]["demonstrations"]
    others = [plan(recipe(SHORT, shots)), plan(recipe({"context": 550}, FIT)), plan(recipe(SHORT, FIT))]
    assert len({each.fingerprint for each in (plain, context, *others)}) == 5
    assert others[0].record()["table_tokens"] == 200
    assert Recipe.model_validate(record["recipe"]).demonstrations.fit is False


@pytest.mark.full
def test_carried_prompts_are_as_they_are(mirror: Path) -> None:
    """A prompt that the data set itself has shows its whole table, so its requests say nothing is cut."""
    configurations = ["html/none/default", "html/none/carried"]
    short = {"table_tokens": 200, "count": 3, "refused": "leave_out"}
    planned = plan(recipe(short, cards=["cards.hctqa.real.pak"], configurations=configurations))
    cut = {(row["design"], row["cut"] is None) for row in prompt_rows(planned)}
    assert ("default", False) in cut
    assert ("carried", False) not in cut


STUDY = f"""\
name: short
cards: [{CARD}]
configurations: {{serializers: [html, csv], perturbations: [none]}}
demonstrations: {{shots: 1, fit: true}}
examples: {{count: 6, table_tokens: 200, context: 500, refused: leave_out}}
models: [torr-lexical]
"""


@pytest.mark.full
def test_a_study_is_planned_asked_and_resumed(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text(STUDY)
    planned = torr("plan", "short.yaml")
    assert planned.returncode == 0, planned.stderr
    assert "show some rows of their table, drawn at random" in " ".join(
        (planned.stdout + planned.stderr).split()
    )
    ran = torr("run", "short.yaml", "--out", "run", "--json")
    assert ran.returncode == 0, ran.stderr
    requests = pd.read_parquet(tmp_path / "run" / "requests")
    assert requests.groupby("example")["cut"].nunique(dropna=False).eq(1).all()
    assert requests["prompt"].str.len().max() / 4 + 100 <= 500
    shown = requests["cut"].map(json.loads)
    assert shown.map(lambda cut: cut["demonstrations"]).between(0, 1).all()
    assert shown.map(lambda cut: cut.get("rows", 0) < cut.get("of_rows", 1)).all()
    assert shown.map(lambda cut: "rows" in cut).any()
    published = Published(tmp_path / "run").examples
    for _, row in requests.iterrows():
        cut = json.loads(row["cut"])
        said = dict(published[row["dataset"], row["example"]]["shown"])
        assert said["demonstrations with room"] == str(cut["demonstrations"])
        assert said.get("rows of the table shown") == (
            f"{cut['rows']} of {cut['of_rows']}, drawn at random" if "rows" in cut else None
        )
    again = torr("run", "short.yaml", "--out", "run")
    assert "12 of 12 requests already answered" in again.stderr
    torr("prompts", "short.yaml", "--out", "prompts.parquet")
    written = pd.read_parquet(tmp_path / "prompts.parquet")
    assert written[["key", "cut"]].equals(requests[["key", "cut"]])
