"""What `torr publish --check` finds in runs, each fault made on purpose."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis import AnalysisError
from torr_plugin.core.errors import InputError, RunError
from torr_plugin.core.redaction import NOT_RECORDED
from torr_plugin.leaderboard.checking import PublishingIssue, check, privacy
from torr_plugin.leaderboard.checking.subject import without_keys
from torr_plugin.leaderboard.theming import SiteText
from torr_plugin.recipes import request_schema
from torr_plugin.recipes.planning import fingerprint
from torr_plugin.running import exclusive, run_status
from torr_plugin.running.store.run import write_frame

from .battling import with_battles
from .made import make_run, with_analysis

KNOWN = {name: {"family": "greek", "size": 7.0, "open": True} for name in ("alpha", "beta", "gamma")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with nothing to mend."""
    run = make_run(
        tmp_path_factory.mktemp("whole") / "run",
        examples=30,
        serializers=("html", "csv"),
        perturbations=("none", "transpose"),
    )
    with_analysis(run)
    return run


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


def changed(run: Path, **fields: Any) -> Path:
    """The run with other fields in its study.yaml."""
    path = run / "study.yaml"
    study = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**study, **fields}))
    return run


def of_another_seed(run: Path) -> Path:
    """The run as one of another study of the same name."""
    study = of(run)
    study.update(seed=1, recipe={**study["recipe"], "seed": 1})
    return changed(run, **{**study, "fingerprint": fingerprint(study)})


def of(run: Path) -> dict[str, Any]:
    study: dict[str, Any] = yaml.safe_load((run / "study.yaml").read_text())
    return study


def one(findings: list[PublishingIssue], name: str) -> PublishingIssue:
    """The one finding of a check."""
    found = [each for each in findings if each.check == name]
    assert len(found) == 1, findings
    return found[0]


def test_a_run_with_nothing_to_mend(run: Path) -> None:
    assert check([run], KNOWN) == []


