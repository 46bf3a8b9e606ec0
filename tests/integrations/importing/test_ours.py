"""Results that carry our records: exact keys and scores, and no mixture of studies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.core import shipped
from torr_plugin.integrations.record import record_of
from torr_plugin.integrations.studies import plan_of
from torr_plugin.running import Run

from ...conftest import Torr
from .lm_eval_output import sample, write_run

DATASET = "bundled.cell_lookup"
TASK = "quickstart_bundled_cell_lookup"


def samples(
    answer: str | None = None, asked_by: str = "quickstart", of: str = DATASET, **changes: str
) -> list[dict[str, Any]]:
    """Two examples in two configurations; an answer is right unless one is given."""
    planned = plan_of(asked_by, of, 2)
    found: dict[str, list[Any]] = {}
    for config in planned.configurations[:2]:
        for request in planned.requests_of(of, config):
            found.setdefault(request.example, []).append((request, record_of(planned, request).as_dict()))
    return [
        {
            "doc_id": number,
            "doc": {"example": name, "torr": [record | changes for _, record in both]},
            "target": "",
            "arguments": {
                f"gen_args_{at}": {"arg_0": request.prompt[0].content, "arg_1": {}}
                for at, (request, _) in enumerate(both)
            },
            "resps": [[answer or record["references"][0]] for _, record in both],
            "filtered_resps": [answer or record["references"][0] for _, record in both],
            "filter": "none",
            "metrics": ["performance"],
            "performance": 1.0,
        }
        for number, (name, both) in enumerate(found.items())
    ]


def test_answers_are_rated_again_under_the_study_s_keys(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", TASK, samples())
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    said = json.loads(done.stdout)
    assert (done.returncode, said["scores"], said["results"]) == (0, "rated again", 4)
    assert said["compared"] == {"compared": 2, "differing": 0, "largest": 0.0}
    run, planned = Run.open(tmp_path / "run"), plan_of("quickstart", DATASET, 2)
    asked = {r.key for config in planned.configurations[:2] for r in planned.requests_of(DATASET, config)}
    assert set(run.requests()["key"].to_pylist()) == asked
    assert run.scores().score.tolist() == [1.0] * 4
    assert run.study["recipe"]["name"] == "quickstart"
    assert run.examples() is not None
    assert "2 of the 35 configurations of recipe 'quickstart'" in done.stderr.replace("\n", " ")


def own_study(folder: Path, name: str = "mine", perturbation: str = "transpose") -> Path:
    """A recipe of one's own, which asks a card file beside it and rates by metrics of its own choice."""
    folder.mkdir(exist_ok=True)
    shutil.copy(shipped.folder("cards") / "bundled" / "cell_lookup.json", folder / "towns.json")
    recipe = folder / f"{name}.yaml"
    recipe.write_text(
        f"name: {name}\ncards: [{{card: towns.json, metrics: [exact_match, f1_strings]}}]\n"
        f"configurations: [html/none/default, html/{perturbation}/default]\nexamples: {{count: 3}}\n"
    )
    return recipe


