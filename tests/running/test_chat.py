"""Which models get chat messages; a run of an older version resumes only in plain text, as it began."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from torr_plugin.core.errors import ModelError, RunError
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import execute
from torr_plugin.running.loaded_model import uses_chat
from torr_plugin.running.store.manifest import model_difference, model_record

from .asked_models import Plan
from .made import entry


class Lm:
    """What lm-eval's models of text have."""

    def __init__(self, template: Any = None, *, fails: str = "", **attributes: Any) -> None:
        self.tokenizer = SimpleNamespace(chat_template=template)
        self.fails = fails
        self.__dict__.update(attributes)

    def apply_chat_template(self, chat_history: list[dict[str, str]]) -> str:
        self.chat_applied = True
        if self.fails:
            raise ValueError(self.fails)
        return "".join(turn["content"] for turn in chat_history)


class TemplateAPI(Lm):
    """By its name lm-eval's model of a server."""


class SomeChat(Lm):
    """By its name a model that takes messages alone."""


def asked(lm: Any, chat: bool | None = None) -> bool:
    return uses_chat(entry("hf", name="m", chat=chat), lm)


@pytest.mark.parametrize("template", ["{{ messages }}", {"default": "{{ messages }}"}])
def test_a_template_of_its_own_is_applied(template: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert asked(Lm(template))
    assert caplog.messages == ["model 'm' is asked through its chat template"]
    assert not asked(Lm(template), chat=False)


@pytest.mark.parametrize("template", [None, "", {}])
def test_a_base_model_is_asked_in_plain_text(template: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Also where the library would make do with a template of another model."""
    with caplog.at_level(logging.INFO):
        assert not asked(Lm(template, hf_chat_template="{{ of another model }}"))
    assert not caplog.messages
    assert asked(Lm(template), chat=True), "who asks for it gets it"


def test_a_processors_template_counts() -> None:
    lm = Lm(None, processor=SimpleNamespace(chat_template="{{ messages }}"))
    assert asked(lm)


def test_a_template_that_fails_is_said_and_not_used(caplog: pytest.LogCaptureFixture) -> None:
    lm = Lm("{{ broken", fails="unexpected end", chat_applied=False)
    assert not asked(lm)
    assert lm.chat_applied is False
    assert caplog.messages == [
        "model 'm' is asked in plain text: its chat template fails (ValueError: unexpected end)"
    ]
    with pytest.raises(ModelError, match=r"no usable chat template: ValueError: unexpected end; leave out"):
        asked(lm, chat=True)


def test_models_that_take_messages_alone() -> None:
    assert asked(SomeChat())
    with pytest.raises(ModelError, match=r"takes chat messages only"):
        asked(SomeChat(), chat=False)


@pytest.mark.parametrize(
    ("backend", "tokenized", "expected"),
    [
        ("huggingface", True, True),
        ("huggingface", False, False),
        ("remote", True, False),
        (None, False, False),
    ],
)
def test_a_completions_server_is_asked_through_a_template_where_it_is_applied_here(
    backend: str | None, tokenized: bool, expected: bool
) -> None:
    lm = TemplateAPI("{{ messages }}", tokenizer_backend=backend, tokenized_requests=tokenized)
    assert asked(lm) is expected


ECHO = entry("test-echo")


def test_a_template_is_not_applied_halfway(tmp_path: Path) -> None:
    """In a run of a version that applied no template unless told so."""
    execute(Plan(["say a"]), [ECHO], tmp_path / "run")
    path = tmp_path / "run" / "study.yaml"
    path.write_text(path.read_text().replace("chat: by template", "chat: null"))
    assert yaml.safe_load(path.read_text())["models"][0]["chat"] is None
    with pytest.raises(RunError, match=r"asked otherwise before \(chat: nothing there, 'by template' here\)"):
        execute(Plan(["say a"]), [ECHO], tmp_path / "run")


@pytest.mark.parametrize("name", ["torr-constant", "local-chat-completions", "anthropic-chat-completions"])
def test_models_without_a_choice_go_on_as_they_are(name: str) -> None:
    assert (
        model_difference({"model": name, "args": {}, "chat": None}, model_record(ModelEntry(model=name), "x"))
        is None
    )


@pytest.mark.parametrize("name", ["hf", "vllm", "local-completions"])
def test_what_was_wished_for_stays_what_it_is(name: str) -> None:
    for chat in (True, False):
        record = model_record(ModelEntry(model=name, chat=chat), "x")
        assert record["chat"] is chat
        assert model_difference(record, model_record(ModelEntry(model=name), "x"))
