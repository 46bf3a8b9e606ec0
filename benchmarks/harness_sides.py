"""The sides that ``harnesses.py`` compares: each runs a harness's own command and reads what that wrote."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness_results import Asked, Cell, Results

CELL = ("dataset", "example", "config")

_WITH_RECIPE = """
import sys
from pathlib import Path
from torr_plugin.integrations.unitxt.__main__ import main
from torr_plugin.recipes import add_recipe_folder
add_recipe_folder(Path(sys.argv.pop(1)).parent, origin="benchmark")
main()
"""


@dataclass(frozen=True)
class Study:
    """A recipe, how many examples of each data set, the model that answers; some of its cards, or all."""

    recipe: str
    examples: int
    model: str
    cards: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Whether the recipe is a file, not one that came with the package."""
        return self.recipe.endswith(".yaml")

    def parts(self) -> list[Any]:
        """Its data sets in all their configurations."""
        from torr_plugin.integrations.studies import study_parts

        wanted = [name.removeprefix("cards.") for name in self.cards]
        parts = [part for part in study_parts(self.recipe) if part.config is None]
        return [part for part in parts if not wanted or part.dataset in wanted]


def of_torr(study: Study, folder: Path) -> Results:
    """``torr run``."""
    import pandas as pd

    cards = ["--cards", ",".join(study.cards)] if study.cards else []
    seconds = _run(
        *(*_module("torr_plugin.cli.app"), "run", study.recipe, "--limit", study.examples, *cards),
        *("--model", study.model, "--out", folder / "run"),
        folder=folder,
    )
    requests = pd.read_parquet(folder / "run" / "requests")
    answers = pd.read_parquet(folder / "run" / "predictions").set_index("key")["prediction"]
    scores = pd.read_parquet(folder / "run" / "scores.parquet").query("main")
    asked = {
        Cell(row.dataset, row.example, row.config, row.stage): Asked(row.prompt, answers[row.key])
        for row in requests.itertuples()
    }
    cells = zip(*(scores[name].astype(str) for name in CELL), strict=True)
    return Results(asked, dict(zip((Cell(*cell) for cell in cells), scores["score"], strict=True)), seconds)


def of_lm_eval(study: Study, folder: Path) -> Results:
    """lm-eval's command with the model registered; samples hold figures an example, not a configuration."""
    from torr_plugin.integrations.lm_eval import tasks_folder

    tasks = ",".join(part.task for part in study.parts())
    included = ["--include_path", tasks_folder([study.recipe])] if study.is_file else []
    seconds = _run(
        *(*_module("torr_plugin.integrations.lm_eval"), "--model", study.model, "--tasks", tasks, *included),
        *("--limit", study.examples, "--log_samples", "--output_path", folder / "out"),
        folder=folder,
    )
    asked, scores = {}, {}
    for path in (folder / "out").rglob("samples_*.jsonl"):
        for document in map(json.loads, path.read_text().splitlines()):
            records, sent = document["doc"]["torr"], document["arguments"]
            for number, record in enumerate(records):
                answer = document["filtered_resps"][number]
                asked |= _steps(_cell(record), sent[f"gen_args_{number}"]["arg_0"], answer)
            scores[_cell(records[0])._replace(config="")] = document["performance"]
    return Results(asked, scores, seconds)


def of_unitxt(study: Study, folder: Path) -> Results:
    """unitxt's command with our catalog registered; a file is put among the recipes of a plugin."""
    tasks = "+".join(part.recipe for part in study.parts())
    command = (sys.executable, "-c", _WITH_RECIPE, study.recipe) if study.is_file else None
    seconds = _run(
        *(*(command or _module("torr_plugin.integrations.unitxt")), "--model", study.model, "--tasks", tasks),
        *("--limit", study.examples, "--log_samples", "--output_path", folder),
        folder=folder,
    )
    asked, scores = {}, {}
    for path in folder.glob("*_samples.json"):
        for samples in json.loads(path.read_text())["samples"].values():
            for sample in samples:
                cell = _cell(sample["torr"])
                asked |= _steps(cell, sample["source"], sample["prediction"])
                scores[cell] = sample["score"]
    return Results(asked, scores, seconds)


def of_helm(study: Study, folder: Path) -> Results:
    """``helm-run`` of the run entries that ``torr helm-entries`` writes."""
    model = study.model.replace("torr-", "torr/")
    entries = folder / "entries.conf"
    _run(
        *_module("torr_plugin.cli.app"),
        "helm-entries",
        study.recipe,
        "--model",
        model,
        "--out",
        entries,
        folder=folder,
    )
    wanted = {part.dataset for part in study.parts()}
    lines = entries.read_text().splitlines()
    if study.cards:
        lines = [
            line
            for line in lines
            if "dataset=" not in line or any(f"dataset={name}," in line for name in wanted)
        ]
        entries.write_text("\n".join(lines))
    seconds = _run(
        *(Path(sys.executable).with_name("helm-run"), "--conf-paths", entries, "--suite", "study"),
        *("--max-eval-instances", study.examples, "--disable-cache"),
        folder=folder,
    )
    asked, scores = {}, {}
    for place in sorted((folder / "benchmark_output" / "runs" / "study").glob("torr:*")):
        cells = {}
        for state in json.loads((place / "scenario_state.json").read_text())["request_states"]:
            cell = cells[state["instance"]["id"]] = _cell(state["instance"]["extra_data"]["torr"])
            steps = (state.get("annotations") or {}).get("torr")
            answer = json.dumps(steps) if steps else state["result"]["completions"][0]["text"]
            asked |= _steps(cell, state["request"]["prompt"], answer)
        for name, score in _stats(place / "per_instance_stats.json"):
            scores[cells[name]] = score
    return Results(asked, scores, seconds)


SIDES: dict[str, Callable[[Study, Path], Results]] = {
    "torr": of_torr,
    "lm-eval": of_lm_eval,
    "unitxt": of_unitxt,
    "helm": of_helm,
}


def _stats(path: Path) -> Iterator[tuple[str, float]]:
    for entry in json.loads(path.read_text()):
        for stat in entry["stats"]:
            if stat["name"]["name"] == "torr_score":
                yield entry["instance_id"], stat["mean"]


def _cell(record: Mapping[str, Any]) -> Cell:
    return Cell(*(str(record[name]) for name in CELL))


def _steps(cell: Cell, prompt: str, answer: str) -> dict[Cell, Asked]:
    """The prompt as it was sent and the answer; or those of every step, which the answer then holds."""
    if not answer.startswith('{"torr_steps"'):
        return {cell: Asked(prompt, answer)}
    steps = json.loads(answer)["torr_steps"]
    prompts = [prompt, *(each["prompt"] for each in steps[1:])]
    return {
        cell._replace(stage=stage): Asked(asked, each["answer"])
        for stage, (asked, each) in enumerate(zip(prompts, steps, strict=True))
    }


def _module(name: str) -> tuple[str, ...]:
    return sys.executable, "-m", name


def _run(*command: object, folder: Path) -> float:
    """Run a command in ``folder``; the seconds it took.

    Raises:
        SystemExit: it failed; with the last of what it said.
    """
    start = time.perf_counter()
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(
            f"{' '.join(map(str, command[:6]))} ...: exit {done.returncode}\n{done.stderr[-3000:]}"
        )
    return time.perf_counter() - start
