"""Prompts counted with a model's own tokenizer, made on the spot."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from torr_plugin.prompts import Message
from torr_plugin.recipes import ModelEntry, Recipe, outline, plan
from torr_plugin.recipes.known_models import folder_of, tokenizer_of

from ..tiny_llama import make
from .made import CARD
from .test_outline import shared_beginning

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tokenizer with a chat template, and one without."""
    root = tmp_path_factory.mktemp("tokenizers")
    return {name: make(root / name, chat=name == "chat", layers=1) for name in ("chat", "plain")}


def entry(folder: Path, **more: object) -> ModelEntry:
    return ModelEntry.model_validate({"model": "hf", "args": {"pretrained": str(folder)}, **more})


@pytest.mark.parametrize("name", ["chat", "plain"])
def test_counts_are_those_of_the_tokenizer(name: str, folders: dict[str, Path]) -> None:
    from transformers import AutoTokenizer

    asked = plan(
        Recipe.model_validate(
            {
                "name": "x",
                "cards": [CARD],
                "configurations": {"serializers": ["html", "csv"]},
                "examples": {"count": 4},
                "demonstrations": {"shots": 1, "draw": "shared"},
            }
        )
    )
    (row,) = outline(asked, [entry(folders[name])]).models
    reference = AutoTokenizer.from_pretrained(folders[name])
    prompts = sorted((request.prompt for request in asked.requests()), key=lambda prompt: prompt[0].content)
    if name == "chat":
        texts = [
            reference.apply_chat_template(
                [{"role": "user", "content": prompt[0].content}], tokenize=False, add_generation_prompt=True
            )
            for prompt in prompts
        ]
        tokens = [reference.encode(text, add_special_tokens=False) for text in texts]
    else:
        tokens = [reference.encode(prompt[0].content) for prompt in prompts]
    assert row["counted"] == "exact"
    assert row["prompt tokens"] == sum(map(len, tokens))
    assert row["longest prompt"] == max(map(len, tokens))
    assert row["saved tokens"] == sum(shared_beginning(*pair) for pair in pairwise(tokens)) > 100


def test_the_argument_tokenizer_comes_first(folders: dict[str, Path]) -> None:
    served = ModelEntry(
        model="local-chat-completions", args={"model": "org/absent", "tokenizer": str(folders["plain"])}
    )
    found = tokenizer_of(served)
    assert found is not None
    assert found.folder == folders["plain"].resolve()


def test_without_chat_the_turns_stand_apart(folders: dict[str, Path]) -> None:
    found = tokenizer_of(entry(folders["chat"]))
    assert found is not None
    prompt = (Message("system", "Be brief."), Message("user", "Which?"))
    (apart,), (templated,) = (found.encode([prompt], chat=chat) for chat in (False, True))
    assert found.encode([(Message("user", "Be brief.\n\nWhich?"),)], chat=False) == [apart]
    assert apart != templated


def test_what_is_no_tokenizer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert folder_of(str(tmp_path)) is None
    assert folder_of("no/../such name") is None
    (tmp_path / "tokenizer.json").write_text("{damaged")
    assert tokenizer_of(entry(tmp_path)) is None
    assert "no tokenizer can be read" in caplog.text
