"""HELM's leaderboard of ToRR as a run: names, scores, and what is wrong with it."""

from __future__ import annotations

import shutil

import pytest
import yaml

from ...conftest import Torr
from .conftest import Importing, change
from .helm_output import HTML, TRUTH, leaderboard, write_run


@pytest.mark.full
@pytest.mark.parametrize("below", ["", "runs/v1"])
def test_a_leaderboard_is_a_run_by_our_names(importing: Importing, below: str) -> None:
    leaderboard(importing.source)
    importing.source /= below
    said = importing("helm")
    assert said["scores"] == "its own"
    assert said["datasets"] == {"tab_fact": 3}
    main = importing.main
    assert set(main.config) == {"torr.html/none/torr", "torr.html/transpose/torr", "torr.csv/none/torr"}
    assert set(main.metric) == {"accuracy"}
    good = main[main.model == "org/good"].set_index(["config", "example"]).score
    assert good["torr.html/transpose/torr"].to_dict() == {"test0": 1.0, "test1": 0.0, "test2": 1.0}
    # mean range over the three examples: only test1 differs between configurations
    figures = importing.opened().analysis()
    assert figures["robustness"]["org/good"]["datasets"]["tab_fact"]["value"] == pytest.approx(1 - 1 / 3)
    assert figures["robustness"]["org/poor"]["datasets"]["tab_fact"]["value"] == 1.0


@pytest.mark.full
def test_the_run_says_where_it_is_from_and_every_command_takes_it(importing: Importing, torr: Torr) -> None:
    leaderboard(importing.source)
    importing("helm")
    run = importing.run
    study = yaml.safe_load((run / "study.yaml").read_text())
    assert {"harness": "HELM", "files": 6, "scores": "its own"}.items() <= study["imported"].items()
    models = {model["label"]: model["model"] for model in study["models"]}
    assert models == {"org/good": "helm", "org/poor": "helm"}
    assert torr("status", run).returncode == 0
    assert torr("analyse", run, "--out", run.parent / "analysis", "--no-charts").returncode == 0
    assert torr("budget", run).returncode == 0
    answers = importing.opened().predictions("org/poor")
    assert set(answers["prediction"].to_pylist()) == {"entailed"}
    assert answers["seconds"].to_pylist() == [0.25] * 9
    done = torr("judge", run, "--model", "torr-lexical")
    assert done.returncode == 2
    assert "has no card, so its answers cannot be rated" in done.stderr


def test_another_metric_can_be_the_main_one(importing: Importing) -> None:
    leaderboard(importing.source)
    line = importing.refused("helm", "--metric", "bleu")
    assert "--metric 'bleu': data set 'tab_fact' has accuracy, f1_macro" in line
    importing("helm", "--metric", "f1_macro")
    assert set(importing.main.metric) == {"f1_macro"}


@pytest.mark.full
def test_the_site_says_whose_scores_they_are(importing: Importing) -> None:
    from torr_plugin.leaderboard import build_site

    leaderboard(importing.source)
    importing("helm", "--metric", "f1_macro")
    site = importing.run.parent / "site"
    build_site([importing.run], site, charts=False)
    pages = "".join(page.read_text() for page in site.rglob("*.html"))
    assert "The scores are those of HELM itself" in pages
    assert "torr import helm FOLDER --metric f1_macro --out " in pages


def test_drawn_instances_are_doubted_and_rated_again(importing: Importing) -> None:
    # HELM 0.5.16 rated the answer to test2 by row 0 and that to test1 by row 1
    answers = {"test2": "entailed", "test1": "refuted"}
    write_run(importing.source, HTML, "org/one", answers, scores=dict.fromkeys(answers, 0.0))
    assert importing("helm")["notes"][0].startswith("2 answers to drawn instances were rated by HELM's Unit")
    assert importing.scores.score.max() == 0
    shutil.rmtree(importing.run)
    said = importing("helm", "--rate-again")
    assert said["scores"] == "rated again"
    assert importing.main.score.tolist() == [1.0, 1.0]


