"""Models that fail, dry runs, and models asked in two ways, as they come out of helm-run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .conftest import Both
from .harness import RECIPE, command, read, runs_of, scores_of

pytestmark = pytest.mark.helm

CLIENT = """\
import zlib

from helm.common.request import ErrorFlags, RequestResult
from torr_plugin.integrations.helm.client import TorrClient


class Flaky(TorrClient):
    def make_request(self, request):
        if "<table>" in request.prompt:
            hard = ErrorFlags(is_retriable=False, is_fatal=True)
            return RequestResult(False, [], [], cached=False, error="no such key", error_flags=hard)
        if zlib.crc32(request.prompt.encode()) % 2:
            soft = ErrorFlags(is_retriable=False, is_fatal=False)
            return RequestResult(False, [], [], cached=False, error="filtered", error_flags=soft)
        return super().make_request(request)
"""
DEPLOYMENTS = """\
model_deployments:
  - name: acme/flaky
    model_name: acme/flaky
    tokenizer_name: torr/words
    max_sequence_length: 100000
    client_spec: {class_name: flaky.Flaky, args: {model: torr-lexical}}
"""
METADATA = """\
models:
  - name: acme/flaky
    display_name: Flaky
    description: Fails.
    creator_organization_name: Acme
    access: open
    release_date: 2026-01-01
    tags: []
"""
DATASET = "bundled.aggregation"
LIMIT = 6


def summarized(folder: Path, suite: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """helm-summarize --auto-generate-schema in this process; the suite's directory."""
    from torr_plugin.integrations.helm.summarizer import TorrSummarizer

    monkeypatch.chdir(folder)
    TorrSummarizer(None, None, suite, None, "benchmark_output", False, 1, True).run_pipeline(
        skip_completed=False
    )
    return folder / "benchmark_output" / "runs" / suite


def rows(suite: Path, group: str, table: str) -> dict[str, list[dict[str, Any]]]:
    tables = {each["name"]: each for each in read(suite / "groups" / f"{group}.json")}
    return {row[0]["value"]: row[1:] for row in tables[table]["rows"]}


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """A suite of one model that refuses all of one format, and some answers of another."""
    (tmp_path / "small.yaml").write_text(RECIPE.replace("torr.concat", "torr.html"))
    (tmp_path / "flaky.py").write_text(CLIENT)
    (tmp_path / "prod_env").mkdir()
    (tmp_path / "prod_env" / "model_deployments.yaml").write_text(DEPLOYMENTS)
    (tmp_path / "prod_env" / "model_metadata.yaml").write_text(METADATA)
    command("torr", "helm-entries", "small.yaml", "--model", "acme/flaky", "--out", "s.conf", cwd=tmp_path)
    asked = [
        "--conf-paths",
        "s.conf",
        "--suite",
        "s",
        "-m",
        str(LIMIT),
        "--groups-to-run",
        "small_bundled_aggregation",
    ]
    said = command("helm-run", *asked, cwd=tmp_path, check=False, PYTHONPATH=str(tmp_path))
    assert "exit code 1" in said
    assert said.count("no such key") > 0
    return tmp_path


