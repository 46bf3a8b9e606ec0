"""Whole runs of ``torr run`` against servers that misbehave."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.running import Run

from ....timing import PATIENCE
from ...misbehaving import Misbehaving, Request, as_json, chat, error, in_turn, misbehaving
from .helpers import KEY, engine, finished, tasks

RECIPE = """name: served
cards: [cards.bundled.cell_lookup]
examples: {count: 10}
demonstrations: {shots: 1}
configurations: {serializers: [html, csv, json]}
"""
USAGE = {"prompt_tokens": 50, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 48}}


def _command(folder: Path, server: Misbehaving, *more: str) -> list[str]:
    recipe = folder / "served.yaml"
    recipe.write_text(RECIPE, encoding="utf-8")
    arguments = ",".join([f"base_url={server.url}", "model=served", *more])
    return [
        *("run", str(recipe), "--out", str(folder / "run"), "--model", "local-chat-completions"),
        *("--model-args", arguments),
    ]


def _rows(folder: Path) -> pd.DataFrame:
    run = Run.open(folder / "run")
    return pd.concat(run.predictions(label).to_pandas() for label in run.models())


def _run(folder: Path, server: Misbehaving, *more: str) -> Any:
    return CliRunner().invoke(app, _command(folder, server, *more))


def test_reasons_and_counts_are_stored(tmp_path: Path) -> None:
    script = in_turn(
        chat("four", "length", USAGE),
        chat(None, "content_filter", USAGE),
        chat("", "stop", USAGE),
        error(400, "This model's maximum context length is 10 tokens."),
        chat("fine", "stop", USAGE),
    )
    with misbehaving(script) as server:
        done = _run(tmp_path, server, "num_concurrent=1")
    assert done.exit_code == 1, done.output
    rows = _rows(tmp_path)
    assert len(rows) == 30 == len(server.asked)
    assert dict(rows["finish_reason"].value_counts()) == {"stop": 27, "length": 1, "content_filter": 1}
    assert set(rows["error"].dropna()) == {
        "HTTP 400 Bad Request: This model's maximum context length is 10 tokens.",
    }
    assert set(rows["prediction"].dropna()) == {"four", "", "fine"}
    assert set(rows["cached_tokens"].dropna()) == {48}
    assert set(rows["prompt_tokens"].dropna()) == {50}


def test_answers_that_are_no_answers_are_counted_apart(tmp_path: Path) -> None:
    script = in_turn(
        *[chat("", "length", USAGE)] * 6,
        *[chat(None, "content_filter", USAGE)] * 3,
        chat("four", "length", USAGE),
        chat("fine", "stop", USAGE),
    )
    with misbehaving(script) as server:
        done = _run(tmp_path, server, "num_concurrent=1")
    assert done.exit_code == 0, done.output
    assert "served: ran out of tokens: 20%; refused: 10%; without them 0.00 (0.00 with)" in done.output
    assert "served: 3% of its answers were cut, and scored as they stand" in done.output
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet").query("main")
    assert dict(scores["ended"].value_counts()) == {"unfinished": 6, "refused": 3, "cut": 1}
    analysis = json.loads((tmp_path / "run" / "analysis.json").read_text(encoding="utf-8"))
    shares = analysis["endings"]["served"]["overall"]
    assert [shares[name]["value"] for name in ("unfinished", "refused")] == [0.2, 0.1]
    shown = CliRunner().invoke(app, ["status", str(tmp_path / "run")]).output
    assert "served: ran out of tokens: 20%; refused: 10%; cut: 3%" in shown
    found = json.loads(CliRunner().invoke(app, ["status", str(tmp_path / "run"), "--json"]).output)
    (model,) = found["models"]
    assert [model[name] for name in ("unfinished", "refused", "cut")] == [6, 3, 1]


BILLED = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 400, "cache_write_tokens": 200},
    "completion_tokens_details": {"reasoning_tokens": 60},
}


@pytest.mark.full
def test_all_that_is_billed_is_counted(tmp_path: Path) -> None:
    """Also an answer that ran out of tokens, and what was asked again."""
    script = in_turn(chat("", "length", BILLED), chat("fine", "stop", BILLED))
    with misbehaving(script) as server:
        pool = tmp_path / "pool.yaml"
        pool.write_text(
            f"- name: billed\n  model: local-chat-completions\n  args: model=served,base_url={server.url}\n"
            "  price: {prompt: 1, completion: 10, cached: 0.1, cache_write: 2}\n"
        )
        (tmp_path / "served.yaml").write_text(RECIPE)
        command = ["run", str(tmp_path / "served.yaml"), "--out", str(tmp_path / "run")]
        command += ["--models", str(pool)]
        first = CliRunner().invoke(app, command)
        assert first.exit_code == 0, first.output
        again = CliRunner().invoke(app, [*command, "--gen", "max_tokens=500"])
        assert again.exit_code == 0, again.output
        assert len(server.asked) == 31
    scores = tmp_path / "run" / "scores.parquet"
    frame = pd.read_parquet(scores)
    frame.assign(score=frame["score"].mask(frame["main"], 0.5)).to_parquet(scores, index=False)
    (model,) = json.loads(CliRunner().invoke(app, ["status", str(tmp_path / "run"), "--json"]).output)[
        "models"
    ]
    assert (model["unfinished"], model["answered"]) == (0, 30)
    assert (model["prompt_tokens"], model["completion_tokens"]) == (31_000, 3_100)
    assert (model["cached_tokens"], model["cache_write_tokens"]) == (31 * 400, 31 * 200)
    assert model["reasoning_tokens"] == 31 * 60
    each = (400 * 1 + 400 * 0.1 + 200 * 2 + 100 * 10) / 1e6
    assert model["dollars"] == pytest.approx(31 * each)
    assert model["right"] == 15
    assert model["dollars_of_right"] == pytest.approx(31 * each / 15)
    shown = CliRunner().invoke(app, ["status", str(tmp_path / "run")]).output
    assert "billed: 0.0038 US dollars for each right answer" in shown


def test_keys_are_not_in_a_run(tmp_path: Path) -> None:
    """Not in its files, also where the server repeats them; the address is recorded without its key."""
    script = in_turn(error(400, f"got {KEY}"), chat(f"you are {KEY}", "content_filter"), chat("fine"))
    with misbehaving(script) as server:
        command = _command(tmp_path, server, f'header={{"Authorization": "Bearer {KEY}", "X-Two": "{KEY}"}}')
        address = f"{server.url}?api-version=1&api_key="
        done = CliRunner().invoke(app, [each.replace(server.url, address + KEY) for each in command])
        assert done.exit_code == 1, done.output
        assert server.asked[0].path.endswith(KEY)
        assert server.asked[0].headers["x-two"] == KEY
    errors = _rows(tmp_path)["error"].dropna()
    assert sorted(errors) == ["HTTP 400 Bad Request: got ***"]
    assert "you are ***" in set(_rows(tmp_path)["prediction"])
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert f"{address}..." in (tmp_path / "run" / "study.yaml").read_text(encoding="utf-8")
    assert KEY not in done.output


def test_secrets_in_extra_body_are_sent_and_not_recorded(tmp_path: Path) -> None:
    def described(secret: str, **own: Any) -> dict[str, Any]:
        body = {"project": "p", "inner": [{"api_key": secret}], "token": secret}
        return {**own, "generation": {"extra_body": body}}

    with misbehaving(in_turn(chat("fine"))) as server:
        asked = {"model": "local-chat-completions", "args": {"base_url": server.url, "model": "served"}}
        models = [described("SECRET-2", name="own", **asked), {"name": "other", **asked}]
        recipe = {**yaml.safe_load(RECIPE), **described("SECRET-1"), "models": models}
        path = tmp_path / "served.yaml"
        path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
        command = ["run", str(path), "--out", str(tmp_path / "run")]
        done = CliRunner().invoke(app, command)
        count = len(server.asked)
        study = tmp_path / "run" / "study.yaml"
        recorded = study.read_text(encoding="utf-8")
        # a run of a version that recorded them goes on with another one, and with more room for answers
        study.write_text(recorded.replace("(not recorded)", "old"), encoding="utf-8")
        models[0] = described("SECRET-3", name="own", **asked)
        recipe["generation"]["max_tokens"] = 4000
        path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
        again = CliRunner().invoke(app, command)
        assert (again.exit_code, len(server.asked)) == (0, count), again.output
    assert done.exit_code == 0, done.output
    assert {request.body["token"] for request in server.asked} == {"SECRET-1", "SECRET-2"}
    assert all(request.body["inner"][0]["api_key"] == request.body["token"] for request in server.asked)
    assert "project" in recorded
    files = [each.read_bytes() for each in (tmp_path / "run").rglob("*") if each.is_file()]
    assert not [each for each in (recorded.encode(), *files) if b"SECRET" in each]


@pytest.mark.full
def test_a_server_that_refuses_ends_the_run_and_the_same_command_resumes(tmp_path: Path) -> None:
    with misbehaving(in_turn(error(401, f"wrong key {KEY}"))) as server:
        first = _run(tmp_path, server)
        assert first.exit_code == 2, first.output
        assert (
            f"the server at {server.url} refuses all requests: HTTP 401 Unauthorized: wrong key ***; "
            "what it answered is kept"
        ) in first.output
        server.script = lambda request: chat("fine") if request.number < 12 else error(401, "revoked")
        second = _run(tmp_path, server, "num_concurrent=1")
        assert second.exit_code == 2, second.output
        assert "refuses all requests: HTTP 401 Unauthorized: revoked" in " ".join(second.output.split())
        kept = int(_rows(tmp_path)["prediction"].notna().sum())
        assert 0 < kept < 30
        # what was answered is scored and analysed, and the rest are holes
        scores = pd.read_parquet(tmp_path / "run" / "scores.parquet").query("main")
        assert (len(scores), int(scores["score"].notna().sum())) == (30, kept)
        analysis = json.loads((tmp_path / "run" / "analysis.json").read_text(encoding="utf-8"))
        assert (analysis["holes"]["expected"], analysis["holes"]["missing"]) == (30, 30 - kept)
        server.script = in_turn(chat("fine"))
        asked = len(server.asked)
        command = [*_command(tmp_path, server, "num_concurrent=1"), "--retry-failed"]
        third = CliRunner().invoke(app, command)
        assert third.exit_code == 0, third.output
    assert len(server.asked) - asked == 30 - kept
    assert set(_rows(tmp_path)["prediction"]) == {"fine"}


def _named(model: str, *statuses: int) -> Any:
    """A server's replies that name a model: errors of these statuses first, then answers."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
    answer = as_json({"model": model, "choices": [choice]})
    return lambda request: error(400, f"no {request.number}") if request.number in statuses else answer


