"""Every code block and command of the README and the documentation does what the page says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing
from tests.running.servers import ChatServer, chat_server, text_of

from . import hub
from .blocks import Block, blocks_in, name_of, pages
from .session import Session
from .surroundings import environment, free_port, working_directory

PAGES = [pytest.param(page, id=name_of(page)) for page in pages()]
BENCHMARKS = [page for page in PAGES if page.values[0].parent.name == "benchmarks"]
Open = Callable[..., Session]


def _with(word: str) -> list[Any]:
    return [page for page in PAGES if any(block.has(word) for block in blocks_in(page.values[0]))]


def _is_of(block: Block, word: str) -> bool:
    return block.file is not None or block.has(word)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model that stands for all that pages name."""
    try:
        return hub.tiny(tmp_path_factory.mktemp("tiny") / "model")
    except ImportError as error:
        missing(f"what makes a tiny model is not installed: {error}")
        raise


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    """An OpenAI-compatible server that answers with the prompt's last word."""
    with chat_server(lambda messages: (text_of(messages).split() or ["?"])[-1]) as found:
        yield found


@pytest.fixture
def session(
    tmp_path: Path, shared_data: Path, server: ChatServer, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Makes the surroundings of a page, and clears them away."""
    with ExitStack() as opened:

        def begin(blocks: list[Block]) -> Session:
            folder = working_directory(tmp_path / "work", shared_data)
            kept = tmp_path / "kept"
            kept.mkdir()
            given = environment(folder, data=shared_data, hub=tmp_path / "hub", kept=kept)
            address = server.url.removesuffix("/v1/chat/completions")
            if any(block.has("model") for block in blocks):
                names = hub.names_in("\n".join(block.text for block in blocks))
                hub.add(tmp_path / "hub", request.getfixturevalue("tiny"), names)
            if any("ray start" in block.text for block in blocks):
                given["RAY_ADDRESS"] = f"127.0.0.1:{free_port()}"
            found = Session(folder, given, kept, address)
            opened.callback(found.close)
            return found

        yield begin


@pytest.mark.docs
@pytest.mark.parametrize("page", [page for page in PAGES if page not in BENCHMARKS])
def test_every_block_runs(page: Path, session: Open) -> None:
    _run(session, [block for block in blocks_in(page) if not block.has("helm")])


@pytest.mark.benchmarks
@pytest.mark.parametrize("page", BENCHMARKS)
def test_every_benchmark_runs(page: Path, session: Open) -> None:
    _run(session, [block for block in blocks_in(page) if not block.has("helm")])


@pytest.mark.helm
@pytest.mark.parametrize("page", _with("helm"))
def test_blocks_of_helm(page: Path, session: Open) -> None:
    _run(session, [block for block in blocks_in(page) if _is_of(block, "helm")])


def _run(session: Open, blocks: list[Block]) -> None:
    """Run blocks in their order; the first that fails, by its exit code or its output, fails the test."""
    opened = session(blocks)
    for block in blocks:
        opened.run(block)
