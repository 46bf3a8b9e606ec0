"""helm-run and helm-summarize for real, without a network: what torr run asks, and its figures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from .conftest import Both
from .harness import LIMIT, MODELS, command, read, runs_of, scores_of, states

pytestmark = pytest.mark.helm

LABELS = {"torr/lexical": "torr-lexical", "torr/majority": "torr-majority"}


def test_every_cell_is_run_with_the_study_s_prompts_in_its_order(both: Both) -> None:
    requests = pd.read_parquet(both.run / "requests")
    runs = runs_of(both.folder, "s")
    assert len(runs) == len(MODELS) * 2 * 2 * 2
    for run in runs.values():
        args = read(run / "run_spec.json")["scenario_spec"]["args"]
        asked = requests[(requests.dataset == args["dataset"]) & (requests.config == args["config"])]
        found = states(run)
        assert [state["instance"]["id"] for state in found] == list(asked.example)
        assert len(found) == LIMIT
        for state, key, prompt in zip(found, asked.key, asked.prompt, strict=True):
            assert state["instance"]["extra_data"]["torr"]["key"] == key
            assert state["request"]["prompt"] == prompt
            assert (state["request"]["max_tokens"], state["request"]["temperature"]) == (40, 0.0)
            assert not state["prompt_truncated"]


def test_every_score_is_torr_run_s(both: Both) -> None:
    ours = pd.read_parquet(both.run / "scores.parquet")
    expected = ours.set_index(["model", "dataset", "config", "example", "metric"]).score.to_dict()
    seen = set()
    for run in runs_of(both.folder, "s").values():
        spec = read(run / "run_spec.json")
        args, model = spec["scenario_spec"]["args"], LABELS[spec["adapter_spec"]["model_deployment"]]
        for example, scores in scores_of(run).items():
            assert (scores["torr_missing"], scores["torr_prompt_changed"]) == (0.0, 0.0)
            for metric in set(scores) - {"torr_score", "torr_missing", "torr_prompt_changed"}:
                cell = (model, args["dataset"], args["config"], example, metric)
                assert scores[metric] == expected[cell]
                seen.add(cell)
            main = ours[(ours.dataset == args["dataset"]) & ours.main].metric.iloc[0]
            assert scores["torr_score"] == scores[main]
    assert seen == set(expected)
    assert {round(score, 6) for score in expected.values()} >= {0.0, 1.0}  # the models are not all alike


def test_every_figure_and_interval_is_torr_run_s(both: Both) -> None:
    expected = read(both.run / "analysis.json")
    found = read(both.folder / "benchmark_output" / "runs" / "s" / "torr_figures.json")["small.yaml"]
    for name in ("performance", "robustness", "worst", "best", "robustness_solvable"):
        assert {LABELS[model]: figure for model, figure in found[name].items()} == expected[name]
    assert found["holes"]["complete"]


def test_the_tables_show_them(both: Both) -> None:
    groups = both.folder / "benchmark_output" / "runs" / "s" / "groups"
    figures = read(both.run / "analysis.json")
    tables = {table["name"]: table for table in read(groups / "study_small.json")}
    for name in ("performance", "robustness", "worst", "best"):
        table = tables[f"torr_{name}"]
        assert [cell["value"] for cell in table["header"]][:2] == ["Model", "All data sets"]
        assert len(table["rows"]) == len(MODELS)
        for row in table["rows"]:
            figure = figures[name][row[0]["value"]]
            given = [figure["overall"], *figure["datasets"].values()]
            assert [cell["value"] for cell in row[1:]] == [each["value"] for each in given]
            assert [cell["display_value"] for cell in row[1:]] == [
                f"{each['value']:.3f} [{each['low']:.3f}, {each['high']:.3f}]" for each in given
            ]
    latex = (groups / "latex" / "study_small_torr_robustness.tex").read_text()
    overall = figures["robustness"]["torr-lexical"]["overall"]
    assert f"torr-lexical & {overall['value']:.3f} [" in latex


def test_a_data_set_s_page_has_its_figures_and_a_table_a_configuration(both: Both) -> None:
    groups = both.folder / "benchmark_output" / "runs" / "s" / "groups"
    tables = read(groups / "small_bundled_cell_lookup.json")
    assert len(tables) == 1 + 4
    figures = read(both.run / "analysis.json")["robustness"]
    column = [cell["value"] for cell in tables[0]["header"]].index("Robustness")
    for row in tables[0]["rows"]:
        assert row[column]["value"] == figures[row[0]["value"]]["datasets"]["bundled.cell_lookup"]["value"]
    assert all("value" not in row[column] for table in tables[1:] for row in table["rows"])


def test_the_second_time_answers_come_from_helm_s_cache(both: Both) -> None:
    what = "study=small.yaml,dataset=bundled.cell_lookup,serializer=csv,perturbation=none"
    entry = f"torr:{what},model=torr/lexical"
    command("helm-run", "--run-entries", entry, "--suite", "again", "-m", str(LIMIT), cwd=both.folder)
    (run,) = runs_of(both.folder, "again").values()
    assert [state["result"]["cached"] for state in states(run)] == [True] * LIMIT
    first = runs_of(both.folder, "s")[run.name]
    assert scores_of(run) == scores_of(first)


def test_the_command_of_the_documentation_on_long_real_tables(shared_data: Path, tmp_path: Path) -> None:
    entry = "torr:card=cards.wikitq,serializer=html,perturbation=transpose,model=torr/lexical"
    said = command(
        "helm-run",
        *("--run-entries", entry, "--suite", "s", "--max-eval-instances", "10"),
        cwd=tmp_path,
        TORR_DATA=str(shared_data),
    )
    assert "Done." in said
    (run,) = runs_of(tmp_path, "s").values()
    found = states(run)
    assert len(found) == 10
    assert max(len(state["request"]["prompt"]) for state in found) > 2_048
    command(
        "torr",
        *("prompts", "torr", "--cards", "wikitq", "--limit", "10", "--out", "p.jsonl"),
        cwd=tmp_path,
        TORR_DATA=str(shared_data),
    )
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    keys = [row["key"] for row in rows if row["config"] == "torr.html/transpose/torr"]
    assert [state["instance"]["extra_data"]["torr"]["key"] for state in found] == keys
    assert all(scores["torr_prompt_changed"] == 0 for scores in scores_of(run).values())


def test_a_wrong_entry_ends_with_one_clear_line(tmp_path: Path) -> None:
    entry = "torr:card=cards.wikitq,serializer=htm,perturbation=none,model=torr/lexical"
    said = command("helm-run", "--run-entries", entry, "-m", "1", cwd=tmp_path, check=False)
    assert "exit code 1" in said
    last = next(line for line in reversed(said.splitlines()) if "Error" in line)
    assert "run entry torr: study 'torr': unknown serializer 'htm'; did you mean 'torr.html'?" in last


def test_without_helm_s_commands_nothing_imports_helm(tmp_path: Path) -> None:
    code = (
        "import sys, torr_plugin.cli.app, torr_plugin.integrations.helm.schema as s\n"
        "s.schema_of(['quickstart']); print('helm' in sys.modules)"
    )
    assert command("python", "-c", code, cwd=tmp_path).strip().endswith("False")


def test_helms_own_summarizer_has_a_group_a_data_set(both: Both, tmp_path: Path) -> None:
    """``--auto-generate-schema`` asks each scenario and each metric what it is."""
    shutil.copytree(both.folder / "benchmark_output", tmp_path / "benchmark_output")
    shutil.copy(both.recipe, tmp_path)
    # one thread: Python before 3.11.8 may fail where several parse expressions, as HELM's templates do
    command("helm-summarize", "--suite", "s", "--auto-generate-schema", "--num-threads", "1", cwd=tmp_path)
    release = tmp_path / "benchmark_output" / "runs" / "s"
    schema = read(release / "schema.json")
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
    table = read(release / "groups" / "small_bundled_cell_lookup.json")[0]
    model, main = [cell["value"] for cell in table["header"]][:2]
    assert model == "Model"
    assert main in {"exact_match", "EM"}  # the second is HELM's short name for its own metric
    scores = pd.read_parquet(both.run / "scores.parquet").query("main & dataset == 'bundled.cell_lookup'")
    expected = scores.groupby("model").score.mean().to_dict()
    shown = {LABELS[row[0]["value"]]: row[1]["value"] for row in table["rows"]}
    assert shown == pytest.approx(expected, abs=1e-12)
