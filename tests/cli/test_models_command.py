"""``torr models``: what is installed, what is missing, how to get it."""

from __future__ import annotations

import importlib.util
import json

import pytest

from torr_plugin.running import model_names
from torr_plugin.workflows.listing import advice, list_models

from .in_process import here

KINDS = ["in process", "server", "baseline", "plugin"]


def test_every_model_that_can_be_named_stands_there_engines_first() -> None:
    rows = list_models()
    assert sorted(row["name"] for row in rows) == model_names()
    places = [(KINDS.index(row["kind"]), not row["installed"], row["name"]) for row in rows]
    assert places == sorted(places)


def test_what_is_missing_is_said_with_the_way_to_get_it() -> None:
    rows = {row["name"]: row for row in list_models()}
    there = importlib.util.find_spec("vllm") is not None
    assert rows["vllm"]["installed"] is there
    assert rows["vllm"]["missing"] == ([] if there else ["vllm"])
    missing = {**rows["vllm"], "installed": False, "install": "pip install 'torr-plugin[vllm]'"}
    assert advice(missing) == "pip install 'torr-plugin[vllm]'"
    assert advice({**missing, "install": None, "missing": ["a", "b"]}) == (
        "needs a, b: see lm-eval's documentation of it"
    )
    of_a_plugin = {**missing, "install": None, "missing": ["a"], "kind": "plugin"}
    assert advice(of_a_plugin) == "needs a: to be installed beside its plugin"
    assert (
        advice({**rows["openai-chat-completions"], "installed": True}) == "reads its key from OPENAI_API_KEY"
    )


def test_baselines_say_what_they_are_and_take() -> None:
    rows = {row["name"]: row for row in list_models()}
    assert rows["torr-constant"]["arguments"] == {"answer": ""}
    assert rows["torr-random-cell"]["arguments"] == {"seed": 0}
    assert rows["torr-majority"]["arguments"] == {}
    assert advice(rows["torr-constant"]).endswith("(answer='')")
    assert advice(rows["torr-majority"]) == "the most frequent answer among the demonstrations"


def test_the_command_fits_a_terminal_and_is_json_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = here("models")
    assert shown.exit_code == 0, shown.stderr
    for part in ("In process", "Servers", "Embedded baselines", "torr-lexical", "vllm"):
        assert part in shown.stdout
    found = json.loads(here("models", "--json").stdout)["models"]
    assert {"name", "kind", "installed", "missing", "install", "key", "origin", "about", "arguments"} == set(
        found[0]
    )
