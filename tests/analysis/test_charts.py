"""Charts: one a figure, safe from what names hold, the same bytes every time."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse, findings
from torr_plugin.analysis.charts import chart_names, draw, specifications, to_png, to_svg
from torr_plugin.analysis.charts.label_places import Point, label_fields
from torr_plugin.analysis.charts.labels import LONGEST, shortened, unique_labels
from torr_plugin.analysis.charts.panels import curve_chart
from torr_plugin.analysis.charts.vega import SERIES, SHAPES
from torr_plugin.analysis.figures import serializers

from ..timing import PATIENCE

HOSTILE = [
    "<script>alert(1)</script>",
    "a\"b\\\"c'); alert(1); ('",
    "line\nbreak\r\x00\x1b[31m\u202ered",
    "$.field[0]['x'].y",
    "&lt;b&gt; & ]]> <!-- -->",
    "data:text/html,<svg onload=alert(1)>",
    "javascript:alert(1)",
    "m" * 300,
    "m" * 299 + "n",
    "{{1+1}} ${7*7} datum.value",
    "null",
    "表格模型 \U0001f600",
]
SERIALIZERS, PERTURBATIONS = ("html", "json", "image"), ("none", "transpose")


def study(models: list[str], datasets: list[str], examples: int = 8) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        {"model": m, "dataset": d, "serializer": s, "perturbation": p, "design": x, "config": f"{s}/{p}/{x}"}
        for m in models
        for d in datasets
        for s in SERIALIZERS
        for p in PERTURBATIONS
        for x in ("default", "tree_thinker")
    ]
    frame = pd.DataFrame([{**row, "example": f"e{e}"} for row in rows for e in range(examples)])
    skill = frame["model"].map({m: i / len(models) for i, m in enumerate(models)})
    score = np.clip(skill + rng.normal(0, 0.2, len(frame)), 0, 1).round(3)
    return frame.assign(metric="em", main=True, score=score)


def known_of(scores: pd.DataFrame, names: list[str]) -> dict[str, pd.DataFrame]:
    """What is known of the examples, in groups and properties of these names, and of the answers' lengths."""
    examples = scores[["dataset", "example"]].drop_duplicates().reset_index(drop=True)
    known = [
        {
            "groups": json.dumps({names[0]: names[i % len(names)]}),
            "properties": json.dumps(
                {
                    of: {name: bool((i >> n) % 2) for n, name in enumerate(names[:3])}
                    | {"kind": names[i % 2]}
                    for of in ("table", "question")
                }
            ),
            "cells": 10 * i,
        }
        for i in range(len(examples))
    ]
    answers = scores[["model", "dataset", "config", "example"]]
    lengths = answers.assign(values=np.arange(len(answers)) % 5 + 1, truth=2)
    return {"examples": pd.concat([examples, pd.DataFrame(known)], axis=1), "lengths": lengths}


DESCRIBED = {
    "m0": {"family": "a", "size": 1, "open": True},
    "m1": {"family": "a", "size": 8, "open": True},
    "m2": {"family": "b", "size": 70, "open": False},
}


@cache
def analysed() -> dict[str, Any]:
    frame = study(["m0", "m1", "m2"], ["one", "two"])
    keeps: dict[str, list[str]] = {"one": [], "two": ["transpose"]}
    known = known_of(frame, ["source", "template", "topic"])
    return analyse(frame, resamples=30, keeps_labels=keeps, models=DESCRIBED, **known)


@cache
def specs() -> dict[str, dict[str, Any]]:
    return specifications(analysed())[0]


@cache
def hostile() -> dict[str, Any]:
    frame = study(HOSTILE, [HOSTILE[0], HOSTILE[2], "overall "], 3)
    found: dict[str, Any] = analyse(frame, resamples=10, **known_of(frame, HOSTILE))
    return found


@cache
def hostile_svgs() -> dict[str, str]:
    return {name: to_svg(spec) for name, spec in specifications(hostile())[0].items()}


