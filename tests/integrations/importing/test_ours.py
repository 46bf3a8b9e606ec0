"""Results that carry our records: exact keys and scores, and no mixture of studies."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.core.errors import DataError, InputError
from torr_plugin.core.versions import shipped_folder
from torr_plugin.integrations.importing import study as known_examples
from torr_plugin.integrations.logs.lm_eval import LM_EVAL
from torr_plugin.integrations.record import record_of
from torr_plugin.integrations.studies import plan_of
from torr_plugin.recipes import recipe_file

from .conftest import Importing
from .lm_eval_output import sample, write_run

DATASET = "bundled.cell_lookup"
TASK = "quickstart_bundled_cell_lookup"
LATER = "2026-01-02T03-04-06.678901"
EQUAL = {"compared": 2, "differing": 0, "largest": 0.0}


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


def test_the_answer_to_one_of_several_calls_is_no_answer(tmp_path: Path) -> None:
    def logged(config: str, answer: str) -> str:
        asked = samples(answer)[:1]
        asked[0]["doc"]["torr"][0]["config"] = config
        write_run(tmp_path, TASK, asked)
        with pytest.raises(InputError) as refused:
            [file.read() for file in LM_EVAL.read(tmp_path).files]
        return str(refused.value)

    line = logged("csv/none/self_augmented", "a note")
    assert "line 1: design 'self_augmented' takes 2 calls (values, answer); found the answer 'a note'" in line
    assert "unknown design 'not_here'" in logged("csv/none/not_here", '{"torr_steps": []}')
    steps: list[Any] = [{"step": "values", "key": "k", "prompt": "p", "answer": "a"}]
    steps.append({"step": "answer", "key": 3, "prompt": [{"role": "judge", "content": ""}], "answer": ""})
    assert "torr_steps.1.key: found 3; expected text" in logged(
        "csv/none/self_augmented", json.dumps({"torr_steps": steps})
    )


def own_study(folder: Path, name: str = "mine", perturbation: str = "transpose") -> Path:
    """A user's recipe, which asks a card file beside it and rates by metrics that it chooses."""
    folder.mkdir(exist_ok=True)
    shutil.copy(shipped_folder("cards") / "bundled" / "cell_lookup.json", folder / "towns.json")
    recipe = folder / f"{name}.yaml"
    recipe.write_text(
        f"name: {name}\ncards: [{{card: towns.json, metrics: [exact_match, f1_strings]}}]\n"
        f"configurations: [html/none/default, html/{perturbation}/default]\nexamples: {{count: 3}}\n"
    )
    return recipe


def singly(lines: list[dict[str, Any]], **scores: Any) -> list[dict[str, Any]]:
    """The samples in one configuration: of a whole study or, with ``scores``, of a single task."""
    for line in lines:
        line["doc"]["torr"], line["resps"] = line["doc"]["torr"][:1], line["resps"][:1]
        line["arguments"] = {"gen_args_0": line["arguments"]["gen_args_0"]}
        if scores:
            del line["performance"]
            line |= {"metrics": list(scores), **scores}
    return lines


def test_answers_are_rated_again_under_the_study_s_keys(importing: Importing) -> None:
    write_run(importing.source, TASK, samples())
    said = importing("lm-eval")
    assert (said["scores"], said["results"], said["compared"]) == ("rated again", 4, EQUAL)
    assert said["notes"][0].startswith(f"{DATASET}: 2 of the 35 configurations of recipe 'quickstart'")
    run, planned = importing.opened(), plan_of("quickstart", DATASET, 2)
    asked = {r.key for config in planned.configurations[:2] for r in planned.requests_of(DATASET, config)}
    assert set(run.requests()["key"].to_pylist()) == asked
    assert run.scores().score.tolist() == [1.0] * 8  # each with its lenient score
    assert run.study["recipe"]["name"] == "quickstart"
    assert run.examples() is not None


