"""helm-run and helm-summarize for real, without a network: what torr run asks, and its figures."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.integrations.helm.schema import INSTANCE_STATISTICS

from .conftest import Both
from .harness import LABELS, LIMIT, MODELS, command, read, runs_of, scores_of, states

pytestmark = pytest.mark.full


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
            for metric in set(scores) - set(INSTANCE_STATISTICS):
                cell = (model, args["dataset"], args["config"], example, metric)
                assert scores[metric] == expected[cell]
                seen.add(cell)
            main = ours[(ours.dataset == args["dataset"]) & ours.main].metric.iloc[0]
            assert scores["torr_score"] == scores[main]
    assert seen == set(expected)
    assert {round(score, 6) for score in expected.values()} >= {0.0, 1.0}  # the models are not all alike


def test_every_figure_and_interval_is_torr_run_s(both: Both) -> None:
    expected = read(both.run / "analysis.json")
    found = read(both.suite / "torr_figures.json")["small.yaml"]
    for name in ("performance", "robustness", "worst", "best", "robustness_solvable"):
        assert {LABELS[model]: figure for model, figure in found[name].items()} == expected[name]
    assert found["holes"]["complete"]


def test_the_tables_show_them(both: Both) -> None:
    groups = both.suite / "groups"
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
    groups = both.suite / "groups"
    tables = read(groups / "small_bundled_cell_lookup.json")
    assert len(tables) == 1 + 4
    figures = read(both.run / "analysis.json")["robustness"]
    column = [cell["value"] for cell in tables[0]["header"]].index("Robustness")
    for row in tables[0]["rows"]:
        assert row[column]["value"] == figures[row[0]["value"]]["datasets"]["bundled.cell_lookup"]["value"]
    assert all("value" not in row[column] for table in tables[1:] for row in table["rows"])


def test_without_helm_s_commands_nothing_imports_helm(tmp_path: Path) -> None:
    code = (
        "import sys, torr_plugin.cli.app, torr_plugin.integrations.helm.schema as s\n"
        "s.schema_of(['quickstart']); print('helm' in sys.modules)"
    )
    assert command("python", "-c", code, cwd=tmp_path).strip().endswith("False")
