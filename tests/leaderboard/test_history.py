"""What a site remembers of earlier publications, and what it says has changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.files import PageFile
from torr_plugin.leaderboard.history import (
    MOST_SNAPSHOTS,
    Snapshot,
    continued,
    earlier_history,
    fingerprint,
    history_file,
    read_history,
)
from torr_plugin.leaderboard.pages import history, overview
from torr_plugin.leaderboard.pages.history import changes, with_history
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of

from .conftest import Only
from .made import make_run, with_analysis
from .pages import read
from .simulated import DATASETS, MODELS, simulate

pytestmark = pytest.mark.full

EARLY, LATE = "1760000000", "1765000000"  # 2025-10-09 and 2025-12-06
HISTORY = Path("data/a-small-study/history.json")
PAGE = Path("a-small-study/history.html")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its analysis, to be read only."""
    path = make_run(tmp_path_factory.mktemp("history") / "run")
    with_analysis(path, resamples=50)
    return path


def figure(value: float | None, half: float = 0.01) -> dict[str, float | None]:
    return {
        "value": value,
        "low": None if value is None else value - half,
        "high": None if value is None else value + half,
    }


def snapshot(models: Mapping[str, float], day: str = "2025-10-09", **changed: Any) -> Snapshot:
    record: dict[str, Any] = {
        "published": f"{day}T08:00:00+00:00",
        "fingerprint": "aa",
        "version": "0.1.0",
        "created": "",
        "settings": {
            "level": 0.95,
            "resamples": 100,
            "two_way": False,
            "seed": 0,
            "examples": {"d": 5},
            "configurations": {"d": 3},
            "metrics": {"d": "f1"},
        },
        "models": {
            name: {"performance": figure(value), "robustness": figure(0.5), "rank": [1, 2]}
            for name, value in models.items()
        },
        "datasets": ["d"],
    }
    return Snapshot.model_validate({**record, **changed})