def test_a_study_of_one_s_own_is_named_by_its_recipe(torr: Torr, tmp_path: Path) -> None:
    recipe = own_study(tmp_path / "study")
    write_run(tmp_path / "out", "mine_towns", samples(asked_by=str(recipe), of="towns"))
    given = ("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    done = torr(*given)
    assert done.returncode == 2
    assert "unknown card 'cards.towns'" in done.stderr
    assert "--recipe FILE" in done.stderr
    assert not (tmp_path / "run").exists()

    done = torr(*given, "--recipe", recipe)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["compared"] == {"compared": 2, "differing": 0, "largest": 0.0}
    run = Run.open(tmp_path / "run")
    assert run.study["recipe"]["name"] == "mine"
    assert run.study["imported"]["options"] == ["--recipe mine.yaml"]
    assert set(run.scores().metric) == {"exact_match", "f1_strings"}  # the recipe's, not the card's alone


@pytest.mark.parametrize("rated_right", [True, False])
def test_each_score_of_a_single_configuration_is_compared_by_its_name(
    torr: Torr, tmp_path: Path, rated_right: bool
) -> None:
    # the main metric stands second, and the card is known by its file alone
    recipe = own_study(tmp_path / "study")
    recipe.write_text(recipe.read_text().replace("[exact_match, f1_strings]", "[f1_strings, exact_match]"))
    lines = samples(asked_by=str(recipe), of="towns")
    for line in lines:
        line["doc"]["torr"], line["resps"] = line["doc"]["torr"][:1], line["resps"][:1]
        line["arguments"] = {"gen_args_0": line["arguments"]["gen_args_0"]}
        del line["performance"]
        line |= {"metrics": ["f1_strings", "exact_match"], "f1_strings": 1.0, "exact_match": 1.0}
    if not rated_right:
        lines[0]["f1_strings"] = 0.25
    write_run(tmp_path / "out", "mine_towns_html_none", lines)
    given = ("import", "lm-eval", tmp_path / "out", "--recipe", recipe)
    said = json.loads(torr(*given, "--out", tmp_path / "run", "--json").stdout)
    wrong = {"differing": 0, "largest": 0.0} if rated_right else {"differing": 1, "largest": 0.75}
    assert said["compared"] == {"compared": 4, **wrong}
    assert rated_right or any("f1_strings: 0.25, ours 1" in note for note in said["notes"])


def test_a_recipe_that_is_not_that_of_the_results_is_refused(torr: Torr, tmp_path: Path) -> None:
    recipe = own_study(tmp_path / "study")
    write_run(tmp_path / "out", "mine_towns", samples(asked_by=str(recipe), of="towns"))
    given = ("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--recipe")
    done = torr(*given, own_study(tmp_path / "study", "other"))
    assert done.returncode == 2
    assert "--recipe: found study 'other'; expected 'mine'" in done.stderr
    done = torr(*given, own_study(tmp_path / "later", perturbation="shuffle_rows"))
    assert done.returncode == 2
    assert "--recipe: the recipe has no configuration 'html/transpose/default'" in done.stderr


def test_a_recipe_is_refused_for_results_of_other_tasks(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", "boolq", [sample(0), sample(1)])
    given = ("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run")
    done = torr(*given, "--recipe", own_study(tmp_path / "study"))
    assert done.returncode == 2
    assert "--recipe: these results carry no record" in done.stderr


def test_an_answer_that_lm_eval_does_not_have_is_no_text(torr: Torr, tmp_path: Path) -> None:
    lines = samples()
    lines[0]["resps"][0] = [None]
    lines[0]["performance"] = float("nan")  # as lm-eval has it then
    write_run(tmp_path / "out", TASK, lines)
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    said = json.loads(done.stdout)
    assert (done.returncode, said["results"], said["failed"]) == (1, 4, 1), done.stderr
    assert sorted(Run.open(tmp_path / "run").scores().score.fillna(-1)) == [-1.0, 1.0, 1.0, 1.0]


def test_a_study_of_one_configuration_has_whole_tasks_too(torr: Torr, tmp_path: Path) -> None:
    lines = samples()
    for line in lines:
        line["doc"]["torr"], line["resps"] = line["doc"]["torr"][:1], line["resps"][:1]
        line["arguments"] = {"gen_args_0": line["arguments"]["gen_args_0"]}
    write_run(tmp_path / "out", TASK, lines)
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    assert json.loads(done.stdout)["compared"] == {"compared": 2, "differing": 0, "largest": 0.0}


def test_scores_of_the_harness_that_differ_are_said(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", TASK, samples("wrong"))
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    said = json.loads(done.stdout)
    assert said["compared"] == {"compared": 2, "differing": 2, "largest": 1.0}
    assert any(
        "2 of 2 scores of the harness itself differ from ours, by at most 1" in n for n in said["notes"]
    )
    assert pd.read_parquet(tmp_path / "run" / "scores.parquet").score.max() == 0.0


def test_the_same_cell_of_two_tasks_counts_once(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", TASK, samples())
    write_run(tmp_path / "out", f"{TASK}_b", samples(), date="2026-01-02T03-04-06.678901")
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    assert json.loads(done.stdout)["results"] == 4
    write_run(tmp_path / "out", f"{TASK}_b", samples("other"), date="2026-01-02T03-04-06.678901")
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "more")
    assert done.returncode == 2
    assert "expected one result a cell: leave one of the two runs out" in done.stderr


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"study": "other"}, "is of study 'quickstart', "),
        ({"fingerprint": "0" * 32}, "fingerprint is '"),
        ({"card": "cards.bundled.aggregation"}, "card is 'cards.bundled.cell_lookup', in "),
    ],
)
def test_a_mixture_of_studies(torr: Torr, tmp_path: Path, changes: dict[str, str], said: str) -> None:
    write_run(tmp_path / "out", TASK, samples(**changes), args="pretrained=org/a")
    write_run(tmp_path / "out", TASK, samples(), args="pretrained=org/b")
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "run").exists()


def test_ours_and_other_tasks_apart(torr: Torr, tmp_path: Path) -> None:
    from .lm_eval_output import sample

    write_run(tmp_path / "out", TASK, samples())
    write_run(tmp_path / "out", "zzz", [sample(0)], date="2026-01-02T03-04-06.678901")
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "expected one kind: import them apart" in done.stderr


def test_a_metric_cannot_be_chosen_where_cards_rate(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", TASK, samples())
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--metric", "x")
    assert done.returncode == 2
    assert "--metric: these answers are rated by cards" in done.stderr
