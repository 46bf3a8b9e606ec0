"""Lists of prompts for several models: what one of them cannot do costs the others nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.errors import ModelError, RunError
from torr_plugin.prompts import Message
from torr_plugin.recipes import request_key
from torr_plugin.running.progress import ModelProgress, Progress
from torr_plugin.running.prompt_lists import PromptList, ask_prompts, predictions_in

from .made import entry, stored_keys

GENERATION = {"max_tokens": 5, "temperature": 0.0, "until": []}
PROMPTS = {
    request_key(prompt, GENERATION): prompt
    for prompt in [(Message("user", f"say {word}"),) for word in ("one", "bad", "two")]
}


def asked(folder: Path, kind: str, name: str) -> PromptList:
    return PromptList(entry(kind, name=name), PROMPTS, folder / name, "helper")


def test_each_model_is_asked_each_prompt_once(tmp_path: Path) -> None:
    lists = [asked(tmp_path, "test-echo", "a"), asked(tmp_path, "test-failing", "b")]
    for _ in range(2):
        failed = ask_prompts(lists, GENERATION, kept=tmp_path)
    assert (len(failed["a"]), len(failed["b"])) == (0, 1)
    assert sorted(predictions_in(tmp_path / "a").values()) == ["BAD", "ONE", "TWO"]
    assert sorted(predictions_in(tmp_path / "b").values()) == ["ONE", "TWO"]
    assert len(stored_keys(tmp_path / "a" / "answers")) == len(stored_keys(tmp_path / "b" / "answers")) == 3
    ask_prompts(lists, GENERATION, kept=tmp_path, retry_failed=True)
    assert len(stored_keys(tmp_path / "b" / "answers")) == 4


def test_a_model_that_cannot_be_loaded_is_said_when_the_others_are_done(tmp_path: Path) -> None:
    told: list[str] = []

    class Told(Progress):
        def show(self, model: str, each: ModelProgress) -> None:
            if each.unloaded and not each.ended:
                told.append(model)

    lists = [asked(tmp_path, "test-unloadable", "a"), asked(tmp_path, "test-echo", "b")]
    with pytest.raises(ModelError, match=r"model 'a' .* cannot be loaded"):
        ask_prompts(lists, GENERATION, kept=tmp_path, progress=Told())
    assert told == ["a"]
    assert len(predictions_in(tmp_path / "b")) == 3


def test_another_model_of_this_name_is_refused(tmp_path: Path) -> None:
    ask_prompts([asked(tmp_path, "test-echo", "a")], GENERATION, kept=tmp_path)
    with pytest.raises(RunError, match=r"helper\.yaml: the helper 'a' was another model"):
        ask_prompts([asked(tmp_path, "test-failing", "a")], GENERATION, kept=tmp_path)
    (tmp_path / "a" / "helper.yaml").write_text("a: [")
    with pytest.raises(RunError, match=r"helper\.yaml: not YAML"):
        ask_prompts([asked(tmp_path, "test-echo", "a")], GENERATION, kept=tmp_path)
