"""Missing answers: HELM's summarizer of ToRR says a model is more robust, ours says holes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from .conftest import Both
from .harness import SUMMARIZER, command, read, runs_of, scores_of

pytestmark = pytest.mark.helm

GROUP = "small_bundled_cell_lookup"
SCHEMA = {
    "metrics": [{"name": "torr_score"}, {"name": "robustness"}],
    "metric_groups": [
        {"name": "performance_metrics", "metrics": [{"name": "${main_name}", "split": "__all__"}]},
        {"name": "robustness_metrics", "metrics": [{"name": "robustness", "split": "__all__"}]},
    ],
    "run_groups": [
        {
            "name": GROUP,
            "metric_groups": ["performance_metrics", "robustness_metrics"],
            "environment": {"main_name": "torr_score", "main_split": "test"},
        }
    ],
}


class Holed(NamedTuple):
    """A working directory, the example with holes, and how many there are."""

    folder: Path
    example: str
    count: int


def lexical_runs(folder: Path, suite: str) -> list[Path]:
    return [
        run
        for name, run in runs_of(folder, suite).items()
        if "bundled.cell_lookup" in name and name.endswith("model=torr_lexical")
    ]


def helms_robustness(folder: Path, suite: str) -> dict[str, float]:
    """By HELM's own summarizer of ToRR, which helm-summarize of 0.5.16 cannot begin by itself."""
    from helm.benchmark.presentation.torr_robustness_summarizer import ToRRRobustnessSummarizer

    schema = folder / "helms.yaml"
    schema.write_text(yaml.safe_dump(SCHEMA))
    output = str(folder / "benchmark_output")
    summarizer = ToRRRobustnessSummarizer(None, None, suite, str(schema), output, False, 1, True)
    summarizer.read_runs()
    (group,) = summarizer.schema.run_groups
    return summarizer._compute_robustness_for_run_group(group)


@pytest.fixture
def holed(both: Both, tmp_path: Path) -> Holed:
    """The suite without the answers on which an example has its least score."""
    shutil.copytree(both.folder / "benchmark_output", tmp_path / "benchmark_output")
    shutil.copy(both.recipe, tmp_path)
    runs = lexical_runs(tmp_path, "s")
    scores = [{example: found["torr_score"] for example, found in scores_of(run).items()} for run in runs]
    example = next(name for name in scores[0] if len({each[name] for each in scores}) > 1)
    least = min(each[example] or 0.0 for each in scores)
    worst = [run for run, each in zip(runs, scores, strict=True) if each[example] == least]
    for run in worst:
        _forget(run, example)
    return Holed(tmp_path, example, len(worst))


def _forget(run: Path, example: str) -> None:
    path = run / "per_instance_stats.json"
    found: list[dict[str, Any]] = read(path)
    for each in found:
        if each["instance_id"] == example:
            for stat in each["stats"]:
                if stat["name"]["name"] == "torr_score":
                    stat |= {"count": 0, "sum": 0}
                    del stat["mean"]
    path.write_text(json.dumps(found))


def test_helm_s_robustness_rises_and_ours_says_holes(both: Both, holed: Holed) -> None:
    folder, example, count = holed
    whole = helms_robustness(both.folder, "s")["torr/lexical"]
    assert helms_robustness(folder, "s")["torr/lexical"] > whole
    before = read(both.folder / "benchmark_output" / "runs" / "s" / "torr_figures.json")["small.yaml"]
    figure = before["robustness"]["torr/lexical"]["datasets"]["bundled.cell_lookup"]
    assert whole == pytest.approx(figure["value"], abs=1e-9)

    summarize = ["--suite", "s", "--auto-generate-schema", "--summarizer-class-name", SUMMARIZER]
    said = command("helm-summarize", *summarize, cwd=folder)
    assert f"{count} of 96 scores are missing" in said
    after = read(folder / "benchmark_output" / "runs" / "s" / "torr_figures.json")["small.yaml"]
    assert (after["holes"]["missing"], after["holes"]["complete"]) == (count, False)
    found = after["robustness"]["torr/lexical"]["datasets"]["bundled.cell_lookup"]
    assert found["complete"] is False
    ranges = [
        1 - (max(values) - min(values))
        for name in scores_of(lexical_runs(both.folder, "s")[0])
        if name != example
        for values in [[scores_of(run)[name]["torr_score"] for run in lexical_runs(both.folder, "s")]]
    ]
    assert found["value"] == pytest.approx(sum(ranges) / len(ranges))
    assert after["robustness"]["torr/majority"] == before["robustness"]["torr/majority"]


def test_the_tables_name_the_hole(holed: Holed) -> None:
    folder, _, count = holed
    summarize = ["--suite", "s", "--auto-generate-schema", "--summarizer-class-name", SUMMARIZER]
    command("helm-summarize", *summarize, cwd=folder)
    groups = folder / "benchmark_output" / "runs" / "s" / "groups"
    tables = {table["name"]: table for table in read(groups / "study_small.json")}
    rows = {row[0]["value"]: row for row in tables["torr_holes"]["rows"]}
    assert [cell["display_value"] for cell in rows["torr-lexical"][1:]] == [str(count), str(count), "0"]
    assert "1 of 6" in rows["torr-lexical"][2]["description"]
    robust = {row[0]["value"]: row for row in tables["torr_robustness"]["rows"]}
    assert robust["torr-lexical"][2]["display_value"].endswith("*")
    told = robust["torr-lexical"][2]["description"]
    assert "4 of the study's 4 configurations, over the 5 of 6 examples without a hole" in told
    assert not robust["torr-majority"][2]["display_value"].endswith("*")
    assert "]*" in (groups / "latex" / "study_small_torr_robustness.tex").read_text()
