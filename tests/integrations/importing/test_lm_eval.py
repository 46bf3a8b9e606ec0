"""lm-eval's other tasks as runs; our own are in test_round_trip."""

from __future__ import annotations

import yaml

from .conftest import Importing
from .lm_eval_output import sample, write_run


def test_any_task_is_a_data_set_and_documents_are_examples(importing: Importing) -> None:
    write_run(importing.source, "capitals", [sample(0), sample(1, "no")])
    write_run(importing.source, "capitals", [sample(0, "no"), sample(1, "no")], args="pretrained=org/other")
    said = importing("lm-eval")
    assert (said["scores"], said["datasets"]) == ("its own", {"capitals": 2})
    assert said["models"] == ["model", "other"]
    scores = importing.scores
    assert set(scores.config) == {"as-is/none/default"}
    assert scores.groupby("model").score.mean().to_dict() == {"model": 0.5, "other": 0.0}
    study = yaml.safe_load((importing.run / "study.yaml").read_text())
    assert study["imported"]["version"] == "0.4.13"
    assert study["versions"]["lm-eval"] == "0.4.13"
    assert study["models"][0]["args"] == {"pretrained": "org/model"}


def test_the_newest_of_several_runs_counts(importing: Importing) -> None:
    write_run(importing.source, "capitals", [sample(0, "no")], date="2025-01-02T03-04-05.678901")
    write_run(importing.source, "capitals", [sample(0)], date="2026-01-02T03-04-05.678901")
    assert importing("lm-eval")["notes"] == [
        "capitals: 2 runs of model; the newest counts, of 2026-01-02T03-04-05.678901"
    ]
    assert importing.scores.score.tolist() == [1.0]


def test_a_task_without_samples_is_left_out_and_said(importing: Importing) -> None:
    counts = {task: {"original": 1, "effective": 1} for task in ("capitals", "rivers")}
    write_run(importing.source, "capitals", [sample(0)], **{"n-samples": counts})
    said = importing("lm-eval")
    assert (said["datasets"], said["notes"]) == (
        {"capitals": 1},
        ["rivers: has no samples of model, and is left out"],
    )


def test_two_models_of_one_label_get_two(importing: Importing) -> None:
    write_run(importing.source, "t", [sample(0)], args="pretrained=a/model")
    write_run(importing.source, "t", [sample(0, "no")], args="pretrained=b/model")
    first, second = importing("lm-eval")["models"]
    assert first == "model"
    assert second.startswith("model-")


def test_filters_are_configurations(importing: Importing) -> None:
    lines = [sample(0) | {"filter": name} for name in ("strict-match", "flexible-extract")]
    write_run(importing.source, "gsm8k", lines)
    importing("lm-eval")
    assert set(importing.scores.config) == {"as-is/none/strict-match", "as-is/none/flexible-extract"}


def test_a_choice_by_likelihood_has_its_choices_texts(importing: Importing) -> None:
    choice = sample(0, acc=1.0) | {
        "target": "1",
        "arguments": {
            "gen_args_0": {"arg_0": "Capital of Italy?", "arg_1": " Paris"},
            "gen_args_1": {"arg_0": "Capital of Italy?", "arg_1": " Rome"},
        },
        "resps": [[["-3.5", "False"]], [["-0.5", "True"]]],
        "filtered_resps": [["-3.5", "False"], ["-0.5", "True"]],
    }
    write_run(importing.source, "mc", [choice])
    importing("lm-eval")
    run = importing.opened()
    assert run.predictions("model")["prediction"].to_pylist() == ["Rome"]
    assert run.requests()["references"].to_pylist() == [["Rome"]]


def test_chat_templates_differ_between_models_and_are_no_mismatch(importing: Importing) -> None:
    for name in ("a", "b"):
        line = sample(0)
        line["arguments"]["gen_args_0"]["arg_0"] = f"<{name}>question 0"
        args = f"pretrained=org/{name}"
        write_run(importing.source, "t", [line], args=args, chat_template="{{ x }}")
    said = importing("lm-eval")
    assert "chat templates" in str(said["notes"])
    assert said["models"] == ["a", "b"]