def test_a_model_that_fails_has_holes_and_says_which_configurations_it_lacks(
    failing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = [run for run in runs_of(failing, "s").values() if (run / "stats.json").exists()]
    assert len(finished) == 2  # HELM gives up a run at the first error that it calls fatal
    scores = [scores_of(run) for run in finished]
    missing = [example for each in scores for example, found in each.items() if found["torr_missing"]]
    assert 0 < len(missing) < 2 * LIMIT
    assert all(
        (found["torr_score"] is None) == found["torr_missing"] for each in scores for found in each.values()
    )

    suite = summarized(failing, "s", monkeypatch)
    figures = read(suite / "torr_figures.json")["small.yaml"]
    assert figures["holes"]["missing"] == len(missing)
    assert figures["examples"][DATASET]["acme/flaky"] == {"whole": LIMIT - len(set(missing)), "of": LIMIT}
    (robustness,) = rows(suite, "small_bundled_aggregation", "small_bundled_aggregation").values()
    told = [cell.get("display_value") for cell in robustness[:4]]
    assert all(text.endswith("* (2 of 4 configurations)") for text in told)
    for path in suite.glob("**/*.json"):
        json.loads(path.read_text(), parse_constant=pytest.fail)


def changed(run: Path, to: str, **adapter: Any) -> Path:
    """A copy of a run, as another adapter spec would have made it."""
    copy = run.with_name(run.name + to)
    shutil.copytree(run, copy)
    spec = read(run / "run_spec.json")
    spec["name"] += to
    spec["adapter_spec"] |= adapter
    (copy / "run_spec.json").write_text(json.dumps(spec))
    return copy


@pytest.fixture
def suite(both: Both, tmp_path: Path) -> Path:
    """The folder of a copy of the suite."""
    shutil.copytree(both.folder / "benchmark_output", tmp_path / "benchmark_output")
    shutil.copy(both.recipe, tmp_path)
    return tmp_path


def test_a_model_asked_in_two_ways_is_not_two_ways_in_one_figure(
    both: Both, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HELM's tables have one row for both, so it stays empty and says where the figures are."""
    for name, run in runs_of(suite, "s").items():
        if name.endswith("torr_lexical"):
            stats = changed(run, ",stop=hash", stop_sequences=["##"]) / "per_instance_stats.json"
            stats.write_text(stats.read_text().replace('"mean": 1.0', '"mean": 0.0'))
    found = summarized(suite, "s", monkeypatch)
    table = rows(found, "study_small", "torr_performance")
    assert all("value" not in cell for cell in table["torr-lexical"])
    assert "Asked in several ways" in table["torr-lexical"][0]["description"]
    before = read(both.folder / "benchmark_output" / "runs" / "s" / "torr_figures.json")["small.yaml"][
        "performance"
    ]
    after = read(found / "torr_figures.json")["small.yaml"]["performance"]
    plain, changed_one = (after[f"torr/lexical (stop_sequences={stop})"] for stop in ([], ["##"]))
    assert plain == before["torr/lexical"]
    assert changed_one["overall"]["value"] < plain["overall"]["value"]
    assert after["torr/majority"] == before["torr/majority"]


def test_a_dry_run_in_a_suite_is_left_out_with_a_word(
    suite: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = read(suite / "benchmark_output" / "runs" / "s" / "torr_figures.json")
    run = next(iter(runs_of(suite, "s").values()))
    stats = changed(run, ",dry", model_deployment="acme/dry", model="acme/dry") / "per_instance_stats.json"
    stats.write_text(stats.read_text().replace('"torr_', '"dry_'))
    found = summarized(suite, "s", monkeypatch)
    assert read(found / "torr_figures.json") == before
    assert "no scores (a dry run?); left out" in caplog.text


def test_a_suite_whose_recipe_is_elsewhere_says_where_to_begin(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torr_plugin.core.errors import RecipeError

    (suite / "small.yaml").unlink()
    with pytest.raises(
        RecipeError, match=r"^recipe 'small\.yaml': no such file.*begin helm-summarize in the"
    ):
        summarized(suite, "s", monkeypatch)


@pytest.mark.parametrize(
    ("asked", "limit", "said"),
    [
        ("data_augmentation=canonical", 2, "data_augmentation: expected none"),
        ("max_train_instances=5", 2, "max_train_instances: expected none"),
        ("num_trials=heim_efficiency", 2, "num_trials: expected none"),
        ("chat=no", 0, "--max-eval-instances: found 0; expected 1 or more"),
        ("chat=no", -1, "--max-eval-instances: found -1; expected 1 or more"),
    ],
)
def test_what_would_ask_an_example_twice_or_never_is_refused_before_a_model_is_asked(
    asked: str, limit: int, said: str
) -> None:
    import helm.benchmark.run as helm
    from helm.benchmark.config_registry import register_builtin_configs_from_helm_package
    from helm.benchmark.presentation.run_entry import RunEntry

    from torr_plugin.core.errors import InputError
    from torr_plugin.integrations.helm import run_specs as registering  # noqa: F401 - registers

    register_builtin_configs_from_helm_package()
    what = "torr:study=quickstart,dataset=bundled.cell_lookup,serializer=html,perturbation=none"
    entry = RunEntry(description=f"{what},model=torr/lexical,{asked}", priority=1, groups=None)
    with pytest.raises(InputError, match=f"^run entry torr: {said}"):
        helm.run_entries_to_run_specs([entry], max_eval_instances=limit)
