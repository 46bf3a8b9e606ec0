"""The example plugin, built and installed in a fresh environment: torr, unitxt, lm-eval, the site."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .home import Home

PLUGIN = Path(__file__).resolve().parents[2] / "examples" / "plugin"

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    source = tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(PLUGIN, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(source)], check=True)
    return Home(tmp_path_factory.mktemp("home"), next(out.glob("*.whl")))


def test_it_is_listed_with_all_that_it_adds(home: Home) -> None:
    [row] = json.loads(home.run("torr", "list", "plugins", "--json").stdout)["plugins"]
    assert (row["name"], row["version"], row["problem"]) == ("example", "1.0.0", "")
    for kind in ("serializers", "strategies", "models", "analyses", "sections", "commands"):
        assert f"{kind}: " in row["adds"]
    assert "menus" in home.run("torr", "--help").stdout
    shown = json.loads(home.run("torr", "menus", "show", "--json").stdout)["menus"]
    assert len(shown) == 3
    assert home.run("torr", "list", "plugins", TORR_PLUGINS="off").stdout == ""


def test_a_study_its_analysis_and_the_site(home: Home) -> None:
    planned = json.loads(home.run("torr", "plan", "menus", "--limit", "4", "--json").stdout)
    assert [each["dataset"] for each in planned["datasets"]] == ["example.menus"]
    done = json.loads(home.run("torr", "run", "menus", "--limit", "4", "--out", "run", "--json").stdout)
    assert done["failed"] == 0
    home.run("torr", "analyse", "run", "--out", "analysed", "--no-charts")
    found = json.loads((home.folder / "analysed" / "analysis.json").read_text())["plugins"]
    assert set(found["unanimous"]) == {"torr-lexical", "example-last-number"}
    assert (home.folder / "analysed" / "plugins" / "unanimous.csv").is_file()
    home.run("python", "-m", "torr_plugin.leaderboard", "run", "--out", "site")
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
    given = ("--include_path", folder, "--tasks", "menus_example_menus", "--model", "dummy", "--limit", "2")
    home.run("lm_eval", *given, "--output_path", "theirs")
    assert list((home.folder / "theirs").rglob("results_*.json"))


def test_its_own_tests_pass_there(home: Home) -> None:
    shutil.copytree(PLUGIN / "tests", home.folder / "tests")
    home.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
