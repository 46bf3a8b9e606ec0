"""Analyses and sections of plugins that fail: one note, and the rest is there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.plugins.test_loading import plugin
from torr_plugin.analysis import Figure, FigureChart, FigureTable, analyse, findings, write_analysis
from torr_plugin.analysis.study import StudyScores
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sections import Section, ShownSection, shown_sections
from torr_plugin.leaderboard.site import build_site
from torr_plugin.leaderboard.source import PublishedSource, open_source
from torr_plugin.plugins import registered

BAR = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a", "type": "nominal"}}}


class Count(Figure[Any]):
    """How many scores there are."""

    key = "count"

    def compute(self, study: StudyScores) -> Any:
        study.rows["score"] = 0.0  # a copy of its own
        return {"scores": len(study.rows), "resamples": study.options.resamples}

    def lines(self, result: Any) -> list[str]:
        return [f"there are\n{result['scores']} scores"]

    tables = (
        FigureTable("count", ("what", "how many"), lambda found: [("=scores", found["scores"])], "a count"),
    )
    charts = (FigureChart("count", lambda found, context: BAR),)


class Nan(Count):
    key = "nan"

    def compute(self, study: StudyScores) -> Any:
        return {"scores": float("nan")}


class Falls(Count):
    key = "falls"

    def compute(self, study: StudyScores) -> Any:
        raise KeyError("no\ncolumn")


class Nothing(Count):
    key = "nothing"

    def compute(self, study: StudyScores) -> Any:
        return None


def fail(*_: Any) -> Any:
    raise LookupError("no rows")


class Mute(Count):
    key = "mute"
    tables = (FigureTable("mute", ("a",), fail),)
    charts = (FigureChart("mute", fail),)

    def lines(self, result: Any) -> list[str]:
        raise LookupError("no words")


class Leaves(Count):
    key = "leaves"

    def compute(self, study: StudyScores) -> Any:
        raise SystemExit(3)


class Shown(Section):
    """A section whose parts a test chooses."""

    title = "Shown <i>"

    def __init__(self, name: str, data: Any = None, template: Any = "<p>{{ word }}</p>", chart: Any = None):
        self.name, self.template = name, template
        self._data, self._chart = data, chart

    def data(self, analysis: Mapping[str, Any], study: Mapping[str, Any]) -> Any:
        if isinstance(self._data, BaseException):
            raise self._data
        return self._data

    def chart(self, data: Mapping[str, Any]) -> Any:
        return self._chart


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    rows = [
        (model, "d", config, str(example), "m", float((example + len(config)) % 2))
        for model in ("a", "b")
        for config in ("html/none/default", "csv/none/default")
        for example in range(4)
    ]
    return pd.DataFrame(rows, columns=["model", "dataset", "config", "example", "metric", "score"])


def test_figures_are_under_their_names_and_the_others_are_unchanged(
    scores: pd.DataFrame, tmp_path: Path
) -> None:
    plain = analyse(scores, resamples=20)
    assert "plugins" not in plain
    with registered(plugin(torr_analyses=lambda: [Count(), Nothing()]), "it"):
        found = analyse(scores, resamples=20)
        assert found.pop("plugins") == {"count": {"scores": 16, "resamples": 20}}
        assert found == plain
        found["plugins"] = {"count": {"scores": 16}, "gone": {}}
        assert findings(found)[-1] == "there are 16 scores"
        write_analysis(found, tmp_path, charts=())
    assert (tmp_path / "plugins" / "count.csv").read_text() == "what,how many\n'=scores,16\n"
    assert sorted(path.name for path in (tmp_path / "plugins").iterdir()) == ["count.csv"]


def test_its_chart_is_drawn(scores: pd.DataFrame, tmp_path: Path) -> None:
    with registered(plugin(torr_analyses=lambda: [Count(), Mute()]), "it"):
        written = write_analysis(analyse(scores, resamples=20), tmp_path)
    assert (tmp_path / "charts" / "plugins" / "count.svg").read_text().startswith("<svg")
    assert "no chart plugins/mute: LookupError: no rows" in written.left_out


def test_one_that_fails_becomes_a_note(scores: pd.DataFrame, tmp_path: Path) -> None:
    with registered(plugin(torr_analyses=lambda: [Falls(), Nan(), Leaves(), Mute()]), "it"):
        found = analyse(scores, resamples=20)
        assert set(found["plugins"]) == {"mute"}
        notes = [note for note in found["notes"] if "of plugin 'it'" in note]
        assert notes[0] == "figure 'falls' of plugin 'it' failed: KeyError: 'no\\ncolumn'; it was left out"
        assert notes[1].startswith("figure 'nan' of plugin 'it' failed: ValueError: ")
        assert notes[2] == "figure 'leaves' of plugin 'it' failed: SystemExit: 3; it was left out"
        assert findings(found)[-1] == "figure 'mute' of plugin 'it' failed: LookupError: no words"
        write_analysis(found, tmp_path, charts=())
    assert "'mute' of plugin 'it' failed" in (tmp_path / "plugins" / "mute.csv").read_text()
    written = json.loads((tmp_path / "analysis.json").read_text())
    assert written["plugins"]["mute"] == {"scores": 16, "resamples": 20}


REMOTE = {"data": {"url": "http://127.0.0.1:9/x.json"}, "mark": "bar"}


class Alters(Shown):
    """One that changes what it is given, which is also published beside the page."""

    def data(self, analysis: Any, study: Any) -> Any:
        analysis.clear()
        study["name"] = "another"
        return {"word": "fine"}


@pytest.fixture(scope="module")
def source(scores: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> PublishedSource:
    path = tmp_path_factory.mktemp("source") / "scores.csv"
    scores.to_csv(path, index=False)
    return open_source(path)


def shown(source: PublishedSource, *given: Section) -> tuple[tuple[ShownSection, ...], tuple[str, ...]]:
    with registered(plugin(torr_sections=lambda: list(given)), "it"):
        return shown_sections(source, Renderer())


@pytest.mark.parametrize(
    ("section", "note"),
    [
        (Shown("s", KeyError("gone")), "KeyError: 'gone'"),
        (Shown("s", SystemExit(3)), "SystemExit: 3"),
        (Shown("s", {}, template="{{ word }}"), "UndefinedError: 'word' is undefined"),
        (Shown("s", {}, template="{% if %}"), "TemplateSyntaxError"),
        (Shown("s", {}, template=Path("/nowhere/at.html")), "FileNotFoundError"),
        (Shown("s", {"word": 1}, chart={"mark": "nonsense"}), "ValueError"),
        (Shown("s", {"word": 1}, chart=REMOTE), "External data url not allowed"),
    ],
)
def test_a_section_that_fails_becomes_one_note(source: PublishedSource, section: Shown, note: str) -> None:
    [good], [said] = shown(source, section, Shown("good", {"word": "<b>&"}))
    assert said.startswith("section 's' of plugin 'it' failed: ")
    assert note in said
    assert good.html == "<p>&lt;b&gt;&amp;</p>"


def test_what_a_section_is_given_is_its_own(source: PublishedSource) -> None:
    before = json.dumps(source.figures)
    [one], [] = shown(source, Alters("s"))
    assert one.html == "<p>fine</p>"
    assert json.dumps(source.figures) == before
    assert source.study == {}


@pytest.mark.full
def test_on_the_page(source: PublishedSource, tmp_path: Path) -> None:
    given = [Shown("s", KeyError("gone")), Shown("good", {"word": "<b>&"}, chart=BAR), Shown("none")]
    with registered(plugin(torr_sections=lambda: given), "it"):
        page = build_site([source.path], tmp_path, charts=False).read_text()
    method = (tmp_path / "scores" / "method.html").read_text()
    assert method.count("Section &#39;s&#39; of plugin &#39;it&#39; failed: KeyError") == 1
    assert method.count("of plugin") == 1
    assert 'id="section-s"' not in page
    assert "section-none" not in page
    assert "<h2>Shown &lt;i&gt;</h2>" in page
    assert "<p>&lt;b&gt;&amp;</p>" in page
    assert (tmp_path / "data/scores/section-good.svg").is_file()