@pytest.mark.full
def test_a_whole_study_has_every_chart_and_its_label_keeping_too() -> None:
    found, lacking = specifications(analysed())
    assert lacking == {}
    assert list(found) == list(chart_names())
    kept, lacking = specifications(analysed()["label_keeping"])
    assert set(kept) >= {"performance_robustness", "reliability_prompts", "dataset_agreement"}


@pytest.mark.full
@pytest.mark.parametrize("name", list(chart_names()))
def test_specifications_are_plain_valid_and_say_what_they_show(name: str) -> None:
    spec = specs()[name]
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    alt.Chart.from_dict(spec)  # raises where the schema of Vega-Lite does not know a part
    assert spec["title"]["text"]
    said = " ".join(spec["title"]["subtitle"])
    assert re.search(r"3 models, 2 data sets, 12 configurations and 8 examples each", said)
    assert all(len(line) < 160 for line in spec["title"]["subtitle"])


def test_every_figure_with_an_interval_is_drawn_with_it() -> None:
    rows = specs()["model_scores"]["datasets"]["rows"]
    figure = analysed()["robustness"]["m2"]["overall"]
    assert {
        "row": "m2",
        "panel": "ToRR's robustness",
        **{key: figure[key] for key in ("value", "low", "high")},
    } in rows
    assert len(rows) == 4 * 3


def picture(found: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = specifications(found)[0]["performance_robustness"]["datasets"]["rows"]
    return rows


@pytest.mark.full
@pytest.mark.parametrize("perturbed", [True, False])
def test_the_picture_says_what_robustness_is_over(perturbed: bool) -> None:
    frame = study(["m0", "m1"], ["d0"], 3)
    if not perturbed:
        frame = frame[frame["perturbation"] == "none"]
    spec = specifications(analyse(frame, resamples=10))[0]["performance_robustness"]
    title = " ".join(np.atleast_1d(spec["layer"][0]["encoding"]["y"]["title"]))
    assert ("how little scores differ between ways to write a table" in title) is perturbed
    assert ("how little scores differ by format" in title) is not perturbed


def test_the_picture_has_both_figures_the_tier_and_a_label_of_each_model() -> None:
    found = analysed()
    (row,) = [row for row in picture(found) if row["label"] == "m2"]
    for axis, name in (("x", "performance"), ("y", "robustness_5")):
        figure = found[name]["m2"]["overall"]
        assert [row[f"{axis}_{key}"] for key in ("value", "low", "high")] == [
            figure[key] for key in ("value", "low", "high")
        ]
    (tier,) = [number for number, models in enumerate(found["tiers"]["overall"], 1) if "m2" in models]
    assert row["tier"] == str(tier)
    assert row["named"]


def test_what_says_nothing_is_grey_in_the_picture() -> None:
    scores = np.random.default_rng(2).random((4, 6, 9)).round(3)
    scores[0], scores[1], scores[2] = 0.0, 1.0, scores[2, :1]
    rows = picture(analyse(cube_frame(scores, parts=True), resamples=10))
    assert {row["label"]: row["grey"] for row in rows} == {"m0": True, "m1": True, "m2": True, "m3": False}


def test_charts_are_drawn_in_the_formats_that_were_asked_for(tmp_path: Path) -> None:
    svg = draw({tmp_path / "plain": analysed()})
    assert {path.suffix for path in svg.paths} == {".svg"}
    every = draw({tmp_path / "all": analysed()}, ("svg", "png", "pdf"))
    assert len(every.paths) == 3 * len(svg.paths)
    assert (tmp_path / "all" / "model_scores.pdf").read_bytes().startswith(b"%PDF-")


def test_names_cover_neither_points_nor_one_another() -> None:
    rng = np.random.default_rng(3)
    points = [Point(f"model-{i}", *rng.uniform(20, 180, 2)) for i in range(12)]
    placed = label_fields(points, 200, 200, 11, 5)
    boxes = [
        (
            row["label_x"],
            row["label_y"] - 5.5,
            row["label_x"] + 0.5 * 11 * len(point.label),
            row["label_y"] + 5.5,
        )
        for point, row in zip(points, placed, strict=True)
        if row["named"]
    ]
    assert placed[0]["named"]
    assert len(boxes) > 6
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert not any(left <= point.x <= right and top <= point.y <= bottom for point in points)
        assert not any(left < r and o < right and top < b and u < bottom for o, u, r, b in boxes[:i])


def test_every_pair_of_data_sets_has_a_cell_in_any_order() -> None:
    """The analysis sorts data sets, the chart leaves them in the study's order."""
    scores = np.random.default_rng(0).random((4, 2, 6))
    study = pd.concat([cube_frame(scores[np.roll(range(4), i)], name) for i, name in enumerate("bca")])
    found = analyse(study, resamples=20)
    spec = specifications(found)[0]["dataset_agreement"]
    cells = {(row["row"], row["column"]): row for row in spec["datasets"]["rows"]}
    assert list(cells) == [("c", "b"), ("a", "b"), ("a", "c")]
    agreement = found["dataset_agreement"]
    for (first, second), row in cells.items():
        i, j = (agreement["datasets"].index(name) for name in (first, second))
        assert row["value"] == agreement["tau"][i][j]
    rows = specifications(found)[0]["configuration_agreement"]["datasets"]["rows"]
    figure = found["configuration_agreement_intervals"]["overall"]
    assert rows[0]["value"] == figure["value"]


def test_models_stand_best_first() -> None:
    spec = specs()["performance_datasets"]
    assert list(dict.fromkeys(row["row"] for row in spec["datasets"]["rows"])) == ["m2", "m1", "m0"]


@pytest.mark.parametrize(
    ("columns", "missing"),
    [
        (["serializer"], {"serializer_range", "perturbation_differences"}),
        (["perturbation"], {"perturbation_differences"}),
    ],
)
def test_what_a_study_lacks_is_left_out_and_said(columns: list[str], missing: set[str]) -> None:
    frame = study(["m0", "m1"], ["one"]).drop(columns=columns)
    found, lacking = specifications(analyse(frame, resamples=10))
    assert missing <= set(lacking)
    assert set(found) | set(lacking) == set(chart_names())
    assert set(found) >= {"performance_robustness", "model_scores"}
    assert lacking["dataset_agreement"] == "there is one data set only"
    assert lacking["openness"] == "models are not described as open or closed"
    assert all("\n" not in reason for reason in lacking.values())


@pytest.mark.full
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 3, 4), (3, 1, 4), (3, 4, 1)])
def test_small_studies_draw_what_there_is(shape: tuple[int, int, int]) -> None:
    scores = np.random.default_rng(1).random(shape).round(3)
    found, lacking = specifications(analyse(cube_frame(scores), resamples=10))
    assert "performance_robustness" in found
    assert ("separability" in lacking) == (shape[0] == 1)
    ElementTree.fromstring(to_svg(found["performance_robustness"]))


