"""HELM's summaries of suites with holes, dry runs and models asked in two ways; and HELM's own summarizer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from .conftest import Both
from .harness import LABELS, read, runs_of, scores_of, summarized

pytestmark = pytest.mark.full

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


def rows(suite: Path, group: str, table: str) -> dict[str, list[dict[str, Any]]]:
    tables = {each["name"]: each for each in read(suite / "groups" / f"{group}.json")}
    return {row[0]["value"]: row[1:] for row in tables[table]["rows"]}


def figures(suite: Path) -> Any:
    return read(suite / "torr_figures.json")["small.yaml"]


def changed(run: Path, to: str, **adapter: Any) -> Path:
    """A copy of a run, as another adapter spec would have made it."""
    copy = run.with_name(run.name + to)
    shutil.copytree(run, copy)
    spec = read(run / "run_spec.json")
    spec["name"] += to
    spec["adapter_spec"] |= adapter
    (copy / "run_spec.json").write_text(json.dumps(spec))
    return copy


def test_a_model_asked_in_two_ways_is_not_two_ways_in_one_figure(both: Both, copy: Both) -> None:
    """HELM's tables have one row for both, so it stays empty and says where the figures are."""
    from torr_plugin.integrations.helm.summarizer import TorrSummarizer

    for name, run in runs_of(copy.folder, "s").items():
        if name.endswith("torr_lexical"):
            stats = changed(run, ",stop=hash", stop_sequences=["##"]) / "per_instance_stats.json"
            stats.write_text(stats.read_text().replace('"mean": 1.0', '"mean": 0.0'))
    summarized(TorrSummarizer, copy.folder)
    table = rows(copy.suite, "study_small", "torr_performance")
    assert all("value" not in cell for cell in table["torr-lexical"])
    assert "Asked in several ways" in table["torr-lexical"][0]["description"]
    before, after = (figures(each.suite)["performance"] for each in (both, copy))
    plain, changed_one = (after[f"torr/lexical (stop_sequences={stop})"] for stop in ([], ["##"]))
    assert plain == before["torr/lexical"]
    assert changed_one["overall"]["value"] < plain["overall"]["value"]
    assert after["torr/majority"] == before["torr/majority"]


def test_a_dry_run_in_a_suite_is_left_out_with_a_word(
    both: Both, copy: Both, caplog: pytest.LogCaptureFixture
) -> None:
    from torr_plugin.integrations.helm.summarizer import TorrSummarizer

    run = next(iter(runs_of(copy.folder, "s").values()))
    stats = changed(run, ",dry", model_deployment="acme/dry", model="acme/dry") / "per_instance_stats.json"
    stats.write_text(stats.read_text().replace('"torr_', '"dry_'))
    summarized(TorrSummarizer, copy.folder)
    assert figures(copy.suite) == figures(both.suite)
    assert "no scores (a dry run?); left out" in caplog.text


def test_a_suite_whose_recipe_is_elsewhere_says_where_to_begin(copy: Both) -> None:
    from torr_plugin.core.errors import RecipeError
    from torr_plugin.integrations.helm.summarizer import TorrSummarizer

    copy.recipe.unlink()
    with pytest.raises(
        RecipeError, match=r"^recipe 'small\.yaml': no such file.*begin helm-summarize in the"
    ):
        summarized(TorrSummarizer, copy.folder)


def lexical_scores(folder: Path) -> dict[Path, dict[str, float | None]]:
    """Run -> example -> score of the lexical model."""
    return {
        run: {example: found["torr_score"] for example, found in scores_of(run).items()}
        for name, run in runs_of(folder, "s").items()
        if "bundled.cell_lookup" in name and name.endswith("model=torr_lexical")
    }


def make_holes(folder: Path) -> tuple[str, int]:
    """Drop the answers on which an example has its least score; gives the example, and their number."""
    scores = lexical_scores(folder)
    first, *_ = scores.values()
    example = next(name for name in first if len({each[name] for each in scores.values()}) > 1)
    least = min(each[example] or 0.0 for each in scores.values())
    worst = [run for run, each in scores.items() if each[example] == least]
    for run in worst:
        path = run / "per_instance_stats.json"
        entries: list[dict[str, Any]] = read(path)
        for stat in (stat for each in entries if each["instance_id"] == example for stat in each["stats"]):
            if stat["name"]["name"] == "torr_score":
                stat |= {"count": 0, "sum": 0}
                del stat["mean"]
        path.write_text(json.dumps(entries))
    return example, len(worst)


def helms_robustness(folder: Path) -> dict[str, float]:
    """By HELM's own summarizer of ToRR, which helm-summarize of 0.5.16 cannot begin by itself."""
    from helm.benchmark.presentation.torr_robustness_summarizer import ToRRRobustnessSummarizer

    schema = folder / "helms.yaml"
    schema.write_text(yaml.safe_dump(SCHEMA))
    output = str(folder / "benchmark_output")
    summarizer = ToRRRobustnessSummarizer(None, None, "s", str(schema), output, False, 1, True)
    summarizer.read_runs()
    (group,) = summarizer.schema.run_groups
    return summarizer._compute_robustness_for_run_group(group)