def test_a_user_s_study_is_named_by_its_recipe(importing: Importing, tmp_path: Path) -> None:
    recipe = own_study(tmp_path / "study")
    write_run(importing.source, "mine_towns", samples(asked_by=str(recipe), of="towns"))
    line = importing.refused("lm-eval")
    assert "unknown card 'cards.towns'" in line
    assert "--recipe FILE" in line
    other = own_study(tmp_path / "study", "other")
    line = importing.refused("lm-eval", "--recipe", other)
    assert "--recipe: found study 'other'; expected 'mine'" in line
    changed = own_study(tmp_path / "later", perturbation="shuffle_rows")
    line = importing.refused("lm-eval", "--recipe", changed)
    assert (
        "--recipe: the results are of configuration 'html/transpose/default', which the recipe lacks" in line
    )

    assert importing("lm-eval", "--recipe", recipe)["compared"] == EQUAL
    run = importing.opened()
    assert run.study["recipe"]["name"] == "mine"
    # the recipe's metrics, not the card's alone
    assert set(run.scores().metric) == {"exact_match", "f1_strings", "exact_match.lenient"}
    about = run.study["imported"]
    assert (about["from"], about["options"]) == ("in", ["--recipe mine.yaml"])
    assert str(tmp_path) not in json.dumps(about), "no folder of this machine is published"


@pytest.mark.full
@pytest.mark.parametrize("rated_right", [True, False])
def test_each_score_of_a_single_configuration_is_compared_by_its_name(
    importing: Importing, tmp_path: Path, rated_right: bool
) -> None:
    # the main metric stands second, and the card is known by its file alone
    recipe = own_study(tmp_path / "study")
    recipe.write_text(recipe.read_text().replace("[exact_match, f1_strings]", "[f1_strings, exact_match]"))
    lines = singly(samples(asked_by=str(recipe), of="towns"), f1_strings=1.0, exact_match=1.0)
    if not rated_right:
        lines[0]["f1_strings"] = 0.25
    write_run(importing.source, "mine_towns_html_none", lines)
    said = importing("lm-eval", "--recipe", recipe)
    wrong = {"differing": 0, "largest": 0.0} if rated_right else {"differing": 1, "largest": 0.75}
    assert said["compared"] == {"compared": 4, **wrong}
    assert rated_right or any("f1_strings: 0.25, ours 1" in note for note in said["notes"])


def test_a_recipe_is_refused_for_results_of_other_tasks(importing: Importing, tmp_path: Path) -> None:
    write_run(importing.source, "boolq", [sample(0), sample(1)])
    line = importing.refused("lm-eval", "--recipe", own_study(tmp_path / "study"))
    assert "--recipe: these results carry no record" in line


def test_an_answer_that_lm_eval_does_not_have_is_no_text(importing: Importing) -> None:
    lines = samples()
    lines[0]["resps"][0] = ["None"]  # lm-eval makes a text of it
    lines[0]["performance"] = float("nan")  # as lm-eval has it then
    write_run(importing.source, TASK, lines)
    said = importing("lm-eval", code=1)
    assert (said["results"], said["failed"]) == (4, 1)
    scores = importing.opened().scores()
    assert sorted(scores.score[scores.main].fillna(-1)) == [-1.0, 1.0, 1.0, 1.0]


def test_a_study_of_one_configuration_has_whole_tasks_too(importing: Importing) -> None:
    write_run(importing.source, TASK, singly(samples()))
    assert importing("lm-eval")["compared"] == EQUAL


class Words:
    """A tokenizer that begins each text with a token of its own."""

    def encode(self, prompts: Any, *, chat: bool) -> list[list[int]]:
        return [[0] * (1 + len(" ".join(turn.content for turn in prompt).split())) for prompt in prompts]


