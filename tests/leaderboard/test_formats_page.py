"""The page of formats: averages first, models that differ after them, one table in every format."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from torr_plugin.leaderboard.factors import (
    FactorTable,
    LevelRow,
    change_tables,
    format_tables,
    model_changes,
    model_formats,
)
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import formats
from torr_plugin.leaderboard.study import Study

from .designed import scores_of
from .made import make_run, with_analysis
from .pages import Page, read
from .rendered import noise, opened, rendered, scored
from .test_coverage import study_of

CSV_COSTS = {"html": 0.8, "json": 0.8, "csv": 0.4}


def page_of(study: Study, out: Path) -> Page:
    return read(rendered(formats.files, study, out) / study.paths.formats)


def said(page: Page) -> str:
    return " ".join(page.text.split())


@pytest.fixture(scope="module")
def costly(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """csv costs a and b much, and is best for c; transposing costs all of them."""

    def score(model: str, example: int, fmt: str, change: str) -> float:
        share = {"html": 0.4, "json": 0.4, "csv": 0.9}[fmt] if model == "c" else CSV_COSTS[fmt]
        return float(example / 60 < share - 0.2 * (change == "transpose"))

    return scored(tmp_path_factory.mktemp("costly"), score, "abcde", formats=("html", "json", "csv"))


def names(table: FactorTable) -> list[list[str]]:
    return [[row.name for row in rows] for _, rows in table.groups]


def test_the_average_comes_first_and_models_that_differ_are_named(costly: Study, tmp_path: Path) -> None:
    (table,) = format_tables(costly)
    assert [title for title, _ in table.groups] == [
        "Best, and what is not shown to be worse",
        "Worse than the best",
    ]
    assert [sorted(group) for group in names(table)] == [["html", "json"], ["csv"]]
    (unlike,) = table.unlike
    assert (unlike.model, unlike.best) == ("c", "csv")
    assert {name for name, points in unlike.rows if points.differs} == {"html", "json"}
    page = page_of(costly, tmp_path)
    assert page.problems == []
    assert "c: csv is best for it; " in said(page)
    assert "0.000" not in page.text
    assert "no width" not in page.text


def test_a_models_own_formats_are_its_own_question(costly: Study) -> None:
    own = model_formats(costly, "c")
    assert own is not None
    assert names(own)[0] == ["csv"]
    best, *others = (row for row in own.rows if isinstance(row, LevelRow))
    assert best.behind is None, "it is behind nothing"
    assert all(row.behind and row.behind.value.startswith("-") for row in others)


def test_layout_changes_say_what_they_cost(costly: Study) -> None:
    (table,) = change_tables(costly, costly.analysis.perturbations)
    (row,) = table.rows
    assert (row.name, row.points.value, row.points.sign) == ("transpose", "-19", -1)
    assert table.unlike == ()
    own = model_changes(costly, costly.analysis.perturbations, "a")
    assert own is not None
    assert own.rows[0].points.sign == -1


def test_a_change_that_may_change_the_answer_is_marked_where_it_may(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", datasets=("wikitq", "tab_fact"))
    path = run / "study.yaml"
    study = yaml.safe_load(path.read_text())
    study["datasets"]["tab_fact"]["keeps_labels"] = ["none", "shuffle_rows", "shuffle_cols"]
    path.write_text(yaml.safe_dump(study))
    with_analysis(run, resamples=20)
    page = page_of(opened(run), tmp_path / "site")
    verdicts = [" ".join(row[-1].split()) for row in page.rows if row[0].strip() == "shuffle_rows"]
    whole, on_wikitq, on_tab_fact = verdicts
    assert whole.endswith("may change the right answer on wikitq")
    assert on_wikitq.endswith("may change the right answer")
    assert "may change" not in on_tab_fact
    assert "may change" not in " ".join(
        " ".join(row) for row in page.rows if row[0].strip() == "shuffle_cols"
    )


def test_designs_stand_beside_their_bases(tmp_path: Path) -> None:
    scores_of().to_parquet(tmp_path / "scores.parquet")
    study = opened(tmp_path / "scores.parquet")
    whole, *parts = change_tables(study, study.analysis.designs)
    assert [part.title for part in parts] == list(study.datasets)
    rows = {row.name: row for row in whole.rows}
    assert rows["suc_no_demonstration"].points.sign == -1
    assert rows["suc_no_marks"].points.sign == 0
    text = said(page_of(study, tmp_path / "site"))
    assert "suc_no_demonstration against suc" in text
    assert "What the design of the prompt does" in text


def test_pictures_are_compared_with_text(tmp_path: Path) -> None:
    shares = {"html": 0.8, "image": 0.3, "image+html": 0.8}
    study = scored(
        tmp_path,
        lambda model, example, fmt, change: float(noise(model, example, "", "") < shares[fmt]),
        formats=tuple(shares),
        changes=("none",),
    )
    (table,) = change_tables(study, study.analysis.modalities)
    rows = {row.name: row for row in table.rows}
    assert rows["picture"].base == "text alone"
    assert rows["picture"].points.sign == -1
    assert rows["text and picture"].points.sign == 0
    assert rows["text beside the picture"].points.sign == 1
    assert "Tables as pictures" in said(page_of(study, tmp_path / "site"))


def test_one_small_table_stands_in_every_format(costly: Study, tmp_path: Path) -> None:
    page = page_of(costly, tmp_path)
    assert sum("Ely" in text for text in page.pre) == 3
    assert any(text.startswith("Town,Visitors,Museums\nEly,310,4") for text in page.pre)
    assert any("<td>Ely</td>" in text for text in page.pre)


def test_a_picture_of_it_is_a_file(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.5), formats=("html", "image"))
    files = list(formats.files(study))
    pictures = [file for file in files if isinstance(file, DataFile)]
    (page,) = (file for file in files if isinstance(file, PageFile))
    assert page.values["pictures"] == {"image": pictures[0].path}
    assert all(bytes(file.content).startswith(b"\x89PNG") for file in pictures if file.content)


def test_tokens_stand_beside_and_relative_to_the_longest(small_study: Study) -> None:
    table = format_tables(small_study)[0]
    rows = [row for row in table.rows if isinstance(row, LevelRow)]
    most = max(row.tokens or 0.0 for row in rows)
    assert most > 0
    assert all(row.share == (row.tokens or 0.0) / most for row in rows)


def test_where_nothing_differs_nothing_is_praised(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda model, example, *_: float(noise(model, example, "", "") < 0.5))
    (table,) = format_tables(study)
    assert [title for title, _ in table.groups] == ["None is shown to be worse"]
    assert "Worse than the best" not in page_of(study, tmp_path / "site").text


def test_a_format_of_few_questions_stands_apart(tmp_path: Path) -> None:
    study = study_of(tmp_path, 8)
    text = said(page_of(study, tmp_path / "site"))
    assert "csv was asked on 8 of 20 examples, so it stands apart; the other formats" in text
    assert "csv was asked" not in said(page_of(study_of(tmp_path, 20), tmp_path / "even"))


def test_formats_that_share_no_question_are_not_compared(tmp_path: Path) -> None:
    parts = {"html": 0, "csv": 1}
    study = scored(
        tmp_path,
        lambda name, example, fmt, change: (
            float(noise(name, example, fmt, change) < 0.6) if example % 2 == parts[fmt] else None
        ),
        changes=("none",),
    )
    assert "Nothing can be compared here" in said(page_of(study, tmp_path / "site"))


def test_one_model_has_no_average(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.5), "a")
    page = page_of(study, tmp_path / "site")
    assert page.problems == []
    assert "verage" not in page.text
    assert "Models that differ" not in page.text


def test_names_are_text(tmp_path: Path) -> None:
    odd = "<b>odd</b>"
    study = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.5), "ab", formats=("html", odd))
    page = page_of(study, tmp_path / "site")
    assert page.problems == []
    assert odd in page.text
