"""The files of the page Battles: every verdict with its reason, each text once, as far as there is room."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.leaderboard.battles import packing
from torr_plugin.leaderboard.battles.packing import BattleFiles
from torr_plugin.leaderboard.battles.rated import rate_battles
from torr_plugin.leaderboard.battles.reading import published_battles
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import examples
from torr_plugin.leaderboard.source import open_joined
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.text import visible
from torr_plugin.running import Run
from torr_plugin.running.store.shards import AnswerStore

from .battling import with_battles
from .hostile import WORDS
from .long_texts import run_with_long_answers
from .made import make_run, with_analysis
from .pages import read, read_script
from .rendered import opened, rendered

HOSTILE = [word for word in WORDS if word.strip()]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Hostile reasons, judges and levels."""
    run = make_run(
        tmp_path_factory.mktemp("battled") / "run",
        datasets=("wikitq",),
        serializers=("html",),
        perturbations=("none",),
        examples=4,
        prompt=lambda config, example: f"| Town |\nWhere is {example} now?\nAnswer:",
    )
    with_analysis(run, resamples=20)
    with_battles(
        run,
        judges=(HOSTILE[0], HOSTILE[40]),
        levels=HOSTILE[3:5],
        reason=lambda number: HOSTILE[number % len(HOSTILE)],
    )
    return opened(run)


class ReadBattles:
    """What a script would read of a study's battles."""

    def __init__(self, study: Study) -> None:
        files = list(examples.files(study))
        pages = (file for file in files if isinstance(file, PageFile))
        (self.page,) = (file for file in pages if file.template == "battles.html")
        self.known: dict[str, Any] = self.page.values["page_data"]
        self.read = {file.path: read_script(file.content)[1] for file in files if isinstance(file, DataFile)}

    def verdicts(self) -> dict[tuple[str, ...], tuple[Any, ...]]:
        """(question, config, a, b, judge, order) -> verdict, reason, both answers, the list's letters."""
        known, found = self.known, {}
        for path in known["chunks"]:
            chunk = self.read[path]
            for at, question in enumerate(chunk["questions"]):
                detail = self.read[f"{known['folder']}/{chunk['file'][at]}.js"][chunk["place"][at]]
                assert detail["question"] == question
                texts = [text for text, _ in detail["texts"]]
                for (a, b, config, letters), battle in zip(
                    chunk["battles"][at], detail["battles"], strict=True
                ):
                    answers = [texts[number] for number in battle["answers"]]
                    for judge, order, verdict, reason, *_ in battle["said"]:
                        key = (question, known["configs"][config], known["models"][a], known["models"][b])
                        letter = letters[2 * judge + ("ab", "ba").index(order)]
                        found[(*key, known["judges"][judge], order)] = verdict, texts[reason], answers, letter
        return found


@pytest.fixture(scope="module")
def battles(study: Study) -> ReadBattles:
    return ReadBattles(study)


LETTERS = {"model_a": "a", "model_b": "b", "tie": "t", "unclear": "u", None: "x"}


def test_every_verdict_is_published_with_reason_and_answers(study: Study, battles: ReadBattles) -> None:
    frame = study.source.battles
    assert frame is not None
    found, run = battles.verdicts(), Run.open(study.source.path)
    said = {
        (model, row["key"].split("|")[1]): row["prediction"]
        for model in run.models()
        for row in run.predictions(model).to_pylist()
    }
    assert len(found) == len(frame)
    for row in frame.itertuples(index=False):
        key = (row.question, row.config, row.model_a, row.model_b, visible(row.judge), row.order)
        example = row.question.removeprefix("wikitq/")
        answers = [said[model, example] for model in (row.model_a, row.model_b)]
        assert found[key] == (row.verdict, visible(row.reason), answers, LETTERS[row.verdict])


