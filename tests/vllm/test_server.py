"""vLLM's real OpenAI server on loopback, asked as any server is."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from torr_plugin.prompts import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.answer import Answer
from torr_plugin.running.model import Model, load_model
from torr_plugin.running.pending_request import PendingRequest

from ..timing import PATIENCE
from .conftest import CONTEXT

pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings("default")]

GENERATION = {"max_tokens": 12, "temperature": 0.0, "until": []}
TEXTS = [f"Question {n}: what is {n}+{n}? " + "the table has a row " * (n % 40) for n in range(80)]


@dataclass(frozen=True)
class Server:
    """Where it listens, and what it serves."""

    port: int
    folder: Path

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def metric(self, name: str) -> float:
        with urllib.request.urlopen(self.url("/metrics"), timeout=PATIENCE) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name + "{"))


@pytest.fixture(scope="module")
def server(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(_free_port(), tiny)
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "vllm.entrypoints.openai.api_server"),
                *("--model", str(tiny), "--served-model-name", "tiny", "--host", "127.0.0.1"),
                *("--port", str(found.port), "--dtype", "float32", "--enforce-eager"),
                *("--max-model-len", str(CONTEXT), "--max-num-seqs", "32", "--enable-prompt-tokens-details"),
            ],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "VLLM_NO_USAGE_STATS": "1"},
        )
        try:
            _wait_for(found, process, log)
            yield found
        finally:
            _end(process)


def _free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(server.url("/health"), timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    pytest.fail(f"vLLM's server does not listen; it says\n{log.read_text()[-3000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for child in psutil.wait_procs(children, timeout=PATIENCE)[1]:
        child.kill()


def served(server: Server, kind: str, path: str, **more: object) -> Model:
    entry = ModelEntry(
        model=kind, args={"model": "tiny", "base_url": server.url(path), **more}, name="served"
    )
    return load_model(entry, GENERATION)


def answers(model: Model, texts: list[str] = TEXTS) -> list[Answer]:
    asked = [PendingRequest(f"{n:032x}", (Message("user", text),)) for n, text in enumerate(texts)]
    try:
        return model.answers(asked)
    finally:
        model.engine.close()


def test_chat_completions(server: Server) -> None:
    found = answers(served(server, "local-chat-completions", "/v1/chat/completions"))
    assert [each.error for each in found] == [None] * len(TEXTS)
    assert len({each.prediction for each in found}) > len(TEXTS) / 2
    assert {each.finish_reason for each in found} <= {"stop", "length"}
    assert all(0 < each.completion_tokens <= 12 for each in found)
    # the server applied the template: one BOS, the marks of the turns, and the text
    from transformers import AutoTokenizer

    words = AutoTokenizer.from_pretrained(server.folder)
    expected = [
        len(words(f"<|begin|><|user|>{text}<|assistant|>", add_special_tokens=False).input_ids)
        for text in TEXTS
    ]
    assert [each.prompt_tokens for each in found] == expected


def test_completions_with_our_tokens(server: Server) -> None:
    """The template is applied here, the text goes out as token numbers: the same answers as in messages."""
    in_messages = answers(served(server, "local-chat-completions", "/v1/chat/completions"))
    as_tokens = answers(
        served(
            server,
            "local-completions",
            "/v1/completions",
            tokenizer=str(server.folder),
            tokenized_requests=True,
            tokenizer_backend="huggingface",
        )
    )
    assert [each.error for each in as_tokens] == [None] * len(TEXTS)
    assert [each.prompt_tokens for each in as_tokens] == [each.prompt_tokens for each in in_messages]
    assert [_shown(each) for each in as_tokens] == [_shown(each) for each in in_messages]


def _shown(answer: Answer) -> str:
    """A completion's text shows special tokens where a chat's leaves them out."""
    text = answer.prediction or ""
    for mark in ("<|end|>", "<|begin|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"):
        text = text.replace(mark, "")
    return text


def test_too_long_is_a_row(server: Server) -> None:
    found = answers(
        served(server, "local-chat-completions", "/v1/chat/completions"),
        ["short", "long " * 3000, "short too"],
    )
    assert [each.error is None for each in found] == [True, False, True]
    assert str(CONTEXT) in found[1].error


def test_several_at_once(server: Server) -> None:
    """Without ``num_concurrent`` as many are asked at once as the server bears."""
    assert _at_once(server, "first") > 4
    assert _at_once(server, "second", num_concurrent=1) < 1.1
    assert 1.2 < _at_once(server, "third", num_concurrent=3) < 3.3


def _at_once(server: Server, mark: str, **more: object) -> float:
    """How many requests the server had on average: the time they took together, in the time they took."""
    model = served(server, "local-chat-completions", "/v1/chat/completions", **more)
    name = "vllm:e2e_request_latency_seconds_sum"
    before, began = server.metric(name), time.monotonic()
    found = answers(model, [f"{mark} {text}" for text in TEXTS])
    seconds = time.monotonic() - began
    assert [each.error for each in found] == [None] * len(TEXTS)
    return (server.metric(name) - before) / seconds