def test_holes_and_constant_models_draw() -> None:
    scores = np.random.default_rng(2).random((4, 6, 5)).round(3)
    scores[0], scores[1, 2, 3], scores[2, :, :] = 0.0, np.nan, np.nan
    found, _ = specifications(analyse(cube_frame(scores, parts=True), resamples=10))
    assert "performance_robustness" in found
    for spec in found.values():
        json.dumps(spec, allow_nan=False)


@pytest.mark.full
def test_names_stand_in_data_alone() -> None:
    for name, spec in specifications(hostile())[0].items():
        rows = spec["datasets"]["rows"]
        assert all(re.fullmatch(r"[a-z_]+", key) for row in rows for key in row), name
        texts = json.dumps({key: part for key, part in spec.items() if key != "datasets"})
        fields = re.findall(r'"field": "([^"]*)"', texts)
        assert all(re.fullmatch(r"[a-z_0-9]+", field) for field in fields), name
        assert "\\n" not in texts


TAGS = {"svg", "g", "path", "text", "rect", "line", "tspan", "defs", "clipPath", "linearGradient", "stop"}


@pytest.mark.full
def test_svg_of_hostile_names_is_xml_without_anything_active() -> None:
    assert len(hostile_svgs()) > 10
    for name, svg in hostile_svgs().items():
        for element in ElementTree.fromstring(svg).iter():
            tag = element.tag.rpartition("}")[2]
            assert tag in TAGS, (name, tag)
            for key, value in element.attrib.items():
                assert not key.lower().rpartition("}")[2].startswith(("on", "href")), (name, key)
                assert "url(" not in value or re.fullmatch(r"url\(#[a-z0-9_]+\)", value), (name, value)


