"""HELM's own commands, run as a person runs them, and values of HELM's made on the spot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ...cli.in_process import here
from ...timing import PATIENCE

NOWHERE = "http://127.0.0.1:9"
"""A port where nobody listens: what tries to reach the network fails at once."""

RECIPE = """\
name: small
cards: [cards.bundled.cell_lookup, cards.bundled.aggregation]
configurations:
  serializers: [torr.csv, torr.concat]
  perturbations: [none, transpose]
demonstrations: {shots: 2}
examples: {count: 9}
generation: {max_tokens: 40}
models: [torr-lexical, torr-majority]
"""
LIMIT = 6
LABELS = {"torr/lexical": "torr-lexical", "torr/majority": "torr-majority"}
"""The models as HELM names them, and as torr does."""
MODELS = tuple(LABELS)


def command(name: str, *arguments: str | Path, cwd: Path) -> str:
    """Run a command beside this Python, without a network; what it wrote, stdout and stderr."""
    kept = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    done = subprocess.run(
        [Path(sys.executable).with_name(name), *map(str, arguments)],
        cwd=cwd,
        env={**kept, "HF_HUB_OFFLINE": "1", "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{name} ended with {done.returncode}:\n{said[-4000:]}"
    return said


def torr_in(folder: Path, *arguments: str | Path) -> str:
    """Run ``torr`` in this process and a folder; what it wrote to stdout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = here(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def helm_run_in(folder: Path, *arguments: str) -> None:
    """``helm-run`` in this process and a folder."""
    import helm.benchmark.run as helm

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        helm.helm_run(helm.build_parser().parse_args(arguments))


def summarized(summarizer: Any, folder: Path) -> Path:
    """``helm-summarize --auto-generate-schema`` in this process, which is in that folder; the suite's own."""
    summarizer(None, None, "s", None, "benchmark_output", False, 1, True).run_pipeline(skip_completed=False)
    return folder / "benchmark_output" / "runs" / "s"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def runs_of(folder: Path, suite: str) -> dict[str, Path]:
    """The run directories of a suite, by the run spec's name."""
    found = (folder / "benchmark_output" / "runs" / suite).glob("*/run_spec.json")
    return {read(path)["name"]: path.parent for path in sorted(found)}


def states(run: Path) -> list[dict[str, Any]]:
    return list(read(run / "scenario_state.json")["request_states"])


def scores_of(run: Path) -> dict[str, dict[str, float | None]]:
    """What TorrMetric gave, example -> name -> value; None where there is no answer."""
    return {
        each["instance_id"]: {stat["name"]["name"]: stat.get("mean") for stat in each["stats"]}
        for each in read(run / "per_instance_stats.json")
        if any(stat["name"]["name"] == "torr_score" for stat in each["stats"])
    }


def instances(**arguments: Any) -> list[Any]:
    """What our scenario gives, by default for a bundled data set."""
    from torr_plugin.integrations.helm.scenario import TorrScenario

    asked = {"study": "quickstart", "dataset": "bundled.cell_lookup", "config": "torr.html/transpose/default"}
    return TorrScenario(**{**asked, **arguments}).get_instances("")


def scenario_state(chosen: list[Any], answers: list[Any], chat: bool = False) -> Any:
    """The state of a scenario whose requests were answered; an answer is a text or a RequestResult."""
    from helm.benchmark.adaptation.adapter_spec import AdapterSpec
    from helm.benchmark.adaptation.request_state import RequestState
    from helm.benchmark.adaptation.scenario_state import ScenarioState
    from helm.common.request import Request

    adapter = AdapterSpec(method="chat" if chat else "generation", model_deployment=MODELS[0])
    made = [
        RequestState(
            instance=instance,
            reference_index=None,
            request_mode=None,
            train_trial_index=0,
            output_mapping=None,
            request=Request(prompt=instance.input.text, messages=instance.input.messages),
            result=result(answer) if isinstance(answer, str) else answer,
            num_train_instances=0,
            prompt_truncated=False,
        )
        for instance, answer in zip(chosen, answers, strict=True)
    ]
    return ScenarioState(adapter, made)


def result(text: str | None, *, success: bool = True) -> Any:
    """A client's result; None: no completion."""
    from helm.common.request import GeneratedOutput, RequestResult

    completions = [] if text is None else [GeneratedOutput(text=text, logprob=0, tokens=[])]
    return RequestResult(success=success, cached=False, completions=completions, embedding=[])


def means(metric: Any, state: Any) -> dict[str, tuple[float | None, int]]:
    """What a metric makes of a state: name -> mean, and of how many instances."""
    found = metric.evaluate(state, None, "", 1)
    rated = Counter(
        stat.name.name for each in found.per_instance_stats for stat in each.stats if stat.count > 0
    )
    return {stat.name.name: (stat.mean, rated[stat.name.name]) for stat in found.aggregated_stats}
