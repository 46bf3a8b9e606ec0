"""vLLM's real OpenAI server on loopback, asked as any server is."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from torr_plugin.prompts import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.answer import Answer
from torr_plugin.running.loaded_model import load_model
from torr_plugin.running.request_sources import PendingRequest

from ...timing import PATIENCE, until
from .conftest import CONTEXT, STARTING

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("default")]

GENERATION = {"max_tokens": 12, "temperature": 0.0, "until": []}
TEXTS = [f"Question {n}: what is {n}+{n}? " + "the table has a row " * (n % 40) for n in range(80)]


@pytest.fixture
def server(tiny: Path, tmp_path: Path) -> Iterator[str]:
    """The address of one that serves the tiny model as ``tiny``."""
    log = tmp_path / "log"
    with log.open("w") as output:
        process = psutil.Popen(
            [
                *(sys.executable, "-m", "vllm.entrypoints.openai.api_server"),
                *("--model", str(tiny), "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", "0"),
                *("--dtype", "float32", "--enforce-eager", "--max-model-len", str(CONTEXT)),
                *("--max-num-seqs", "32", "--enable-prompt-tokens-details"),
            ],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "VLLM_NO_USAGE_STATS": "1"},
        )
    try:
        until(lambda: _addresses(process) or process.poll() is not None, within=STARTING)
        assert process.poll() is None, log.read_text()[-3000:]
        (address,) = _addresses(process)
        with urllib.request.urlopen(f"{address}/health", timeout=PATIENCE):
            yield address
    finally:
        _end(process)


def _addresses(process: psutil.Popen) -> list[str]:
    """Where it listens, at a port that the system gave it."""
    if process.poll() is not None:
        return []
    found = process.net_connections("tcp4")
    return [f"http://127.0.0.1:{each.laddr.port}" for each in found if each.status == psutil.CONN_LISTEN]


def _end(process: psutil.Popen) -> None:
    children = process.children(recursive=True) if process.poll() is None else []
    process.terminate()
    for each in psutil.wait_procs([process, *children], timeout=30)[1]:
        each.kill()
    process.wait()


def answers(address: str, kind: str, path: str, texts: list[str], **more: object) -> list[Answer]:
    model = load_model(
        ModelEntry(model=kind, args={"model": "tiny", "base_url": f"{address}{path}", **more}), GENERATION
    )
    asked = [PendingRequest(f"{n:032x}", (Message("user", text),)) for n, text in enumerate(texts)]
    try:
        return model.answers(asked)
    finally:
        model.engine.close()


def test_messages_and_our_tokens_have_the_same_answers(server: str, tiny: Path) -> None:
    """In messages the server applies the template; as token numbers the text has it from here."""
    from transformers import AutoTokenizer

    chat = ("local-chat-completions", "/v1/chat/completions")
    *in_messages, too_long = answers(server, *chat, [*TEXTS, "long " * 3000])
    assert str(CONTEXT) in too_long.error
    assert [each.error for each in in_messages] == [None] * len(TEXTS)
    assert len({each.prediction for each in in_messages}) > len(TEXTS) / 2
    assert {each.finish_reason for each in in_messages} <= {"stop", "length"}
    assert all(0 < each.completion_tokens <= 12 for each in in_messages)
    words = AutoTokenizer.from_pretrained(tiny)
    prompts = [f"<|begin|><|user|>{text}<|assistant|>" for text in TEXTS]  # one BOS
    tokens = [len(words(prompt, add_special_tokens=False).input_ids) for prompt in prompts]
    assert [each.prompt_tokens for each in in_messages] == tokens

    ours = {"tokenizer": str(tiny), "tokenized_requests": True, "tokenizer_backend": "huggingface"}
    as_tokens = answers(server, "local-completions", "/v1/completions", TEXTS, **ours)
    assert [each.error for each in as_tokens] == [None] * len(TEXTS)
    assert [each.prompt_tokens for each in as_tokens] == tokens
    assert [_shown(each) for each in as_tokens] == [_shown(each) for each in in_messages]


def _shown(answer: Answer) -> str:
    """A completion's text shows special tokens where a chat's leaves them out."""
    text = answer.prediction or ""
    for mark in ("<|end|>", "<|begin|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"):
        text = text.replace(mark, "")
    return text
