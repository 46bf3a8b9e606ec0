"""Reading scores files and writing analyses."""

from __future__ import annotations

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame, known_study
from torr_plugin.analysis import (
    AnalysisError,
    AnalysisResults,
    analyse,
    read_scores,
    write_analysis,
)
from torr_plugin.analysis.charts import chart_names, draw, specifications
from torr_plugin.analysis.figure import Figure, FigureTable
from torr_plugin.analysis.registered import own_figures
from torr_plugin.analysis.statistics import STATISTICS
from torr_plugin.core.errors import RunError

ROWS = cube_frame(np.round(np.random.default_rng(0).random((2, 6, 5)), 6), parts=True)


@cache
def analysed() -> dict[str, Any]:
    return analyse(ROWS, resamples=20)


def written(path: Path) -> Path:
    if ".parquet" in path.name:
        ROWS.to_parquet(path, index=False)
    elif ".csv" in path.name:
        ROWS.to_csv(path, index=False)
    else:
        ROWS.to_json(path, orient="records", lines=True)
    return path


@pytest.mark.full
@pytest.mark.parametrize("name", ["s.parquet", "s.csv", "s.csv.gz", "s.jsonl", "s.jsonl.gz", "S.CSV"])
def test_all_formats_give_the_same_figures(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    written(tmp_path / name.lower()).rename(path)
    assert analyse(read_scores(path), resamples=20) == analysed()


def test_csv_takes_names_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "\ufeffmodel,dataset,config,example,metric,score,serializer,perturbation\n"
        "NA,null,None,007,em,1,,none\nnan,null,None,007,em,,,none\n",
        encoding="utf-8",
    )
    found = analyse(read_scores(path))
    assert set(found["performance"]) == {"NA", "nan"}
    assert found["performance"]["nan"]["overall"]["value"] is None
    assert list(found["configurations"]["null"]) == ["None"]
    assert "serializers" not in found
    assert found["perturbations"]["scores"]["null"]["none"]["NA"]["value"] == 1.0


HEADER = "model,dataset,config,example,metric,score"


def test_csv_may_write_in_several_ways_that_there_is_no_score(tmp_path: Path) -> None:
    ways = ["", " ", "nan", "NaN", "NA", "null", "None"]
    path = tmp_path / "s.csv"
    lines = [f"m,d,c,e{i},em,{way}" for i, way in enumerate([*ways, "1"])]
    path.write_text("\n".join([HEADER, *lines, ""]))
    found = analyse(read_scores(path), resamples=5)
    assert found["holes"]["missing"] == len(ways)
    assert found["performance"]["m"]["overall"]["value"] == 1.0
    assert not found["performance"]["m"]["overall"]["complete"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEADER}\nx,m,d,c,e,em,1\n", r"is not CSV: .*line 2"),
        (f"{HEADER},score\nm,d,c,e,em,1,0\n", "two columns are called 'score'"),
        (f"{HEADER}\n,d,c,e,em,1\n", "row 1: column 'model' is empty; expected a name"),
        (f"{HEADER}\n", "no rows"),
    ],
)
def test_csv_that_cannot_be_analysed(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(AnalysisError, match=message):
        analyse(read_scores(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "absent.csv",
            None,
            "no such file or directory; expected a run, or scores in Parquet, CSV or JSON",
        ),
        ("scores.txt", b"", "not a scores file by its name; expected .parquet, .csv[.gz] or .jsonl[.gz]"),
        ("scores.parquet.gz", b"", "not a scores file by its name"),
        ("s.parquet", b"PAR1 and then nothing", "is not Parquet: "),
        ("s.csv", b'model,dataset\n"open', "is not CSV: "),
        ("s.csv", b"", "is not CSV: "),
        ("s.csv.gz", b"not gzip", "cannot be read: "),
        ("s.csv", "model\nMüller\n".encode("latin-1"), "cannot be read: not UTF-8; save it as UTF-8"),
        ("s.jsonl", "model\nMüller\n".encode("utf-16"), "cannot be read: not UTF-8; save it as UTF-8"),
        ("s.jsonl.gz", gzip.compress(b'{"model": 1}\n' * 500, mtime=0)[:-20], "is not JSON lines: "),
        (
            "s.jsonl.gz",
            gzip.compress(b'{"model": 1}', mtime=0)[:12] + b"\xff" * 20,
            "cannot be read: not UTF-8",
        ),
        ("s.jsonl", b'{"model": "m"}\n{"model": \n', "is not JSON lines: line 2: "),
        ("s.jsonl", b"[1]\n", "is not JSON lines: line 1 is no JSON object"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AnalysisError) as raised:
        read_scores(path)
    assert str(raised.value).startswith(f"{path}: {message}")
    assert "\n" not in str(raised.value)


def test_a_folder_is_not_a_scores_file(tmp_path: Path) -> None:
    (tmp_path / "s.csv").mkdir()
    with pytest.raises(AnalysisError, match="cannot be read: Is a directory"):
        read_scores(tmp_path / "s.csv")


def test_an_analysis_is_written_as_json_and_tables(tmp_path: Path) -> None:
    found = analyse(ROWS, resamples=20)
    paths = {path.name: path for path in write_analysis(found, tmp_path / "new" / "folder", charts=()).paths}
    assert json.loads(paths["analysis.json"].read_text()) == found
    assert sorted(path.name for path in paths["analysis.json"].parent.iterdir()) == sorted(paths)
    figures = list(csv.DictReader(paths["figures.csv"].read_text().splitlines()))
    overall = next(row for row in figures if row["figure"] == "robustness" and row["model"] == "m1")
    assert float(overall["high"]) == found["robustness"]["m1"]["overall"]["high"]
    assert len(figures) == len(STATISTICS) * 2 * 2
    scores = pd.read_csv(paths["configurations.csv"], dtype={"score": float})
    assert len(scores) == 2 * 6 * 2


@pytest.mark.full
def test_results_are_read_back_as_they_were_written() -> None:
    found = analyse(*known_study()[:1], resamples=5, keeps_labels={"d": []}, **known_study()[1])
    assert json.dumps(AnalysisResults.from_json(found).to_json()) == json.dumps(found)


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found.pop("separability"), "x.json: separability: Field required; 'torr analyse'"),
        (lambda found: found.pop("best"), "x.json: best: Field required; "),
        (lambda found: found["worst"]["m0"].update(overall=1), "x.json: worst.m0.overall: Input should be"),
        (
            lambda found: found["settings"].update(level="high"),
            "x.json: settings.level: Input should be a valid",
        ),
    ],
)
def test_a_file_that_is_no_analysis_is_one_clear_line(change: Any, message: str) -> None:
    found = analyse(ROWS, resamples=5)
    change(found)
    with pytest.raises(AnalysisError) as raised:
        AnalysisResults.from_json(found, "x.json")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.full
