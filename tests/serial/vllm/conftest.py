"""vLLM on the CPU with a tiny Llama."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from torr_plugin.recipes import ModelEntry
from torr_plugin.running.loaded_model import Model, load_model

from ...conftest import missing
from ...timing import PATIENCE
from ...tiny_llama import make

CONTEXT = 1024
# greedy answers of one float32 model are the same whatever else is in a batch
ARGUMENTS = {"dtype": "float32", "enforce_eager": True, "max_model_len": CONTEXT, "max_num_seqs": 32}
STARTING = 3 * PATIENCE
"""Seconds that a start of vLLM may take, which takes half a minute where nothing else runs."""
GENERATION = {"max_tokens": 24, "temperature": 0.0, "until": ["\n", "e"]}


@pytest.fixture(autouse=True, scope="session")
def _settings() -> Iterator[None]:
    if importlib.util.find_spec("vllm") is None:
        missing("vLLM is not installed: tox -e full has it")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model's folder, with a chat template."""
    return make(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def model(tiny: Path) -> Iterator[Model]:
    """The tiny model in vLLM, loaded once, for that takes half a minute."""
    loaded = load_model(entry(tiny), GENERATION)
    yield loaded
    loaded.engine.close()


def entry(folder: Path, **arguments: object) -> ModelEntry:
    return ModelEntry(model="vllm", args={"pretrained": str(folder), **ARGUMENTS, **arguments}, name="tiny")
