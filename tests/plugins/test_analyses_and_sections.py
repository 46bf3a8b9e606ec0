"""Analyses and sections of plugins that fail: one note, and the rest is there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.plugins.test_loading import plugin
from torr_plugin.analysis import Analysis, Options, analyse, findings, write_analysis
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sections import Section, ShownSection, shown_sections
from torr_plugin.leaderboard.site import build_site
from torr_plugin.leaderboard.source import StudySource, open_source
from torr_plugin.plugins import registered


class Count(Analysis):
    """How many scores there are."""

    name = "count"

    def compute(self, scores: pd.DataFrame, options: Options) -> Any:
        scores["score"] = 0.0  # a copy of its own
        return {"scores": len(scores), "resamples": options.resamples}

    def line(self, found: Any) -> str:
        return f"there are\n{found['scores']} scores"

    def table(self, found: Any) -> Any:
        return ("what", "how many"), [("=scores", found["scores"])]


class Nan(Count):
    name = "nan"

    def compute(self, scores: pd.DataFrame, options: Options) -> Any:
        return {"scores": float("nan")}


class Falls(Count):
    name = "falls"

    def compute(self, scores: pd.DataFrame, options: Options) -> Any:
        raise KeyError("no\ncolumn")


class Nothing(Count):
    name = "nothing"

    def compute(self, scores: pd.DataFrame, options: Options) -> Any:
        return None


class Mute(Count):
    name = "mute"

    def line(self, found: Any) -> str:
        raise LookupError("no words")

    def table(self, found: Any) -> Any:
        raise LookupError("no rows")


class Leaves(Count):
    name = "leaves"

    def compute(self, scores: pd.DataFrame, options: Options) -> Any:
        raise SystemExit(3)


class Spoils(Count):
    name = "spoils"

    def line(self, found: Any) -> str:
        return f"there were {found.pop('scores')} scores"

    def table(self, found: Any) -> Any:
        found.clear()


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
        write_analysis(found, tmp_path, charts=False)
    assert (tmp_path / "plugins" / "count.csv").read_text() == "what,how many\n'=scores,16\n"
    assert sorted(path.name for path in (tmp_path / "plugins").iterdir()) == ["count.csv"]


def test_one_that_fails_becomes_a_note(scores: pd.DataFrame, tmp_path: Path) -> None:
    with registered(plugin(torr_analyses=lambda: [Falls(), Nan(), Leaves(), Mute(), Spoils()]), "it"):
        found = analyse(scores, resamples=20)
        assert set(found["plugins"]) == {"mute", "spoils"}
        said = sorted(note for note in found["notes"] if "of plugin 'it'" in note)
        assert said[0] == "the analysis 'falls' of plugin 'it' left out: KeyError: 'no\\ncolumn'"
        assert said[2].startswith("the analysis 'nan' of plugin 'it' left out: ValueError: ")
        assert said[1] == "the analysis 'leaves' of plugin 'it' left out: SystemExit: 3"
        assert "the analysis 'mute' of plugin 'it' has no line: LookupError: no words" in findings(found)
        write_analysis(found, tmp_path, charts=False)
    assert "has no table" in (tmp_path / "plugins" / "mute.csv").read_text()
    written = json.loads((tmp_path / "analysis.json").read_text())
    assert written["plugins"]["spoils"] == {"scores": 16, "resamples": 20}


BAR = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a", "type": "nominal"}}}
REMOTE = {"data": {"url": "http://127.0.0.1:9/x.json"}, "mark": "bar"}


class Alters(Shown):
    """One that changes what it is given, which is also published beside the page."""

    def data(self, analysis: Any, study: Any) -> Any:
        analysis.clear()
        study["name"] = "another"
        return {"word": "fine"}


@pytest.fixture(scope="module")
def source(scores: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> StudySource:
    path = tmp_path_factory.mktemp("source") / "scores.csv"
    scores.to_csv(path, index=False)
    return open_source(path)


def shown(source: StudySource, *given: Section) -> tuple[tuple[ShownSection, ...], tuple[str, ...]]:
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
def test_a_section_that_fails_becomes_one_note(source: StudySource, section: Shown, note: str) -> None:
    [good], [said] = shown(source, section, Shown("good", {"word": "<b>&"}))
    assert said.startswith("section 's' of plugin 'it' failed: ")
    assert note in said
    assert good.html == "<p>&lt;b&gt;&amp;</p>"


def test_what_a_section_is_given_is_its_own(source: StudySource) -> None:
    before = json.dumps(source.figures)
    [one], [] = shown(source, Alters("s"))
    assert one.html == "<p>fine</p>"
    assert json.dumps(source.figures) == before
    assert source.study == {}


def test_on_the_page(source: StudySource, tmp_path: Path) -> None:
    given = [Shown("s", KeyError("gone")), Shown("good", {"word": "<b>&"}, chart=BAR), Shown("none")]
    with registered(plugin(torr_sections=lambda: given), "it"):
        page = build_site([source.path], tmp_path, charts=False).read_text()
    method = (tmp_path / "scores" / "method.html").read_text()
    assert method.count("section &#39;s&#39; of plugin &#39;it&#39; failed: KeyError") == 1
    assert method.count("of plugin") == 1
    assert 'id="section-s"' not in page
    assert "section-none" not in page
    assert "<h2>Shown &lt;i&gt;</h2>" in page
    assert "<p>&lt;b&gt;&amp;</p>" in page
    assert (tmp_path / "data/scores/section-good.svg").is_file()