def build(
    run: Path, out: Path, monkeypatch: pytest.MonkeyPatch, epoch: str, previous: Path | None = None
) -> Study:
    """Writes the page and the history alone."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    if not (run / "analysis.json").exists():
        with_analysis(run, resamples=50)
    study = with_history(study_of(open_source(run), set(), alone=True), previous or out)
    for file in history.files(study):
        (out / file.path).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(file, PageFile):
            values = {"study": study, "page": file, "root": "../", **file.values}
            (out / file.path).write_text(Renderer().render(file.template, **values), encoding="utf-8")
        else:
            assert isinstance(file.content, str)
            (out / file.path).write_text(file.content, encoding="utf-8")
    return study


def test_a_site_goes_on_with_the_history_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: Only
) -> None:
    only(history, overview)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EARLY)
    run = simulate(tmp_path / "run", models=MODELS[:2], datasets=DATASETS[:1], examples=3, resamples=20)
    old, new = tmp_path / "old", tmp_path / "new"
    build_site([run], old, charts=False)
    (path,) = old.glob("data/*/history.json")
    assert "Since 2025" not in read(old / "index.html").text
    found = json.loads(path.read_text())
    found["snapshots"][0].update(fingerprint="other")
    path.write_text(json.dumps(found))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", LATE)
    build_site([run], new, charts=False, previous=old)
    said = json.loads((new / path.relative_to(old)).read_text())["snapshots"]
    assert [each["published"][:10] for each in said] == ["2025-10-09", "2025-12-06"]
    assert "Since 2025-10-09" in read(new / "index.html").text


def test_a_first_publication_has_no_page_and_again_changes_nothing(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(run, tmp_path / "site", monkeypatch, EARLY)
    found = json.loads((tmp_path / "site" / HISTORY).read_text())
    assert [each["published"] for each in found["snapshots"]] == ["2025-10-09T08:53:20+00:00"]
    assert not (tmp_path / "site" / PAGE).exists()
    before = (tmp_path / "site" / HISTORY).read_bytes()
    build(run, tmp_path / "site", monkeypatch, LATE)
    assert (tmp_path / "site" / HISTORY).read_bytes() == before


def test_the_same_scores_analysed_otherwise_take_the_place_of_the_last(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(run, tmp_path / "site", monkeypatch, EARLY)
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    with_analysis(copy, resamples=60)
    build(copy, tmp_path / "site", monkeypatch, LATE)
    (only,) = json.loads((tmp_path / "site" / HISTORY).read_text())["snapshots"]
    assert (only["published"][:10], only["settings"]["resamples"]) == ("2025-12-06", 60)


def test_each_publication_says_what_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_run(tmp_path / "one", models=["alpha", "beta", "old <b>model</b>"])
    second = make_run(tmp_path / "two", models=["alpha", "beta", "delta"], seed=5, examples=7)
    build(first, tmp_path / "before", monkeypatch, EARLY)
    study = build(second, tmp_path / "after", monkeypatch, LATE, previous=tmp_path / "before")
    page = read(tmp_path / "after" / PAGE)
    assert page.problems == []
    (_, after, before) = page.rows
    assert after[0].split() == ["2025-12-06", "05:46"]
    assert after[1].strip().startswith("1 model added; 1 model removed")
    assert before[0].startswith("2025-10-09")
    assert before[1].strip() == "First published"
    assert (study.changed_line or "").startswith("Since 2025-10-09: 1 model added")
    assert len(json.loads((tmp_path / "after" / HISTORY).read_text())["snapshots"]) == 2
    assert len(json.loads((tmp_path / "before" / HISTORY).read_text())["snapshots"]) == 1


HOSTILE = "<script>window.pwned=1</script>"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("not json", "JSONDecodeError"),
        ("[" * 100_000, "RecursionError"),
        ('{"snapshots": 3}', "snapshots"),
        (json.dumps({"snapshots": [{"published": HOSTILE}]}), "snapshots.0.published"),
        ('{"snapshots": [' + "1" * 5_000 + "]}", "ValueError"),
        (json.dumps({"snapshots": [snapshot({"a": 0.1}).model_dump()] * (MOST_SNAPSHOTS + 1)}), "snapshots"),
    ],
)
def test_a_damaged_history_is_said_and_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, said: str
) -> None:
    place = tmp_path / "old" / "data/s/history.json"
    place.parent.mkdir(parents=True)
    place.write_text(content)
    found, (note,) = read_history(tmp_path / "old", "s")
    assert found == ()
    assert said in note
    assert note.startswith("data/s/history.json"), "no folder of this machine"
    assert "\n" not in note
    assert len(note) < 500


def test_a_damaged_history_does_not_stop_a_site(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site" / HISTORY
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"snapshots": [{HOSTILE: 1}]}))
    (note,) = build(run, tmp_path / "site", monkeypatch, EARLY).history_notes
    assert "cannot be read" in note
    assert len(json.loads(place.read_text())["snapshots"]) == 1


def test_names_in_a_history_are_text(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "site" / HISTORY
    place.parent.mkdir(parents=True)
    evil = snapshot({HOSTILE: 0.4, "alpha": 0.1}, version=HOSTILE, created=HOSTILE, datasets=[HOSTILE])
    place.write_text(history_file([evil]))
    build(run, tmp_path / "site", monkeypatch, EARLY)
    page = read(tmp_path / "site" / PAGE)
    assert page.problems == []
    assert page.text.count(HOSTILE) >= 2
    assert HOSTILE not in (tmp_path / "site" / PAGE).read_text()


def test_models_that_share_the_highest_mean_are_all_named() -> None:
    none = snapshot({})
    shown = history.publications([none, snapshot({"a": 0.5, "b": 0.5, "c": 0.4}, "2025-12-06")])
    assert [(row[2].text, row[2].bounds) for row in shown.rows] == [
        ("a and b", "0.500 [0.490, 0.510]"),
        ("", ""),
    ]


def test_what_changed_and_whether_beyond_the_intervals() -> None:
    before = snapshot({"a": 0.5, "b": 0.5, "c": 0.5, "gone": 0.2})
    now = snapshot(
        {"a": 0.515, "b": 0.53, "c": 0.47, "new": 0.9}, "2025-12-06", fingerprint="bb", version="0.2.0"
    )
    assert changes(before, now) == (
        "1 model added; 1 model removed; figures of 2 models left their intervals; settings or versions "
        "changed"
    )
    moved = snapshot({"a": 0.505}, fingerprint="bb")
    assert changes(snapshot({"a": 0.5}), moved) == "no model's figures left their intervals"
    assert changes(before, before) == "nothing changed"
    other = before.model_copy(update={"fingerprint": "cc"})
    assert changes(before, other) == "the scores changed, the figures did not"
    settings = before.settings.model_copy(update={"examples": {"d": 5, "e": 7}})
    larger = before.model_copy(update={"datasets": ["d", "e"], "settings": settings})
    assert changes(before, larger) == "1 data set added"
    fewer = before.settings.model_copy(update={"examples": {"d": 4, "e": 7}})
    assert changes(before, larger.model_copy(update={"settings": fewer})).endswith(
        "settings or versions changed"
    )


def test_a_figure_that_is_missing_left_no_interval() -> None:
    before = snapshot({"a": 0.5})
    record = before.model_dump()
    record["models"]["a"]["performance"] = figure(None)
    now = Snapshot.model_validate({**record, "fingerprint": "bb"})
    assert changes(before, now) == "no model's figures left their intervals"


@given(st.lists(st.sampled_from(["aa", "bb", "cc"]), min_size=1, max_size=12))
def test_a_history_never_has_one_fingerprint_twice_in_a_row(marks: list[str]) -> None:
    kept: tuple[Snapshot, ...] = ()
    for number, mark in enumerate(marks):
        now = snapshot({"a": number / 20}, f"2025-10-{number + 1:02}", fingerprint=mark)
        kept = continued(kept, now)
        assert kept[-1] == now
    assert [each.fingerprint for each in kept] == [
        mark for place, mark in enumerate(marks) if place == 0 or marks[place - 1] != mark
    ]


def test_a_history_is_bounded() -> None:
    full = tuple(snapshot({}, fingerprint=str(number)) for number in range(MOST_SNAPSHOTS))
    longer = continued(full, snapshot({}, fingerprint="new"))
    assert len(longer) == MOST_SNAPSHOTS
    assert longer[0] == full[1]


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    place = tmp_path / "data/s/history.json"
    place.parent.mkdir(parents=True)
    kept = (snapshot({"a": 0.25, "ü": 1.0}), snapshot({"b": 0.125}, "2025-12-06"))
    place.write_text(history_file(kept), encoding="utf-8")
    assert read_history(tmp_path, "s") == (kept, ())
    assert read_history(tmp_path, "other") == ((), ())


SCORES = pd.DataFrame(
    {
        "model": ["a", "a", "b"],
        "dataset": "d",
        "config": "c",
        "example": ["1", "2", "1"],
        "metric": "f1",
        "score": [0.0, 0.5, 1.0],
    }
)


def keep(site: Path, slug: str, *snapshots: Snapshot) -> None:
    path = site / "data" / slug / "history.json"
    path.parent.mkdir(parents=True)
    path.write_text(history_file(snapshots))


def test_a_renamed_study_goes_on_with_its_history(tmp_path: Path) -> None:
    """Known by its scores, or by when it was begun: one name may be given to another study meanwhile."""
    begun = "2025-10-08T07:00:00+00:00"
    old = snapshot({"a": 0.5}, created=begun)
    keep(tmp_path, "old-name", old)
    keep(tmp_path, "another", snapshot({"a": 0.1}, fingerprint="bb", created="2025-01-01T00:00:00+00:00"))
    same, later = snapshot({"a": 0.5}), snapshot({"a": 0.6}, fingerprint="cc", created=begun)
    for now in (same, later):
        for name in ("new-name", "another"):
            found, (note,) = earlier_history(tmp_path, name, now)
            assert found == (old,)
            assert note == "the earlier site has this study as old-name; its history continues here"
        assert earlier_history(tmp_path, "old-name", now) == ((old,), ())


def test_a_history_of_another_study_is_not_taken(tmp_path: Path) -> None:
    begun = "2025-10-08T07:00:00+00:00"
    keep(tmp_path, "one", snapshot({"a": 0.5}, created=begun))
    other = snapshot({"b": 0.5}, fingerprint="bb", created=begun)
    assert earlier_history(tmp_path, "new", other) == ((), ()), "no model in common"
    assert earlier_history(tmp_path, "new", snapshot({"a": 0.4}, fingerprint="bb")) == ((), ())
    keep(tmp_path, "two", snapshot({"a": 0.5}, created=begun))
    assert earlier_history(tmp_path, "new", snapshot({"a": 0.5})) == ((), ()), "there are two"
    assert earlier_history(tmp_path / "nowhere", "new", snapshot({"a": 0.5})) == ((), ())


def test_a_fingerprint_is_of_the_scores_whatever_their_order() -> None:
    mark = fingerprint(SCORES)
    assert len(mark) == 32
    assert fingerprint(SCORES.sample(frac=1, random_state=3).reset_index(drop=True)) == mark
    assert fingerprint(SCORES.astype({"model": "category"}).assign(other=1)) == mark
    for column, value in (("score", 0.25), ("model", "c"), ("example", "9"), ("config", "e")):
        changed = SCORES.copy()
        changed.loc[0, column] = value
        assert fingerprint(changed) != mark, column
    assert fingerprint(SCORES.iloc[:2]) != mark


def test_a_date_that_is_none_is_now(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(run, tmp_path / "site", monkeypatch, "yesterday")
    (only,) = json.loads((tmp_path / "site" / HISTORY).read_text())["snapshots"]
    assert only["published"] >= "2026"
