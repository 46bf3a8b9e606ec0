"""HELM's own summarizer knows our data sets, and gives our figure of robustness."""

from __future__ import annotations

import pandas as pd
import pytest
import yaml

from .conftest import Both
from .harness import LABELS, read, summarized

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


def test_helm_s_robustness_is_ours(copy: Both) -> None:
    """By HELM's own summarizer of ToRR, which helm-summarize of 0.5.16 cannot begin by itself."""
    from helm.benchmark.presentation.torr_robustness_summarizer import ToRRRobustnessSummarizer

    schema = copy.folder / "helms.yaml"
    schema.write_text(yaml.safe_dump(SCHEMA))
    output = str(copy.folder / "benchmark_output")
    summarizer = ToRRRobustnessSummarizer(None, None, "s", str(schema), output, False, 1, True)
    summarizer.read_runs()
    (group,) = summarizer.schema.run_groups
    found = summarizer._compute_robustness_for_run_group(group)["torr/lexical"]
    ours = read(copy.run / "analysis.json")["robustness"]["torr-lexical"]["datasets"]["bundled.cell_lookup"]
    assert found == pytest.approx(ours["value"], abs=1e-9)


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
