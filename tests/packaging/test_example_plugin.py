"""The example plugin, built and installed in a fresh environment: torr, unitxt, lm-eval, the site."""

from __future__ import annotations

import json
import shutil

import pytest

from .conftest import PLUGIN
from .home import Home

pytestmark = pytest.mark.full

UNITXT = """
import json, sys
import torr_plugin
torr_plugin.register()
from unitxt import evaluate, load_dataset
from unitxt.artifact import fetch_artifact
recipe = "recipes.menus.example.menus.json_lines.reverse_rows.default"
study = load_dataset(recipe, split="test", loader_limit=4)
plain = load_dataset(
    "card=cards.example.menus,template_card_index=0,serializer=serializers.table.json_lines,"
    "augmentor=augmentors.table.reverse_rows,num_demos=1,demos_pool_size=10,max_test_instances=2",
    split="test",
)
right = evaluate(predictions=[each["references"][0] for each in study], data=study)
wrong = evaluate(predictions=["-1"] * len(study), data=study)
metric, _ = fetch_artifact("metrics.torr.number_in_text")
out = {
    "study": [each["source"] for each in study], "plain": [each["source"] for each in plain],
    "right": float(right.global_scores["score"]), "wrong": float(wrong.global_scores["score"]),
    "named": right.global_scores["score_name"],
}
json.dump(out, open("unitxt.json", "w"))
"""

# as `lm_eval --include_path`, which reads lm-eval's own 14,000 tasks first
LM_EVAL = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager
tasks = TaskManager(include_path=sys.argv[1], include_defaults=False)
found = simple_evaluate("dummy", tasks=["menus_example_menus"], limit=2, task_manager=tasks)
print(json.dumps(found["results"], default=str))
"""


def test_it_is_listed_with_all_that_it_adds(home: Home) -> None:
    [row] = json.loads(home.run("torr", "list", "plugins", "--json").stdout)["plugins"]
    assert (row["name"], row["version"], row["problem"]) == ("example", "1.0.0", "")
    for kind in ("serializers", "designs", "models", "analyses", "sections", "commands"):
        assert f"{kind}: " in row["adds"]
    shown = json.loads(home.run("torr", "menus", "show", "--json").stdout)["menus"]
    assert len(shown) == 3
    assert home.run("torr", "list", "plugins", TORR_PLUGINS="off").stdout == ""


def test_a_study_its_analysis_and_the_site(home: Home) -> None:
    done = json.loads(home.run("torr", "run", "menus", "--limit", "4", "--out", "run", "--json").stdout)
    assert done["failed"] == 0
    found = json.loads((home.folder / "run" / "analysis.json").read_text())["plugins"]
    assert set(found["unanimous"]) == {"torr-lexical", "example-last-number"}
    home.run("torr", "publish", "run", "--no-charts", "--anyway")
    page = (home.folder / "site" / "index.html").read_text()
    assert '<section id="section-unanimous">' in page


def test_in_unitxt(home: Home) -> None:
    (home.folder / "in_unitxt.py").write_text(UNITXT)
    home.run("python", "in_unitxt.py")
    found = json.loads((home.folder / "unitxt.json").read_text())
    assert (found["right"], found["wrong"], found["named"]) == (1.0, 0.0, "number_in_text")
    assert all('["Dish", "Side", "Price"]' in source for source in [*found["study"], *found["plain"]])
    home.run("torr", "prompts", "menus", "--limit", "4", "--out", "prompts.jsonl")
    lines = [json.loads(line) for line in (home.folder / "prompts.jsonl").read_text().splitlines()]
    ours = [each for each in lines if each["config"] == "json_lines/reverse_rows/default"]
    written = {each["prompt"] for each in ours}
    assert set(found["study"]) == written


def test_in_lm_eval(home: Home) -> None:
    model = ("--model", "example-last-number", "--limit", "3", "--log_samples", "--output_path", "ours")
    home.run("python", "-m", "torr_plugin.integrations.lm_eval", *model, "--tasks", "menus_example_menus")
    [results] = (home.folder / "ours").rglob("results_*.json")
    scores = json.loads(results.read_text())["results"]["menus_example_menus"]
    assert 0 <= scores["worst,none"] <= scores["performance,none"] <= scores["best,none"] <= 1
    folder = home.run("torr", "lm-eval-path").stdout.strip()
    found = json.loads(home.run("python", "-c", LM_EVAL, folder).stdout.splitlines()[-1])
    assert {"performance,none", "worst,none", "best,none"} <= found["menus_example_menus"].keys()


def test_its_own_tests_pass_there(home: Home) -> None:
    shutil.copytree(PLUGIN / "tests", home.folder / "tests")
    home.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", WITH_EXTRAS="yes")