@pytest.mark.full
def test_the_name_by_which_a_server_answers_is_kept_and_packages_here_do_not_matter(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Resumed on another machine; an alias of a model stands for another one by then."""
    with misbehaving(_named("large-0806", *range(20, 30))) as server:
        _run(tmp_path, server, "num_concurrent=1")
        (model,) = Run.open(tmp_path / "run").study["models"]
        assert model["answered_by"] == {"models": ["large-0806"]}
        study = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())
        study["versions"].update({"lm-eval": "0.0.1", "torch": "0.0.1"})
        (tmp_path / "run" / "study.yaml").write_text(yaml.safe_dump(study))
        server.script = _named("large-1120")
        command = [*_command(tmp_path, server, "num_concurrent=1"), "--retry-failed"]
        done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    told = "'served': the server answers as 'large-1120' now, and answered as 'large-0806' before"
    assert told in caplog.text
    (model,) = Run.open(tmp_path / "run").study["models"]
    assert model["answered_by"] == {"models": ["large-0806", "large-1120"]}
    assert _rows(tmp_path)["error"].isna().all()


def test_the_name_by_which_a_server_answered_comes_along_with_answers_that_are_reused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An alias stands for another model by the time of the second run."""
    before = tmp_path / "before"
    with misbehaving(_named("large-0806", *range(20, 30))) as server:
        _run(tmp_path, server, "num_concurrent=1")
        (tmp_path / "run").rename(before)
        server.script = _named("large-1120")
        command = [*_command(tmp_path, server, "num_concurrent=1"), "--reuse", str(before)]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        assert "'large-1120' now, and answered as 'large-0806' before; answers may differ" in caplog.text
    (model,) = Run.open(tmp_path / "run").study["models"]
    assert model["answered_by"] == {"models": ["large-0806", "large-1120"]}


def test_an_interrupted_run_does_not_wait_for_the_limit(tmp_path: Path) -> None:
    """Ctrl-C while a server says to wait for minutes: what is answered is kept, and it ends at once."""
    held = threading.Event()

    def script(request: Request) -> Any:
        if request.number < 12:
            return chat("fine")
        held.set()
        return error(429, "slow down", {"Retry-After": "300"})

    with misbehaving(script) as server:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from torr_plugin.cli.app import main; main()",
                *_command(tmp_path, server),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            assert held.wait(PATIENCE)
            time.sleep(0.3)
            os.kill(process.pid, signal.SIGINT)
            started = time.monotonic()
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.communicate()
        assert time.monotonic() - started < 250, output  # the server asked for 300
    assert process.returncode == 130, output
    assert len(_rows(tmp_path)) == 12
    assert _rows(tmp_path)["error"].isna().all()


@pytest.mark.filterwarnings("error")
def test_nothing_is_left_of_an_engine_that_nobody_closes() -> None:
    gc.collect()
    before = _threads()
    with misbehaving(in_turn(chat("fine"))) as server:
        asking = engine(server.url)
        finished(asking, tasks(asking._lm, ["a", "b"]))
        assert _threads() == before + 1
        del asking
        gc.collect()
        assert _threads() == before


def _threads() -> int:
    return sum(thread.name == "torr-server" for thread in threading.enumerate())