@pytest.mark.full
@pytest.mark.parametrize(
    "name", ["constructor", "__proto__", "toString", "\x1b[31mred\x07", "a\x00b", "\ud800", "\ufffe\uffff"]
)
def test_any_text_is_a_label(name: str) -> None:
    """Vega keeps the rows of a stack in a plain object by their label; XML has not every character."""
    rows = [{"model": name, "value": 1}, {"model": "other", "value": 2}]
    bars = alt.Chart(alt.NamedData("rows")).mark_bar().encode(x="value:Q", y="model:N", color="model:N")
    svg = to_svg({**bars.to_dict(validate=False), "datasets": {"rows": rows}})
    texts = [text for element in ElementTree.fromstring(svg).iter() for text in [element.text or ""]]
    plain = re.sub("[\x00\x07\x1b\ud800\ufffe\uffff]", "\ufffd", name)
    assert plain in {text.strip() for text in texts}


@pytest.mark.full
def test_hostile_names_do_not_break_the_layout() -> None:
    for name, svg in hostile_svgs().items():
        root = ElementTree.fromstring(svg)
        assert float(root.attrib["width"]) < 1600, name
        assert float(root.attrib["height"]) < 2200, name
        for element in root.iter():
            line = element.text or ""
            assert len(line) < 170, name
            assert all(char.isprintable() for char in line), name


@pytest.mark.full  # the places of a hundred labels take a minute
def test_a_hundred_models_keep_their_rows_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    results = analyse(study([f"model-{i:03}" for i in range(100)], ["one"], 2), resamples=5)
    found, _ = specifications(results)
    monkeypatch.setattr(serializers, "MOST_CELLS", 99)
    _, lacking = specifications(results)
    assert lacking["serializer_range"] == "it would have more than 99 cells"
    svg = to_svg(found["performance_datasets"])
    texts = {
        "".join(text.itertext())
        for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {f"model-{i:03}" for i in range(100)} <= texts


@pytest.mark.full
@pytest.mark.parametrize("name", ["separability", "reliability_prompts", "dataset_agreement"])
def test_the_same_bytes_every_time(name: str) -> None:
    spec = specs()[name]
    first = to_svg(spec)
    to_svg(specs()["reliability_examples"])
    assert to_svg(specs()[name]) == first
    assert specifications(analysed())[0][name] == spec
    assert to_png(first) == to_png(first)


def test_png_is_whole_and_twice_as_large_as_the_svg() -> None:
    svg = to_svg(specs()["separability"])
    png = to_png(svg)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert png.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", png[16:24])
    root = ElementTree.fromstring(svg)
    assert (width, height) == (2 * float(root.attrib["width"]), 2 * float(root.attrib["height"]))


def test_labels_are_short_single_lines_and_differ() -> None:
    found = unique_labels(HOSTILE)
    assert len(set(found.values())) == len(HOSTILE)
    assert all(len(label) <= LONGEST and label.isprintable() for label in found.values())
    assert shortened("a  b\nc") == "a b c"
    assert shortened("\x00\n\ud800") == "?"
    assert shortened("meta/llama-3.1-405b-instruct-fp8-dynamic", 20) == "meta/llama…dynamic"
    assert shortened("cards.tablebench_numerical_reasoning", 24) == "cards.tableb…reasoning"
    assert shortened("x" * 20, 11) == "xxxxx…xxxxx"
    many = unique_labels([f"{'x' * 100}{i}{'y' * 100}" for i in range(12)])
    assert len(set(many.values())) == 12
    assert max(len(label) for label in many.values()) <= LONGEST + 1


@pytest.mark.full
def test_a_chart_of_families_shows_those_that_have_a_size_alone() -> None:
    described = {**DESCRIBED, "m2": {"family": "closed", "open": False}}
    found = analyse(study(["m0", "m1", "m2"], ["one"]), resamples=10, models=described)
    spec = specifications(found)[0]["families"]
    assert "closed" not in json.dumps(spec["layer"])
    assert {row["series"] for row in spec["datasets"]["rows"]} == {"a"}


def test_colours_and_shapes_together_tell_many_series_apart() -> None:
    pairs = {(SERIES[i % len(SERIES)], SHAPES[i % len(SHAPES)]) for i in range(56)}
    assert len(pairs) == 56


def test_a_small_study_is_said_in_the_singular() -> None:
    one = analyse(study(["m0", "m1"], ["one"], 1).query("config == 'html/none/default'"), resamples=5)
    assert findings(one)[0].startswith("over 1 data set, 1 configuration, 1 example each;")


def test_the_terminal_says_w_and_its_chance_level() -> None:
    w = analysed()["configuration_agreement_intervals"]["overall"]
    (said,) = (line for line in findings(analysed()) if "Kendall" in line)
    assert f"{w['value']:.3f}, by chance {w['chance']:.3f}" in said
    assert "[" not in said
    assert all(len(line) <= 80 for line in findings(analysed()))


def test_of_many_curves_the_first_and_the_last_alone_have_bands() -> None:
    row = {"panel": "p", "value": 0.5, "low": 0.4, "high": 0.6, "chance": 0.1}
    for many, banded in ((1, {0}), (3, {0, 1, 2}), (4, {0, 3}), (7, {0, 6})):
        rows = [{**row, "x": x, "series": k} for k in range(many) for x in (1, 2)]
        drawn = curve_chart(rows, ["p"], ("x", "k"), "title", [])["datasets"]["rows"]
        assert {r["series"] for r in drawn if r["band"]} == banded
        assert len(drawn) == len(rows)


ELSEWHERE = """
import hashlib, json
from tests.analysis.test_charts import analysed
from torr_plugin.analysis.charts import specifications, to_pdf, to_png, to_svg
found = specifications(analysed())[0]
drawn = [to_svg(found[name]) for name in ("openness", "reliability_examples", "separability")]
parts = [json.dumps(analysed()), json.dumps(found), *drawn]
print(*(hashlib.sha256(part.encode()).hexdigest() for part in parts))
print(hashlib.sha256(to_png(drawn[0])).hexdigest())
"""


@pytest.mark.full
def test_the_same_bytes_in_every_process() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ELSEWHERE],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    first, second = (process.communicate(timeout=PATIENCE)[0] for process in processes)
    assert len(first.split()) == 6
    assert first == second