@pytest.mark.parametrize("name", ["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "\r=1"])
def test_no_spreadsheet_takes_a_name_for_a_formula(tmp_path: Path, name: str) -> None:
    frame = ROWS.assign(model=ROWS["model"].replace({ROWS["model"].iloc[0]: name}))
    write_analysis(analyse(frame, resamples=5), tmp_path, charts=())
    paths = list(tmp_path.glob("*.csv"))
    assert paths
    for path in paths:
        with path.open(newline="") as file:
            texts = [cell for row in csv.reader(file) for cell in row if not _is_number(cell)]
        assert not [text for text in texts if text.startswith(("=", "+", "-", "@", "\t", "\r"))], path.name


def _is_number(cell: str) -> bool:
    # "+1" and "-1" are names here
    return cell not in {"+1", "-1"} and cell.removeprefix("-")[:1].isdigit()


def test_an_analysis_where_a_file_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="file: is a file; expected a directory"):
        write_analysis(analyse(ROWS, resamples=5), tmp_path / "file", charts=())


TABLES: dict[str, tuple[Figure[Any], FigureTable]] = {
    table.name: (figure, table) for figure in own_figures() for table in figure.tables
}

TOLD = {"slices", "regression", "verbosity", "modalities", "modality_differences", "tables"}
"""The tables of what is known of examples and answers."""

REPLICATED = {"noise", "pass_k", "robustness_noise_free"}
"""The tables of studies that asked prompts again."""

HOLED = {"own_cells"}
"""The tables of scores that are not all there."""

DESIGNED = {"designs", "design_choice"}
"""The tables of studies that asked directly, and by another design."""

SEVERAL = {"dataset_agreement"}
"""The table of studies of several data sets."""

COUNTED = {"serializer_tokens"}
"""The table of studies that know how many tokens prompts took."""

ENDED = {"endings"}
"""The table of studies in which answers ran out of tokens."""

READ = {"format_following"}
"""The table of scores that have a lenient one beside them."""

DOCS = Path(__file__).parents[2] / "docs" / "figures.md"


@pytest.mark.full
def test_everything_is_written_and_the_tables_hold_the_figures(tmp_path: Path) -> None:
    keeps = {"d": ["transpose"]}
    found = analyse(ROWS, resamples=20, keeps_labels=keeps, models={"m0": {"family": "f", "open": True}})
    written = write_analysis(found, tmp_path, charts=())
    assert written.left_out == ()
    names = {path.relative_to(tmp_path).as_posix() for path in written.paths}
    assert names == {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    here = {path.stem for path in tmp_path.glob("*.csv")}
    assert set(TABLES) - here == TOLD | REPLICATED | HOLED | DESIGNED | SEVERAL | COUNTED | ENDED | READ
    assert {f"{name}.csv" for name in here} | {"analysis.json", "label_keeping/figures.csv"} <= names
    wins = pd.read_csv(tmp_path / "serializer_win_rates.csv")
    row = wins[(wins["of"] == "model") & (wins["name"] == "m1") & (wins["serializer"] == "s0")].iloc[0]
    assert row["high"] == found["serializers"]["win_rates"]["models"]["m1"]["s0"]["high"]
    curve = pd.read_csv(tmp_path / "reliability.csv").query("dataset == 'overall' and curve == 'prompts'")
    assert curve["w"].tolist() == [point["w"] for point in found["reliability"]["overall"]["prompts"]]


@cache
def analysed_for(kind: str) -> AnalysisResults:
    """Of a study with the tables of a kind: ``TOLD``..., or "" for the others."""
    scores, told = known_study() if kind == "TOLD" else (ROWS[1:] if kind == "HOLED" else ROWS, {})
    if kind == "REPLICATED":
        scores = pd.concat([ROWS, ROWS.assign(replicate=1)])
    if kind == "DESIGNED":
        direct = ROWS.assign(config=ROWS["config"] + "-direct", design="default")
        scores = pd.concat([ROWS.assign(design="tree_thinker"), direct])
    if kind == "SEVERAL":
        scores = pd.concat([ROWS, ROWS.assign(dataset="e")])
    if kind == "COUNTED":
        scores = ROWS.assign(prompt_tokens=7)
    if kind == "ENDED":
        scores = ROWS.assign(ended="cut")
    if kind == "READ":
        scores = pd.concat([ROWS, ROWS.assign(metric=ROWS["metric"] + ".lenient", main=False)])
    models = {"m0": {"family": "f", "size": 1, "open": True}}
    return AnalysisResults.from_json(analyse(scores, resamples=10, models=models, **told))


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_table_has_as_many_cells_in_every_row_as_columns(name: str) -> None:
    kinds = {
        "TOLD": TOLD,
        "REPLICATED": REPLICATED,
        "HOLED": HOLED,
        "DESIGNED": DESIGNED,
        "SEVERAL": SEVERAL,
        "COUNTED": COUNTED,
        "ENDED": ENDED,
        "READ": READ,
    }
    kind = next((kind for kind, tables in kinds.items() if name in tables), "")
    figure, table = TABLES[name]
    part = table.part(analysed_for(kind)[figure])
    rows = list(table.rows(part))
    assert rows
    assert {len(row) for row in rows} == {len(table.columns(part))}


def test_a_table_that_says_nothing_is_not_written(tmp_path: Path) -> None:
    """Of one data set, and of one change to the table: neither agrees with or wins over another."""
    write_analysis(analyse(ROWS[ROWS["perturbation"] == "none"], resamples=5), tmp_path, charts=())
    here = {path.stem for path in tmp_path.glob("*.csv")}
    assert "serializer_win_rates" in here
    assert not {"dataset_agreement", "perturbation_win_rates"} & here


@pytest.mark.full
def test_charts_are_written_as_svg_and_png_and_what_is_lacking_is_said(tmp_path: Path) -> None:
    written = write_analysis(analyse(cube_frame([[[0.5, 1.0]]]), resamples=5), tmp_path)
    names = {path.name for path in written.paths}
    drawn = {name.removesuffix(".svg") for name in names if name.endswith(".svg")}
    assert all(path.stat().st_size > 500 for path in written.paths if path.suffix == ".svg")
    lacking = {name for line in written.left_out for name in line[9:].split(":")[0].split(", ")}
    assert lacking == set(chart_names()) - drawn
    reasons = [line.split(": ")[1] for line in written.left_out]
    assert len(set(reasons)) == len(reasons)
    (line,) = (line for line in written.left_out if line.endswith(": there is one model only"))
    assert line == "no chart separability: there is one model only"


@pytest.mark.full
def test_the_documentation_names_every_figure_table_and_chart() -> None:
    text = DOCS.read_text(encoding="utf-8")
    found = analyse(ROWS, resamples=5, keeps_labels={"d": []}, models={"m0": {"family": "f", "open": True}})
    for name in [
        *found,
        *TOLD,
        *REPLICATED,
        *HOLED,
        "designs",
        *chart_names(),
        *(f"{table}.csv" for table in TABLES),
    ]:
        assert f"`{name}`" in text, name


@pytest.mark.full
def test_a_chart_that_the_label_keeping_part_alone_lacks_is_named_so(tmp_path: Path) -> None:
    found = analyse(ROWS, resamples=5, keeps_labels={"d": []})
    parts = {"": found, "label_keeping": found["label_keeping"]}
    whole, kept = (specifications(each)[1] for each in (found, found["label_keeping"]))
    said = [
        name
        for line in draw({tmp_path / folder: part for folder, part in parts.items()}, ()).left_out
        for name in line[9:].split(":")[0].split(", ")
    ]
    assert sorted(said) == sorted([*whole, *(f"label_keeping/{name}" for name in kept if name not in whole)])
    assert "label_keeping/perturbation_differences" in said