def test_missing_scores_are_counted_by_model_and_data_set(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    gone = scores[(scores["model"] == "beta") & (scores["dataset"] == "wikitq")].index[:3]
    scores.drop(gone).to_parquet(run / "scores.parquet")
    found = one(check([run], KNOWN), "holes")
    assert (found.level, found.where) == ("error", str(run / "scores.parquet"))
    assert found.what == "3 scores are missing: beta on wikitq 3"
    assert "--anyway" in found.advice


@pytest.mark.parametrize("score", [1.0, 0.0, 0.25])
def test_a_model_all_of_whose_scores_are_alike(run: Path, score: float) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    own = scores["model"] == "beta"
    scores.loc[own, "score"] = score
    scores.to_parquet(run / "scores.parquet")
    with_analysis(run)
    found = one(check([run], KNOWN), "alike")
    assert (found.level, found.where) == ("warning", str(run / "scores.parquet"))
    assert found.what == f"all {own.sum()} scores of beta are {score:g}"


def test_a_score_that_is_not_a_number_is_missing(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    scores.loc[scores.index[0], "score"] = float("nan")
    scores.to_parquet(run / "scores.parquet")
    assert one(check([run], KNOWN), "holes").what.startswith("1 score is missing: alpha on")


def test_failed_requests(tmp_path: Path) -> None:
    error = "AuthenticationError: sk-abcdefghijklmnopqrstuvwxyz is no key"
    found = check([make_run(tmp_path / "run", failing={"beta": error})])
    failed = one(found, "failed")
    assert failed.level == "warning"
    assert failed.what.startswith("10 failed requests: beta 10. 10 x AuthenticationError")
    assert "sk-" not in failed.what, "what is found is not said again"
    assert one(found, "holes").level == "error"
    assert one(found, "secrets").where == f"{tmp_path / 'run' / 'predictions'}: error"


def test_a_model_most_of_whose_answers_ran_out_of_tokens(run: Path) -> None:
    shard = next((run / "predictions").glob("beta*/part-000000.parquet"))
    table = pq.read_table(shard)
    ended = pa.array(["length"] * (table.num_rows // 2 + 1), pa.string())
    ended = pa.concat_arrays([ended, pa.nulls(table.num_rows - len(ended), pa.string())])
    texts = pa.array(["", *table["prediction"].to_pylist()[1:]], table.schema.field("prediction").type)
    for name, column in (("finish_reason", ended), ("prediction", texts)):
        table = table.set_column(table.column_names.index(name), name, column)
    pq.write_table(table, shard)
    found = one(check([run], KNOWN), "tokens")
    assert found.level == "warning"
    assert found.what == (
        f"{table.num_rows // 2 + 1} of {table.num_rows} answers of beta ran out of tokens, "
        "1 of them before any text"
    )
    assert "--gen max_tokens=N" in found.advice
    assert "only what was cut is asked again" in found.advice


def test_unanswered_requests(run: Path) -> None:
    shard = next((run / "predictions").glob("beta*/part-000000.parquet"))
    pq.write_table(pq.read_table(shard).slice(5), shard)
    found = one(check([run], KNOWN), "unanswered")
    assert found.level == "error"
    assert found.what == "5 requests without an answer: beta 5"


def test_answers_that_were_removed_after_the_run_was_done(run: Path) -> None:
    """Its scores are still there; a model that could not be loaded is said by itself."""
    _shard(run).unlink()
    record = {"step": "done", "models": {}, "unloaded": {}}
    (run / "progress.json").write_text(json.dumps(record))
    assert run_status(run).state == "done"
    found = one(check([run], KNOWN), "unanswered")
    assert (found.level, found.what) == ("error", "240 requests without an answer: beta 240")
    (run / "progress.json").write_text(json.dumps({**record, "unloaded": {"beta": "no weights"}}))
    assert [each.check for each in check([run], KNOWN)] == ["unloaded"]


def test_a_run_that_somebody_writes(run: Path) -> None:
    with exclusive(run):
        found = check([run], KNOWN)
    assert one(found, "running").level == "error"
    assert "is being written by host" in one(found, "running").what
    assert one(found, "running").advice.endswith(f"`torr status {run}`")


def test_a_run_whose_scores_are_still_to_come_is_only_waited_for(run: Path) -> None:
    (run / "scores.parquet").unlink()
    with exclusive(run):
        assert [each.check for each in check([run], KNOWN)] == ["running"]


def test_a_killed_run_is_said_once(run: Path) -> None:
    shard = next((run / "predictions").glob("beta*/part-000000.parquet"))
    pq.write_table(pq.read_table(shard).slice(5), shard)
    (run / "scores.parquet").unlink()
    assert [each.check for each in check([run], KNOWN)] == ["unanswered"]


def test_a_run_without_scores(run: Path) -> None:
    (run / "scores.parquet").unlink()
    (run / "analysis.json").unlink()
    found = check([run], KNOWN)
    assert one(found, "scores").what == "has no scores.parquet yet"
    assert one(found, "scores").level == "error"


def test_an_analysis_that_is_absent_or_of_other_scores(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    right = scores[scores["model"] == "alpha"].index
    scores.loc[right, "score"] = 1.0 - scores.loc[right, "score"]
    scores.to_parquet(run / "scores.parquet")
    found = one(check([run], KNOWN), "analysis")
    assert found.level == "warning"
    assert found.what.startswith("does not match the current scores: alpha on ")
    (run / "analysis.json").unlink()
    assert one(check([run], KNOWN), "analysis").what == "is missing"


def test_an_analysis_of_other_models(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    scores[scores["model"] != "gamma"].to_parquet(run / "scores.parquet")
    assert "it has other models (gamma)" in one(check([run], KNOWN), "analysis").what


@pytest.mark.full
def test_an_analysis_of_a_run_with_holes_is_its_own(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", failing={"beta": "TimeoutError"})
    with_analysis(run)
    assert [each.check for each in check([run], KNOWN) if each.check == "analysis"] == []


@pytest.mark.parametrize(
    ("licence", "level", "what"),
    [
        ("CC-BY-SA-4.0", None, ""),
        ("CC0-1.0", None, ""),
        ("MIT", None, ""),
        ("Apache-2.0", None, ""),
        ("", "error", "no licence is stated for wikitq"),
        (None, "error", "no licence is stated for wikitq"),
        ("unknown", "error", "no licence is stated for wikitq"),
        ("CC-BY-NC-SA-4.0", "warning", "CC-BY-NC-SA-4.0: no commercial use, or no changed copies"),
        ("CC BY-ND 4.0", "warning", "CC BY-ND 4.0: no commercial use"),
        ("for research, non-commercial", "warning", "no commercial use"),
        ("ask Bob", "warning", "'ask Bob' is not a known licence"),
    ],
)
def test_licences(run: Path, licence: str | None, level: str | None, what: str) -> None:
    datasets = of(run)["datasets"]
    datasets["wikitq"]["licence"] = licence
    found = check([changed(run, datasets=datasets)], KNOWN)
    if level is None:
        assert found == []
        return
    finding = one(found, "licence")
    assert finding.level == level
    assert what in finding.what
    assert finding.where.startswith(f"{run / 'study.yaml'}: datasets")


@pytest.mark.full
def test_where_a_licence_is_said(run: Path) -> None:
    datasets = of(run)["datasets"]
    del datasets["wikitq"]["licence"]
    advice = one(check([changed(run, datasets=datasets)], KNOWN), "licence").advice
    assert "in the card" in advice
    assert f"in {run / 'study.yaml'} for this one" in advice
    advice = one(check([changed(run, imported={"harness": "HELM"})], KNOWN), "licence").advice
    assert advice.startswith(f"HELM's files do not state it: write `licence:` below each data set in {run}")
    datasets["wikitq"]["licence"] = "CC-BY-4.0"
    assert check([changed(run, datasets=datasets)], KNOWN) == []


def test_a_data_set_that_study_yaml_leaves_out_has_no_licence(run: Path) -> None:
    found = one(check([changed(run, datasets={})], KNOWN), "licence")
    assert found.level == "error"
    assert "wikitq" in found.what


def test_requests_that_failed_elsewhere_are_not_asked_again_here(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", failing={"beta": "TimeoutError: no answer"})
    assert "--retry-failed" in one(check([run]), "failed").advice
    assert "--retry-failed" not in one(check([changed(run, imported={"harness": "HELM"})]), "failed").advice


def test_versions_that_changed_within_a_run(run: Path) -> None:
    later = [
        {"at": "2026-11-22T00:00:00+00:00", "versions": {"lm-eval": "0.5.0", "pandas": "9.9", "vllm": None}}
    ]
    found = one(check([changed(run, resumed=later)], KNOWN), "versions")
    assert found.what == "continued with other versions: lm-eval 0.4.13, then 0.5.0"
    assert (found.level, found.where) == ("warning", f"{run / 'study.yaml'}: resumed")


def test_a_server_that_answered_by_several_names(run: Path) -> None:
    models = of(run)["models"]
    models[0]["answered_by"] = {"models": ["large-0806", "large-1120"]}
    models[1]["answered_by"] = {"models": ["small-0806"]}
    found = one(check([changed(run, models=models)], KNOWN), "served")
    label = models[0]["label"]
    assert (found.level, found.where) == ("warning", f"{run / 'study.yaml'}: models")
    assert found.what == f"a server's replies named more than one model: {label} (large-0806, large-1120)"


def test_versions_that_differ_between_studies(run: Path, whole: Path) -> None:
    changed(of_another_seed(run), name="another", versions={"torr-plugin": "0.2.0", "lm-eval": "0.4.13"})
    found = one(check([whole, run], KNOWN), "versions")
    assert (found.level, found.where) == ("warning", "torr-plugin")
    assert found.what == "differs between the studies: 0.1.0 (a small study), 0.2.0 (another)"


@pytest.mark.full
def test_one_study_twice(run: Path, whole: Path) -> None:
    found = one(check([whole, run], KNOWN), "twice")
    assert (found.level, found.where) == ("error", str(run))
    assert str(whole) in found.what
    assert [each.check for each in check([whole, whole], KNOWN)] == ["twice"]


def test_two_studies_with_one_name(run: Path, whole: Path) -> None:
    found = one(check([whole, of_another_seed(run)], KNOWN), "names")
    assert (found.level, found.what) == ("warning", "2 studies are called 'a small study'")


def test_titles_of_the_site_tell_studies_of_one_name_apart(run: Path, whole: Path) -> None:
    both = [whole, of_another_seed(run)]
    assert check(both, KNOWN, SiteText(studies={run.parent / "." / "run": "The second"})) == []


def test_a_trial(run: Path) -> None:
    found = one(check([changed(run, limit=5)], KNOWN), "limit")
    assert found.level == "warning"
    assert "--limit 5" in found.what


def test_few_examples(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", examples=29, serializers=("html",), perturbations=("none",))
    assert one(check([run]), "examples").what == "fewer than 30 examples: wikitq 29, tab_fact 29"


def test_labels_unsaid(run: Path) -> None:
    datasets = of(run)["datasets"]
    del datasets["tab_fact"]["keeps_labels"]
    found = one(check([changed(run, datasets=datasets)], KNOWN), "labels")
    assert (found.level, found.what) == ("note", "not stated which perturbations keep the labels: tab_fact")


def test_models_of_which_nothing_is_known(run: Path) -> None:
    found = one(check([run], {name: KNOWN[name] for name in ("alpha", "gamma")}), "models")
    assert (found.level, found.what) == ("note", "family, size and openness are not known for 1 model: beta")


def test_baselines_alone(run: Path) -> None:
    models = [{**model, "model": "torr-lexical"} for model in of(run)["models"]]
    assert one(check([changed(run, models=models)], KNOWN), "baselines").level == "note"
    models[0]["model"] = "hf"
    assert check([changed(run, models=models)], KNOWN) == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda study: study["models"][0]["args"].update(api_key="abc"), "models"),
        (lambda study: study["models"][0]["args"].update(base_url="https://me:secret@example.org"), "models"),
        (lambda study: study["models"][0]["args"].update(pretrained="hf_" + "a" * 30), "models"),
        (lambda study: study.update(notes=["Authorization: Bearer abcdefghijklmnopqrstuv"]), "notes"),
        (lambda study: study["recipe"].update(models=[{"args": {"token": "abc"}}]), "recipe"),
    ],
)
def test_keys_and_passwords(run: Path, change: Callable[[Any], None], where: str) -> None:
    study = of(run)
    change(study)
    found = one(check([changed(run, **study)], KNOWN), "secrets")
    assert found.level == "error"
    assert found.where == f"{run / 'study.yaml'}: {where}"
    for secret in ("abc", "secret@", "hf_"):
        assert secret not in found.what + found.advice


def test_what_is_not_recorded_is_no_secret(run: Path) -> None:
    models = of(run)["models"]
    models[0]["args"].update(api_key="(not recorded)", eos_token="</s>", max_tokens=5)
    assert check([changed(run, models=models)], KNOWN) == []


@pytest.mark.full
@pytest.mark.parametrize(
    "path", ["/home/joe/models/x", "/Users/joe/x", "/root/x", "C:\\Users\\joe\\x", "file:///home/joe/x"]
)
def test_home_folders(run: Path, path: str) -> None:
    models = of(run)["models"]
    models[0]["args"]["pretrained"] = path
    found = one(check([changed(run, models=models)], KNOWN), "homes")
    assert (found.level, found.where) == ("note", f"{run / 'study.yaml'}: models")
    assert "joe" not in found.what + found.advice


def test_home_folders_in_names_stay_and_are_a_warning(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", models=("/home/joe/models/x", "y"))
    warning, note = (each for each in check([path], KNOWN) if each.check == "homes")
    assert (warning.level, note.level) == ("warning", "note")
    assert "1 name holds a home folder: /home/joe/models/x" in warning.what


@given(st.text(max_size=40), st.sampled_from(["sk-" + "a1" * 12, "hf_" + "aB" * 15, "ghp_" + "x" * 36]))
def test_keys_are_found_anywhere_in_a_text(text: str, key: str) -> None:
    assert key not in without_keys(f"{text} {key} {text}")


def test_battles(run: Path) -> None:
    frame = with_battles(run, reason=lambda number: "sk-" + "a1" * 12 if number == 3 else "")
    frame.replace({"model_b": {"gamma": "delta"}}).to_parquet(run / "battles.parquet", index=False)
    found = [issue for issue in check([run], KNOWN) if "battles.parquet" in issue.where]
    failed = int(frame["verdict"].isna().sum())
    assert [(issue.level, issue.check, issue.what) for issue in found] == [
        ("error", "secrets", "1 reason holds what looks like a key or a password"),
        ("warning", "battles", f"{failed} verdicts of {len(frame)} failed; ratings leave them out"),
        ("warning", "battles", "rates 1 model without scores: delta"),
    ]


def test_pictures_too_large(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = run / "requests" / "part-000000.parquet"
    table = pq.read_table(shard)
    images = pa.array([[bytes(5000)]] * len(table), request_schema().field("images").type)
    place = table.column_names.index("images") if "images" in table.column_names else len(table.column_names)
    if "images" in table.column_names:
        table = table.remove_column(place)
    pq.write_table(table.add_column(place, "images", images), shard, use_dictionary=False)
    assert [each.check for each in check([run], KNOWN)] == []
    monkeypatch.setattr(privacy, "MOST_PICTURES", 100_000)
    found = one(check([run], KNOWN), "pictures")
    assert (found.level, found.what) == ("warning", "prompts hold 1 MB of pictures")


def test_a_scores_file(run: Path) -> None:
    scores = run.parent / "made elsewhere.csv"
    pd.read_parquet(run / "scores.parquet").to_csv(scores, index=False)
    assert check([scores], KNOWN) == []
    frame = pd.read_csv(scores)
    frame.iloc[1:].to_csv(scores, index=False)
    found = check([scores])
    assert [(each.level, each.check, each.where) for each in found] == [
        ("error", "holes", str(scores)),
        ("note", "models", str(scores)),
    ]


BROKEN: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], str]] = {
    "a column is absent": (lambda rows: rows.drop(columns="config"), "no column 'config'"),
    "no rows": (lambda rows: rows.iloc[:0], "no rows"),
    "too large": (lambda rows: rows.assign(score=1.5), r"score '1\.5' lies outside \[0, 1\]"),
    "no number": (lambda rows: rows.assign(score="n/b"), "score 'n/b' is not a number"),
    "twice": (lambda rows: pd.concat([rows, rows.iloc[:2]]), "more than one row for 2 cells of data set"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_scores_file_that_no_site_can_be_made_of_is_wrong_input(run: Path, fault: str) -> None:
    change, said = BROKEN[fault]
    scores = run.parent / "made elsewhere.csv"
    change(pd.read_parquet(run / "scores.parquet")).to_csv(scores, index=False)
    with pytest.raises(AnalysisError, match=said):
        check([scores])


def test_an_empty_score_of_a_text_file_is_missing(run: Path) -> None:
    scores = run.parent / "made elsewhere.csv"
    frame = pd.read_parquet(run / "scores.parquet")
    frame.loc[frame.index[:2], "score"] = None
    frame.to_csv(scores, index=False)
    assert one(check([scores]), "holes").what.startswith("2 scores are missing: ")


def test_the_gravest_come_first(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", failing={"beta": "TimeoutError"})
    order = ["error", "warning", "note"]
    levels = [order.index(each.level) for each in check([run])]
    assert levels == sorted(levels)
    assert set(levels) == {0, 1, 2}


@pytest.mark.parametrize("error", ["{", "[]"])
def test_a_damaged_run_is_wrong_input(run: Path, error: str) -> None:
    (run / "analysis.json").write_text(error)
    with pytest.raises(RunError, match=r"analysis\.json"):
        check([run])


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run to check"):
        check([])
    with pytest.raises(AnalysisError, match="no such file"):
        check([tmp_path / "absent.csv"])
    (tmp_path / "folder").mkdir()
    with pytest.raises(RunError, match="is not a run"):
        check([tmp_path / "folder"])


def test_odd_words_in_study_yaml_raise_nothing_else(run: Path) -> None:
    odd: Mapping[str, Any] = {
        "versions": {"torr-plugin": None},
        "notes": {"a": [1, None, {"b": "c"}]},
        "limit": "all",
        "fingerprint": 3,
    }
    assert check([changed(run, **odd)], KNOWN)


def test_findings_are_plain_data(tmp_path: Path) -> None:
    found = check([make_run(tmp_path / "run")])
    assert json.loads(json.dumps([asdict(each) for each in found]))[0].keys() == {
        "level",
        "check",
        "where",
        "what",
        "advice",
    }


def test_cells_that_no_model_was_asked_are_not_missing(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    wikitq = scores[scores["dataset"] == "wikitq"]
    config, example = wikitq["config"].iloc[0], wikitq["example"].iloc[0]
    gone = wikitq[(wikitq["config"] == config) & (wikitq["example"] == example)].index
    scores.drop(gone).to_parquet(run / "scores.parquet")
    found = check([run], KNOWN)
    assert one(found, "not_asked").what == "1 cell that no model was asked: wikitq 1"
    assert one(found, "not_asked").level == "warning"
    assert not [each for each in found if each.check == "holes"]


def test_an_analysis_from_before_verdicts_were_stored(run: Path) -> None:
    figures = json.loads((run / "analysis.json").read_text())
    del figures["settings"]["shape"]
    (run / "analysis.json").write_text(json.dumps(figures))
    assert one(check([run], KNOWN), "analysis").what.startswith("is from an earlier version")


def _shard(run: Path) -> Path:
    return next((run / "predictions").glob("beta*/part-000000.parquet"))


@pytest.mark.parametrize("of_requests", [False, True])
def test_a_flipped_byte_is_found(run: Path, of_requests: bool) -> None:
    """Wherever it is, unless it changes nothing that can be read."""
    shard = run / "requests" / "part-000000.parquet" if of_requests else _shard(run)
    whole = pq.read_table(shard)
    pq.write_table(whole, shard, compression="zstd", write_page_checksum=True)  # as a run does
    data, named = shard.read_bytes(), 0
    for place in range(0, len(data), len(data) // 20):
        shard.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        found = [each for each in check([run], KNOWN) if each.check == "damaged"]
        named += len(found)
        if found:
            assert [(each.level, each.where) for each in found] == [("error", str(shard))]
        else:
            assert pq.read_table(shard).equals(whole), place
    assert named > 5


@pytest.mark.parametrize("name", ["scores.parquet", "examples.parquet"])
def test_a_flipped_byte_in_what_was_computed_of_a_run_is_found(run: Path, name: str) -> None:
    pd.read_parquet(run / "scores.parquet").pipe(write_frame, run, "scores.parquet")
    facts = {"dataset": "wikitq", "example": [f"e{n}" for n in range(300)], "cells": range(300)}
    write_frame(pd.DataFrame({**facts, "groups": "{}", "properties": "{}"}), run, "examples.parquet")
    assert check([run], KNOWN) == []
    path, whole, refused = run / name, pd.read_parquet(run / name), 0
    data = path.read_bytes()
    for place in range(0, len(data), len(data) // 40):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            assert check([run], KNOWN) == []
        except InputError as error:  # a damaged file, or a column of another name
            assert path.stem in str(error)  # noqa: PT017
            refused += 1
        else:
            assert pd.read_parquet(path).equals(whole), place
    assert refused > 10


@pytest.mark.parametrize("name", ["scores.parquet", "examples.parquet", "predictions"])
def test_a_flipped_byte_in_the_name_of_a_column_is_found(run: Path, name: str) -> None:
    """Wherever the name stands in the file; it is no UTF-8 then."""
    write_frame(pd.read_parquet(run / "scores.parquet"), run, "scores.parquet")
    facts = {"dataset": "wikitq", "example": ["e1"], "cells": 1, "groups": "{}", "properties": "{}"}
    write_frame(pd.DataFrame(facts), run, "examples.parquet")
    path = _shard(run) if name == "predictions" else run / name
    data, last = path.read_bytes(), pq.read_schema(path).names[-1].encode()
    found = []
    for place in (each.start() for each in re.finditer(last, data)):
        path.write_bytes(data[:place] + b"\xf9" + data[place + 1 :])
        try:
            found += [each.where for each in check([run], KNOWN) if each.check == "damaged"]
        except InputError as error:
            found.append(str(error))
    assert any(str(path) in each for each in found)


def test_a_column_of_another_type_is_found(run: Path) -> None:
    shard = _shard(run)
    table = pq.read_table(shard)
    place = table.column_names.index("prediction")
    pq.write_table(table.set_column(place, "prediction", pa.array(range(len(table)))), shard)
    found = one(check([run], KNOWN), "damaged")
    assert (found.where, found.what) == (str(shard), "prediction: found int64; expected large_string")


@pytest.mark.parametrize("value", [1e308, -0.01, 1.5, float("inf")])
def test_a_score_out_of_range_is_found(run: Path, value: float) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    scores.loc[scores.index[3], "score"] = value
    scores.to_parquet(run / "scores.parquet")
    found = one(check([run], KNOWN), "range")
    assert (found.level, found.where) == ("error", f"{run / 'scores.parquet'}: score")
    assert found.what.startswith(f"1 score is outside 0 to 1: {value:g} (alpha, ")


def test_scores_that_are_texts_are_refused(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    scores.assign(score="1").to_parquet(run / "scores.parquet")
    with pytest.raises(RunError, match=r"scores\.parquet: score: found \w+; expected numbers from 0 to 1"):
        check([run], KNOWN)


def test_a_study_that_was_edited_is_found(run: Path) -> None:
    before = of(run)
    recipe = before["recipe"]
    edits: list[dict[str, Any]] = [
        {"seed": 7},
        {"recipe": {**recipe, "seed": 7}},
        {"seed": 7, "recipe": {**recipe, "seed": 7}},
        {"recipe": {**recipe, "generation": {**recipe["generation"], "temperature": 1.0}}},
        {"configurations": before["configurations"][:-1]},
        {"seed": 7, "recipe": {**recipe, "seed": 7, "judges": [{"args": {"api_key": NOT_RECORDED}}]}},
    ]
    for edit in edits:
        changed(run, **{**before, **edit})
        found = one(check([run], KNOWN), "edited")
        assert (found.level, found.where) == ("error", str(run / "study.yaml"))
        assert "edited" in found.what


@pytest.mark.parametrize(
    "place",
    ["fingerprint", "recipe", "datasets", "recipe.seed", "recipe.demonstrations", "recipe.generation"],
)
def test_a_key_that_was_removed_is_no_sign_of_an_earlier_version(run: Path, place: str) -> None:
    study = of(run)
    *above, name = place.split(".")
    del (study["recipe"] if above else study)[name]
    (run / "study.yaml").write_text(yaml.safe_dump(study))
    what = f"was edited: the key '{name}' is missing, which every run has"
    assert one(check([run], KNOWN), "edited").what == what


def test_a_recipe_of_another_kind_is_found(run: Path) -> None:
    found = one(check([changed(run, recipe={**of(run)["recipe"], "generation": 5})], KNOWN), "edited")
    assert found.what.endswith("are of another kind than in any run")