def test_a_question_says_what_it_asks_and_its_references(battles: ReadBattles) -> None:
    (chunk,) = [battles.read[path] for path in battles.known["chunks"]]
    assert chunk["asked"] == [f"Where is wikitq-{number} now?" for number in range(4)]
    detail = battles.read[f"{battles.known['folder']}/0.js"]
    assert [each["references"] for each in detail] == [["Harwich"]] * 4
    texts = [text for text, _ in detail[0]["texts"]]
    assert len(set(texts)) == len(texts), "a text that is there twice is stored once"


def test_the_page_escapes_hostile_names(study: Study, tmp_path: Path) -> None:
    out = rendered(examples.files, study, tmp_path)
    page = read(out / study.paths.battles)
    assert page.problems == []
    assert visible(HOSTILE[0]) in page.attributes("value")
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]


def test_long_texts_are_cut_and_their_length_is_said(
    study: Study, battles: ReadBattles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "MOST_REASON", 5)
    cut = ReadBattles(study)
    whole = battles.read[f"{battles.known['folder']}/0.js"][0]
    short = cut.read[f"{cut.known['folder']}/0.js"][0]
    assert whole["battles"]
    for one, other in zip(whole["battles"], short["battles"], strict=True):
        for (*_, before, _, _), (*_, after, _, _) in zip(one["said"], other["said"], strict=True):
            text, length = whole["texts"][before]
            assert len(short["texts"][after][0]) <= max(5, len(visible(text[:5])))
            assert short["texts"][after][1] == length


def test_an_answer_of_100_000_characters_is_bounded(tmp_path: Path) -> None:
    found = ReadBattles(opened(run_with_long_answers(tmp_path / "run")))
    texts = found.read[f"{found.known['folder']}/0.js"][0]["texts"]
    assert [(len(text), length) for text, length in texts if length > 1000] == [
        (packing.MOST_ANSWER, 100_000)
    ] * 3


@pytest.mark.parametrize("most", [0, 3, 6, 12])
def test_what_has_no_room_is_left_out_by_questions(
    study: Study, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(packing, "MOST_BATTLES", most)
    found = BattleFiles(study)
    assert study.source.battles is not None
    list(found.files(study.source.battles))
    assert (found.shown, found.of) == (most - most % 3, 12), "each question has three battles"


def test_a_budget_bounds_the_battles(study: Study) -> None:
    found = BattleFiles(replace(study, room=4_000 * packing.SHARE))
    assert study.source.battles is not None
    written = sum(len(file.content) for file in found.files(study.source.battles) if "list" not in file.path)
    assert 0 < found.shown < found.of
    assert written <= 4_000


@pytest.mark.full
def test_runs_of_a_study_have_their_battles_together(tmp_path: Path) -> None:
    """Those between models of one run: nobody judged a pair of two runs."""
    runs = []
    for name, models in (("one", ("alpha", "beta")), ("two", ("gamma", "delta"))):
        run = make_run(tmp_path / name, models=models, datasets=("wikitq",), examples=3)
        folder = run / "judged" / "judge"
        folder.mkdir(parents=True)
        (folder / "judge.yaml").write_text("label: judge\n", encoding="utf-8")
        AnswerStore.resume(folder / "answers")
        with_battles(run, judges=("judge",)).to_parquet(folder / "battles.parquet", index=False)
        runs.append(run)
    with open_joined(runs) as source:
        assert source.battles is not None
        pairs = source.battles[["model_a", "model_b"]].drop_duplicates().to_numpy().tolist()
        rated = rate_battles(source.battles, source.analysis.settings)
    assert sorted(pairs) == [["alpha", "beta"], ["delta", "gamma"]]
    assert "2 groups that never battled each other" in rated.problem


def test_a_file_that_lacks_a_column_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"question": ["a"], "model_a": ["b"], "model_b": ["c"]}).to_parquet(
        tmp_path / "battles.parquet"
    )
    with pytest.raises(
        RunError, match=r"battles\.parquet: has no column 'dataset'; remove it, and 'torr judge'"
    ):
        published_battles(tmp_path)