def test_holes_are_named_and_lower_no_robustness_silently(importing: Importing) -> None:
    suite = leaderboard(importing.source)
    folder = suite / "unitxt:recipe=recipes.torr.tab_fact.csv.no_augmentation_5_demos,model=org_poor"
    change(folder / "scenario_state.json", lambda state: state["request_states"].pop())
    said = importing("helm")
    assert said["holes"] == 1
    line = "1 cells have no result and are holes: org/poor: tab_fact, torr.csv/none/torr, test2"
    assert line in said["notes"]
    run = importing.opened()
    assert run.analysis()["holes"]["missing"] == 1
    assert run.predictions("org/poor")["error"].drop_null().to_pylist() == ["not among the imported results"]


@pytest.mark.full
def test_unfinished_runs_are_left_out_and_are_holes(importing: Importing, torr: Torr) -> None:
    suite = leaderboard(importing.source)
    recipe = "unitxt:recipe=recipes.torr.tab_fact"
    shutil.rmtree(suite / f"{recipe}.csv.no_augmentation_5_demos,model=org_poor")
    for config, model in (("csv.no", "poor"), ("json.no", "good"), ("json.no", "poor")):
        (suite / f"{recipe}.{config}_augmentation_5_demos,model=org_{model}").mkdir()
    said = importing("helm")
    assert said["notes"][0].startswith("3 half-written runs left out, so that cells are missing: unitxt:")
    # three examples in csv of one model; json, which nobody finished, is in the note alone
    assert (said["holes"], said["configurations"]) == (3, 3)
    figures = importing.opened().analysis()
    assert figures["holes"]["missing"] == 3
    assert figures["robustness"]["org/poor"]["datasets"]["tab_fact"]["complete"] is False
    for command in ("status", "budget"):
        assert torr(command, importing.run).returncode == 0


def test_data_sets_that_no_card_rates_keep_their_scores(importing: Importing) -> None:
    entailed = dict.fromkeys(TRUTH, "entailed")
    write_run(importing.source, HTML, "org/one", entailed, scores=dict.fromkeys(TRUTH, 0.0))
    fin_qa = "recipes.torr.fin_qa.html.no_augmentation_5_demos"
    write_run(importing.source, fin_qa, "org/one", dict(TRUTH), scores=dict.fromkeys(TRUTH, 0.5))
    said = importing("helm", "--rate-again", "--metric", "accuracy")
    assert said["scores"] == {"finqa": "its own", "tab_fact": "rated again"}
    assert "finqa: keeps the harness's scores, for its metric needs the example's" in said["notes"][0]
    means = importing.main.groupby("dataset").score.mean().to_dict()
    assert means == {"finqa": 0.5, "tab_fact": pytest.approx(2 / 3)}


def test_one_model_asked_through_two_deployments_is_refused(importing: Importing) -> None:
    for host in ("azure", "openai"):
        path = write_run(importing.source / host, HTML, "openai/gpt", TRUTH) / "run_spec.json"
        change(path, lambda spec, host=host: spec["adapter_spec"].update(model_deployment=f"{host}/gpt"))  # type: ignore[misc]
    assert "two models are called 'openai/gpt'" in importing.refused("helm")


def test_who_made_a_chat_of_the_prompts_is_said(importing: Importing) -> None:
    """A text is HELM's client's to wrap: a chat model is sent it as one user message."""
    write_run(importing.source, HTML, "org/text", TRUTH)
    path = write_run(importing.source, HTML, "org/chat", TRUTH) / "run_spec.json"
    change(path, lambda spec: spec["adapter_spec"].update(method="chat"))
    importing("helm")
    models = yaml.safe_load((importing.run / "study.yaml").read_text())["models"]
    assert {model["label"]: model["chat"] for model in models} == {
        "org/text": "by HELM's client",
        "org/chat": True,
    }