def test_prompts_that_lm_eval_cut_count_as_failed(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = samples()
    asked = [each for line in lines for each in line["arguments"].values()]
    for each in asked:
        each["arg_1"] = {"max_gen_toks": 10}
    lengths = sorted(len(each["arg_0"].split()) for each in asked)
    write_run(importing.source, TASK, lines, max_length=lengths[-1] + 9)
    found = importing("lm-eval")
    assert found["failed"] == 0
    assert "4 prompts may have been cut: model has a window of" in str(found["notes"])
    shutil.rmtree(importing.run)
    monkeypatch.setattr("torr_plugin.integrations.logs.lm_eval.tokenizer_of", lambda entry: Words())
    found = importing("lm-eval", code=1)
    assert found["failed"] == lengths.count(lengths[-1])
    assert "prompts were cut or changed by the harness" in str(found["notes"])


def test_what_lm_eval_s_options_changed_is_said(importing: Importing) -> None:
    write_run(importing.source, TASK, samples(fingerprint=""), system_instruction="Be brief.")
    said = importing("lm-eval")["notes"]
    assert said[0] == "--system_instruction put 'Be brief.' before every prompt"
    assert [note for note in said if note.startswith("not the study's own requests: options of the har")]
    assert yaml.safe_load((importing.run / "study.yaml").read_text())["imported"]["notes"] == said


def test_scores_of_the_harness_that_differ_are_said(importing: Importing) -> None:
    write_run(importing.source, TASK, samples("wrong"))
    said = importing("lm-eval")
    assert said["compared"] == {"compared": 2, "differing": 2, "largest": 1.0}
    line = "2 of 2 scores of the harness itself differ from ours, by at most 1"
    assert any(line in note for note in said["notes"])
    assert importing.scores.score.max() == 0.0


def test_the_same_cell_of_two_tasks_counts_once(importing: Importing) -> None:
    write_run(importing.source, TASK, samples())
    write_run(importing.source, f"{TASK}_b", samples("other"), date=LATER)
    line = importing.refused("lm-eval")
    assert "expected one result a cell: leave one of the two runs out" in line
    write_run(importing.source, f"{TASK}_b", samples(), date=LATER)
    assert importing("lm-eval")["results"] == 4


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"study": "other"}, "study is 'quickstart', in "),
        ({"fingerprint": "0" * 32}, "fingerprint is '"),
        ({"fingerprint": ""}, "fingerprint is '"),
        ({"card": "cards.bundled.aggregation"}, "card is 'cards.bundled.cell_lookup', in "),
    ],
)
def test_a_mixture_of_studies(importing: Importing, changes: dict[str, str], said: str) -> None:
    write_run(importing.source, TASK, samples(**changes), args="pretrained=org/a")
    write_run(importing.source, TASK, samples(), args="pretrained=org/b")
    assert said in importing.refused("lm-eval")


def test_of_two_studies_one_is_chosen(importing: Importing) -> None:
    write_run(importing.source, TASK, samples())
    write_run(importing.source, f"{TASK}_b", samples(study="other"), date=LATER)
    assert "expected one study: choose it by --study NAME" in importing.refused("lm-eval")
    found = importing("lm-eval", "--study", "quickstart")
    assert found["results"] == 4
    assert "4 results of other tasks and studies than 'quickstart' are left out" in found["notes"]
    shutil.rmtree(importing.run)
    assert "hold no result of study 'mine' (--study)" in importing.refused("lm-eval", "--study", "mine")


@pytest.mark.parametrize("name", ["aaa", "zzz"])
def test_tasks_beside_a_study_of_ours_are_left_out(importing: Importing, name: str) -> None:
    write_run(importing.source, TASK, samples())
    write_run(importing.source, name, [sample(0)], date=LATER)
    assert "expected one study: choose it by --study NAME" in importing.refused("lm-eval")
    found = importing("lm-eval", "--study", "quickstart")
    assert found["datasets"] == {DATASET: 2}
    assert "1 results of other tasks and studies than 'quickstart' are left out" in found["notes"]


def test_a_model_that_was_asked_other_tasks_alone_is_no_part_of_the_study(importing: Importing) -> None:
    write_run(importing.source, TASK, samples())
    write_run(importing.source, "other", [sample(0)], args="pretrained=org/b")
    found = importing("lm-eval", "--study", "quickstart")
    assert (found["models"], found["holes"]) == (["model"], 0)


def test_a_metric_cannot_be_chosen_where_cards_rate(importing: Importing) -> None:
    write_run(importing.source, TASK, samples())
    line = importing.refused("lm-eval", "--metric", "x")
    assert "--metric 'x': these answers are rated by our cards" in line


def test_a_card_whose_data_are_not_here_is_said_without_where_they_are_looked_for(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> list[object]:
        raise DataError(f"expected {importing.source}/mirror/towns.parquet")

    write_run(importing.source, "t", samples())
    monkeypatch.setattr(known_examples, "read_examples", absent)
    note = importing("lm-eval")["notes"][1]
    assert note.startswith(f"{DATASET}: groups and properties of its examples are not known, for its")
    assert str(importing.source) not in (importing.run / "study.yaml").read_text()


@pytest.mark.parametrize("study", ["quickstart", "mine"])
def test_a_study_s_name_opens_no_file_of_the_working_directory(
    importing: Importing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: str
) -> None:
    write_run(importing.source, "t", samples(study=study))
    lying = re.sub(r"(?m)^seed: .*", "seed: 77", recipe_file("quickstart").read_text())
    assert "seed: 77" in lying
    monkeypatch.chdir(tmp_path)
    (tmp_path / study).write_text(lying)
    importing("lm-eval")
    found = yaml.safe_load((importing.run / "study.yaml").read_text())
    assert found.get("seed") != 77
    assert ("recipe" in found) is (study == "quickstart")