def test_helm_s_robustness_rises_with_holes_and_ours_names_them(
    both: Both, copy: Both, caplog: pytest.LogCaptureFixture
) -> None:
    from torr_plugin.integrations.helm.summarizer import TorrSummarizer

    whole = helms_robustness(copy.folder)["torr/lexical"]
    example, count = make_holes(copy.folder)
    assert helms_robustness(copy.folder)["torr/lexical"] > whole
    before = figures(both.suite)["robustness"]
    assert whole == pytest.approx(
        before["torr/lexical"]["datasets"]["bundled.cell_lookup"]["value"], abs=1e-9
    )

    summarized(TorrSummarizer, copy.folder)
    assert f"{count} of 96 scores are missing" in caplog.text
    after = figures(copy.suite)
    assert (after["holes"]["missing"], after["holes"]["complete"]) == (count, False)
    found = after["robustness"]["torr/lexical"]["datasets"]["bundled.cell_lookup"]
    assert found["complete"] is False
    scores = pd.DataFrame(lexical_scores(both.folder)).drop(index=example).astype(float)
    assert found["value"] == pytest.approx(float((1 - (scores.max(axis=1) - scores.min(axis=1))).mean()))
    assert after["robustness"]["torr/majority"] == before["torr/majority"]

    holes = rows(copy.suite, "study_small", "torr_holes")["torr-lexical"]
    assert [cell["display_value"] for cell in holes] == [str(count), str(count), "0"]
    assert "1 of 6" in holes[1]["description"]
    robust = rows(copy.suite, "study_small", "torr_robustness")
    assert robust["torr-lexical"][1]["display_value"].endswith("*")
    told = robust["torr-lexical"][1]["description"]
    assert "4 of the study's 4 configurations, over the 5 of 6 examples without a hole" in told
    assert not robust["torr-majority"][1]["display_value"].endswith("*")
    assert "]*" in (copy.suite / "groups" / "latex" / "study_small_torr_robustness.tex").read_text()


def test_columns_and_cells_over_some_configurations_do_not_look_whole(copy: Both) -> None:
    """helm-server shows the values of cells and the beginnings of headers, and no more."""
    from torr_plugin.integrations.helm.summarizer import TorrSummarizer

    for name, run in runs_of(copy.folder, "s").items():
        everyone, one = "torr.concat,perturbation=transpose" in name, "torr.concat,perturbation=none" in name
        if "cell_lookup" in name and (everyone or (one and name.endswith("torr_lexical"))):
            shutil.rmtree(run)
    summarized(TorrSummarizer, copy.folder)
    tables = {each["name"]: each for each in read(copy.suite / "groups" / "study_small.json")}
    _, overall, lookup, aggregation = tables["torr_performance"]["header"]
    assert overall["value"] == "7 of 8: All data sets"
    assert lookup["value"] == "3 of 4: bundled.cell_lookup - Performance"
    assert lookup["description"].startswith("Over 3 of the study's 4 configurations. ")
    assert aggregation["value"] == "bundled.aggregation - Performance"
    scores = rows(copy.suite, "study_small", "torr_answers")
    lacking, *_ = scores["torr-lexical"]
    assert "value" not in lacking
    every = [table for path in (copy.suite / "groups").glob("*.json") for table in _tables(read(path))]
    assert {table["header"][0]["value"] for table in every} == {"Model"}
    assert lacking["display_value"] == "none (2 of 4 configurations)"
    assert scores["torr-majority"][0]["value"] >= 0
    assert all("value" in cell for cell in scores["torr-lexical"][3:])


def _tables(found: Any) -> list[Any]:
    listed = found if isinstance(found, list) else [found]
    return [each for each in listed if isinstance(each, dict) and each.get("header")]


def test_helms_own_summarizer_has_a_group_a_data_set(copy: Both) -> None:
    """``--auto-generate-schema`` asks each scenario and each metric what it is."""
    from helm.benchmark.presentation.summarize import Summarizer

    summarized(Summarizer, copy.folder)
    schema = read(copy.suite / "schema.json")
    groups = {group["name"]: group for group in schema["run_groups"]}
    assert {name for name in groups if name.startswith("small")} == {
        "small_bundled_cell_lookup",
        "small_bundled_aggregation",
    }
    lookup = groups["small_bundled_cell_lookup"]
    assert lookup["display_name"] == "bundled.cell_lookup"
    assert lookup["environment"] == {"main_name": "exact_match", "main_split": "test"}
    assert lookup["taxonomy"] == {
        "task": "table question answering",
        "what": "tables",
        "language": "English",
    }
    names = {each["name"] for each in schema["metrics"]}
    assert {"exact_match", "torr_score", "torr_missing", "torr_prompt_changed"} <= names
    table = read(copy.suite / "groups" / "small_bundled_cell_lookup.json")[0]
    model, main = [cell["value"] for cell in table["header"]][:2]
    assert model == "Model"
    assert main in {"exact_match", "EM"}  # the second is HELM's short name for its own metric
    scores = pd.read_parquet(copy.run / "scores.parquet").query("main & dataset == 'bundled.cell_lookup'")
    expected = scores.groupby("model").score.mean().to_dict()
    # HELM shows the names of models that it knows in this process by now
    shown = {LABELS.get(row[0]["value"], row[0]["value"]): row[1]["value"] for row in table["rows"]}
    assert shown == pytest.approx(expected, abs=1e-12)