def test_scores_that_name_no_perturbation_lack_its_charts_for_that_reason() -> None:
    frame = study(["m0", "m1"], ["one"], 3).drop(columns=["serializer", "perturbation"])
    lacking = specifications(analyse(frame, resamples=5))[1]
    reason = "the scores do not say the perturbations of all configurations"
    assert {lacking[name] for name in chart_names() if name.startswith("perturbation")} == {reason}


@pytest.mark.full
def test_a_group_that_holds_a_whole_data_set_is_said_once() -> None:
    """Subsets of a card are a data set each, whose examples are all of one source."""
    frame = study(["m0", "m1"], ["one", "two"])
    known = known_of(frame, ["source", "x"])
    of_dataset = known["examples"].assign(
        groups=[json.dumps({"source": f"from {dataset}"}) for dataset in known["examples"]["dataset"]]
    )
    found = analyse(frame, resamples=5, examples=of_dataset)
    rows = specifications(found)[0]["groups"]["datasets"]["rows"]
    assert {row["row"] for row in rows} == {"source from one", "source from two"}
    alone = analyse(frame[frame["dataset"] == "one"], resamples=5, examples=of_dataset)
    assert specifications(alone)[1]["groups"] == "the examples are in no groups, or all in one"


@pytest.mark.full
def test_the_regression_says_its_sizes_in_short() -> None:
    frame = study(["m0"], ["one", "two", "three"], 12)
    known = known_of(frame, ["source", "x"])["examples"]
    spec = specifications(analyse(frame, resamples=5, examples=known))[0]["regression"]
    assert "Least squares over 12 to 36 examples on 12 to 36 tables" in " ".join(spec["title"]["subtitle"])
