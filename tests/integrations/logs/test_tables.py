"""Tables of scores: each form gives the same rows; what is unclear is refused in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale
from torr_plugin.integrations.logs.log import recognising
from torr_plugin.integrations.logs.reading import read_scores
from torr_plugin.integrations.logs.tables import TABLES

KEY = ["model", "task", "item"]


def read(path: Path) -> BoardScores:
    return read_scores([path], "table")


def text(folder: Path, content: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def forms(folder: Path, wide: pd.DataFrame) -> dict[str, Path]:
    """The same scores, models x items, in every form; with holes there is no list of solved ids."""
    folder.mkdir(parents=True, exist_ok=True)
    wide = wide.rename_axis(index="model", columns="item")
    long = wide.stack(future_stack=True).rename("score").reset_index()
    across = wide.T.rename_axis(columns=None)
    files = {name: folder / name / "t" for name in ("rows", "columns", "long", "lists")}
    for path in files.values():
        path.parent.mkdir(exist_ok=True)
    wide.rename_axis(columns=None).to_csv(files["rows"].with_suffix(".csv"))
    across.to_csv(files["columns"].with_suffix(".tsv"), sep="\t")
    long.to_parquet(files["long"].with_suffix(".parquet"))
    long.to_json(files["long"].with_suffix(".jsonl"), orient="records", lines=True)
    if not wide.isna().any(axis=None):
        solved = {model: wide.columns[row == 1].tolist() for model, row in wide.iterrows()}
        if all(solved.values()):
            rows = [(model, item, len(wide.columns)) for model, items in solved.items() for item in items]
            pd.DataFrame(rows, columns=["model", "solved_id", "n"]).to_csv(
                files["lists"].with_suffix(".csv"), index=False
            )
    return {path.name + "/" + path.parent.name: path for path in sorted(folder.rglob("t.*"))}


def test_decimal_commas_of_a_spreadsheet(tmp_path: Path) -> None:
    commas = text(tmp_path, "model;gsm8k;arc\nash;0,812;70,5 %\nbirch;,790;-\n")
    points = text(tmp_path, "model,gsm8k,arc\nash,0.812,70.5 %\nbirch,.790,-\n", "u.csv")
    pd.testing.assert_frame_equal(read(commas).aggregates, read(points).aggregates)
    lines = text(tmp_path, 'model;"score\nof all"\nash;1\nbirch;0\n', "w.csv")  # its numbers are no texts
    assert read(lines).items["score"].tolist() == [1, 0]
    thousands = text(tmp_path, "model;score;n\nash;0,81;1,319\nbirch;0,79;1,319\n", "v.csv")
    with pytest.raises(InputError, match="n: found '1,319'; expected a number"):
        read(thousands)


def cells(board: BoardScores) -> pd.Series:
    return board.items.set_index(KEY)["score"].sort_index()


def same(found: BoardScores, wide: pd.DataFrame) -> None:
    scores = wide.rename_axis(index="model", columns="item").stack(future_stack=True).rename("score")
    got = found.items.set_index(["model", "item"])["score"]
    named = {item for item in got.index.get_level_values("item") if not item.startswith("unsolved-")}
    assert named <= set(wide.columns)
    for model in wide.index:  # items that nobody solved may be without names
        mine = got[model].reindex(wide.columns)
        theirs = scores[model]
        nobody = mine.isna() & (wide.fillna(1) == 0).all()
        pd.testing.assert_series_equal(mine[~nobody], theirs[~nobody], check_names=False)
        assert len(got[model]) == len(wide.columns)
    assert (found.items["score"].isna() == (found.items["status"] != "scored")).all()


@settings(max_examples=30)
@given(data=st.data(), models=st.integers(2, 6), items=st.integers(2, 9), holes=st.booleans())
def test_every_form_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, models: int, items: int, holes: bool
) -> None:
    values = st.sampled_from([0.0, 1.0, float("nan")] if holes else [0.0, 1.0])
    drawn = data.draw(st.lists(values, min_size=models * items, max_size=models * items))
    wide = pd.DataFrame(
        np.array(drawn).reshape(models, items),
        index=[f"org/model-{i}" for i in range(models)],
        columns=[f"q{i:02}" for i in range(items)],
    )
    if wide.isna().all(axis=0).any() or wide.isna().all(axis=1).any():
        return  # a column without a number is no column of scores
    for path in forms(tmp_path_factory.mktemp("forms"), wide).values():
        same(read(path), wide)


@pytest.mark.parametrize(
    "name", [pytest.param("musr", marks=pytest.mark.full), "arc_challenge", "commonsense"]
)
def test_public_boards_are_the_same_in_every_form(shared_data: Path, tmp_path: Path, name: str) -> None:
    path = shared_data / "score_matrices" / f"{name}.parquet"
    board = read(path)
    matrix = pd.read_parquet(path).drop(columns="model").to_numpy()
    assert board.items["model"].nunique() == len(
        matrix
    )  # 19 of musr's models have a name that another has too
    assert len(board.items) == matrix.size
    assert np.array_equal(board.items["score"].to_numpy(), matrix.ravel())
    wide = pd.DataFrame(
        matrix.astype(float),
        index=board.items["model"].unique(),
        columns=[f"q{i}" for i in range(matrix.shape[1])],
    )
    totals = wide.sum(axis=1).to_dict()
    expected = wide.rename_axis(index="model", columns="item").stack().sort_index()
    for each in forms(tmp_path, wide).values():
        found = read(each).items
        assert found.groupby("model")["score"].agg(["sum", "size"]).to_dict() == {
            "sum": totals,
            "size": dict.fromkeys(totals, matrix.shape[1]),
        }
        if not found["item"].str.startswith("unsolved-").any():
            assert np.array_equal(found.set_index(["model", "item"])["score"].sort_index(), expected)


def test_the_published_figures_of_toon(shared_data: Path) -> None:
    board = read(shared_data / "toon" / "answers.parquet")
    means = board.items.groupby("config")["score"].mean().mul(100).round(1).to_dict()
    published = {"toon": 72.2, "json-pretty": 71.4, "xml": 70.7, "yaml": 70.1, "json-compact": 69.0}
    assert {name: means[name] for name in published} == published
    assert board.items["item"].nunique() == 244


def test_the_intervals_of_arena_hard(shared_data: Path) -> None:
    board = read(shared_data / "arena_hard" / "leaderboard_20240731.csv")
    assert board.aggregates["score"].max() == 82.63
    assert board.aggregates["error"][0] == pytest.approx((84.6 - 80.75) / 3.92, rel=1e-3)
    assert board.scales["percent"].high == 100.0


def test_a_folder_of_tables_is_a_task_a_file(tmp_path: Path) -> None:
    text(tmp_path, "model,a,b\nm,1,0\nn,1,1\n", "one.csv")
    text(tmp_path, "model\ta\tb\nm\t1\t0\nn\t0\t1\n", "two.tsv")
    assert recognising(tmp_path, [TABLES])
    assert sorted(set(read(tmp_path).items["task"])) == ["one", "two"]


def test_long_tables_say_task_configuration_replicate_and_cluster(tmp_path: Path) -> None:
    path = text(
        tmp_path,
        "Model Name,dataset,questionId,format,epoch,isCorrect,passage\n"
        "m,arc,1,csv,1,true,p\nm,arc,1,csv,2,false,p\nm,arc,01,html,1,,q\n",
    )
    items = read(path).items
    assert items["item"].tolist() == ["1", "1", "01"]  # ids are texts: 01 is not 1
    assert items["replicate"].tolist() == [0, 1, 0]
    assert items["config"].tolist() == ["csv", "csv", "html"]
    assert items["cluster"].tolist() == ["p", "p", "q"]
    assert items["score"].tolist()[:2] == [1.0, 0.0]
    assert items["status"].tolist() == ["scored", "scored", "unscored"]  # an empty score is no zero


def test_several_columns_of_scores_are_metrics(tmp_path: Path) -> None:
    board = read(text(tmp_path, "model,id,exact_match,f1\na,1,1,1\na,2,0,0.5\nb,1,0,0.1\nb,2,1,1\n"))
    assert board.main == {"t": "exact_match"}
    assert board.items.groupby("metric")["score"].sum().to_dict() == {"exact_match": 2.0, "f1": 2.6}


def test_items_may_be_called_like_anything_else(tmp_path: Path) -> None:
    board = read(text(tmp_path, "model,low,high,group,seed\nm,1,0,1,0\nn,1,1,1,0\n"))
    assert set(board.items["item"]) == {"low", "high", "group", "seed"}


def test_aggregates_with_numbers_errors_or_intervals(tmp_path: Path) -> None:
    counted = read(text(tmp_path, "model,task,accuracy,n\nm,arc,0.812,1172\nn,arc,0.80,1172\n")).aggregates
    assert counted[["score", "n", "digits"]].to_numpy().tolist() == [[0.812, 1172, 3], [0.8, 1172, 3]]
    board = read(text(tmp_path, "model,score,stderr\nm,0.8,0.01\nn,0.7,0.02\n"))
    assert board.aggregates["error"].tolist() == [0.01, 0.02]
    assert board.aggregates["n"].isna().all()
    board = read(text(tmp_path, "model,score,ci_low,ci_high\nm,80,76.08,83.92\nn,70,66,74\n"))
    assert board.aggregates["error"][0] == pytest.approx(2.0, abs=1e-3)
    assert (board.scales["percent"].high, set(board.aggregates["metric"])) == (100.0, {"percent"})
    board = read(text(tmp_path, "model,score,low,high,level\nm,.8,.7671,.8329,.9\nn,.7,.66,.74,.95\n"))
    assert board.aggregates["error"].tolist() == pytest.approx([0.02, 0.0204], abs=1e-4)
    assert "t.csv: intervals are read as 90, 95% intervals of a normal distribution" in board.notes


def test_tasks_as_columns_without_their_mean(tmp_path: Path) -> None:
    board = read(
        text(
            tmp_path,
            "Rank,model,Average,ARC,MMLU,#Params (B),likes\n1,m,70,81.00,60.00,7,10\n2,n,60,71.00,50.0,8,5\n",
        )
    )
    assert board.aggregates[["model", "task", "score", "digits"]].to_numpy().tolist() == [
        ["m", "ARC", 81.0, 2],
        ["n", "ARC", 71.0, 2],
        ["m", "MMLU", 60.0, 2],
        ["n", "MMLU", 50.0, 2],
    ]
    assert "left out: Average, #Params (B), likes" in board.notes[0]
    assert board.aggregates["rank"].tolist() == [1, 2, 1, 2]
    rows = read(text(tmp_path, "task,m,o,n\nARC,81%,71%,1172\nMMLU,0.5%,50%,14042\nAverage,2%,3%,\n"))
    assert rows.aggregates.groupby("model")["n"].sum().to_dict() == {"m": 15214, "o": 15214}
    assert rows.aggregates["score"].tolist() == [81.0, 0.5, 71.0, 50.0]


BAD = {
    "two scores": ("model,id,score\nm,1,1\nm,1,0\n", "metric 'score', item '1': has two scores"),
    "an id twice": ("id,m,n\n1,1,0\n1,0,0\n", "item '1': has two scores"),
    "a column twice": ("model,a,a\nm,1,0\nn,0,0\n", "item 'a': has two scores"),
    "a blank": ("model,id,score\nm,1,1\n m,2,0\n", "model: 'm' has blanks around it in some rows"),
    "no name": ("model,id,score\nm,1,1\n,2,0\n", "row 2: model: is empty; expected a name"),
    "no number": ("model,id,score\nm,1,1\nm,2,good\n", "row 2: score: found 'good'; expected a number"),
    "infinite": ("model,id,score\nm,1,1\nm,2,inf\n", "score is infinite; expected a number"),
    "percent beside shares": (
        "model,task,score\nm,a,81.2\nn,a,0.8\n",
        "0.8 of model 'n' beside 81.2: is it a share",
    ),
    "percent signs": (
        "model,task,score\nm,a,81%\nn,a,0.8\n",
        "some numbers have a percent sign and some not",
    ),
    "a short row": (
        "model,id,score\nm,1\n",
        "cannot be read: CSV parse error: Row #2: Expected 3 columns, got 2",
    ),
    "solved of how many": ("model,id\nm,1\nn,2\n", "lists solved items without scores; add a column n"),
    "fewer than are named": ("model,id,n\nm,1,1\nn,2,1\n", "found 1; expected a whole number, at least 2"),
    "two numbers of items": ("model,solved_id,n\nm,1,5\nn,1,6\n", "n differs from row to row"),
    "solved twice": ("model,solved_id,n\nm,1,5\nm,1,5\nn,2,5\n", "model 'm' solved an item twice"),
    "half an item": ("model,score,n\nm,0.5,10.5\n", "n: expected whole numbers of items"),
    "no names": ("x,m,n\na,1,0\nb,0,1\n", "leaves open what its rows are; call the first column model, item"),
    "no scores": ("model,licence\nm,mit\nn,mit\n", "has no column of scores"),
    "no rows": ("model,id,score\n", "has no row of texts and numbers"),
    "no header": ("\nm,1,1\n", "the first line is empty"),
    "a level in percent": (
        "model,score,low,high,level\nm,0.5,0.4,0.6,95\n",
        "level: expected levels between 0 and 1",
    ),
    "a reversed interval": (
        "model,score,low,high\nm,0.5,0.6,0.4\n",
        "row 1: interval from 0.6 to 0.4; is reversed",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_refused_in_one_line(tmp_path: Path, what: str) -> None:
    content, message = BAD[what]
    path = text(tmp_path, content)
    with pytest.raises(InputError) as error:
        read(path)
    said = str(error.value)
    assert said.startswith(f"{path}: ")
    assert message in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"model": "m", "id": 1, "score": 1}\n{"model": "m", "id": "1", "score": 0}\n',
            "changed from number to string",
        ),
        ('{"model": "m", "id": "a", "score": 1}\n{"model": "m"', "cannot be read"),
        ("[1]\n", "line 1: expected an object"),
    ],
)
def test_bad_json_lines(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text(tmp_path, content, "t.jsonl"))


def test_damaged_files(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    pd.DataFrame({"model": ["m"], "id": [1], "score": [1]}).to_parquet(whole)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"cut\.parquet: cannot be read"):
        read(cut)
    whole.write_bytes(b"PAR1" + b"\xff" * 40 + (40).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(InputError) as error:
        read(whole)
    assert "\n" not in str(error.value)
    latin = tmp_path / "latin.csv"
    for content in ("model,id,score\ncaf\xe9,1,1\n", "mod\xe9le,id,score\nm,1,1\n"):
        latin.write_bytes(content.encode("latin-1"))
        with pytest.raises(InputError, match="not UTF-8"):
            read(latin)


def test_a_file_that_unpacks_to_too_much_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"model": ["m"] * 1000, "id": range(1000), "score": 1}).to_parquet(path)
    monkeypatch.setattr("torr_plugin.integrations.logs.table_files.MOST_CELLS", 2000)
    with pytest.raises(InputError, match="holds 1,000 rows, 3 columns"):
        read(path)


def test_a_loss_is_no_percentage(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{model},{item},loss,{item + 5}" for model in "ab" for item in range(9)]
    path.write_text("\n".join(["model,item,metric,score", *rows]))
    board = read_scores([path])
    assert board.scales == {"loss": MetricScale(0.0, None, higher_is_better=False)}
    assert [note for note in board.notes if "percent" in note] == []
