"""A run of an older version goes on only if its models are asked as they were then: in plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from torr_plugin.core.errors import RunError
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import execute
from torr_plugin.running.store.manifest import model_record, same_model

from .asked_models import Plan
from .made import entry

ECHO = entry("test-echo")


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A run in which a version that applied no template unless told so asked a model."""
    execute(Plan(["say a"]), [ECHO], tmp_path / "run")
    path = tmp_path / "run" / "study.yaml"
    path.write_text(path.read_text().replace("chat: by template", "chat: null"))
    assert yaml.safe_load(path.read_text())["models"][0]["chat"] is None
    return tmp_path / "run"


def test_a_template_is_not_applied_halfway(older: Path) -> None:
    with pytest.raises(RunError, match=r"asked with test-echo \(.*chat: false\), now .*chat: by template\)"):
        execute(Plan(["say a"]), [ECHO], older)


def test_it_goes_on_without_templates(older: Path) -> None:
    plain = entry("test-echo", name="test-echo", chat=False)
    assert execute(Plan(["say a"]), [plain], older).answered == 1


@pytest.mark.parametrize("name", ["torr-constant", "local-chat-completions", "anthropic-chat-completions"])
def test_models_without_a_choice_go_on_as_they_are(name: str) -> None:
    assert same_model({"model": name, "args": {}, "chat": None}, model_record(ModelEntry(model=name), "x"))


@pytest.mark.parametrize("name", ["hf", "vllm", "local-completions"])
def test_what_was_wished_for_stays_what_it_is(name: str) -> None:
    for chat in (True, False):
        record = model_record(ModelEntry(model=name, chat=chat), "x")
        assert record["chat"] is chat
        assert not same_model(record, model_record(ModelEntry(model=name), "x"))
