"""A small Llama in vLLM for the engine's benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torr_plugin.recipes import ModelEntry, Plan
    from torr_plugin.running.loaded_model import Model

CONTEXT = 8192


def made(plan: Plan, folder: Path, *, layers: int, hidden: int) -> Path:
    """The model's folder; its tokenizer is trained on some of the plan's own prompts."""
    from tests.tiny_llama import make

    texts = [turn.content for request in plan.requests() for turn in request.prompt]
    return make(
        folder,
        layers=layers,
        hidden=hidden,
        intermediate=2 * hidden,
        heads=hidden // 64,
        key_value_heads=1,
        vocabulary=4096,
        context=CONTEXT,
        corpus=texts[:: max(1, len(texts) // 500)],
    )


def entry_of(folder: Path, **arguments: Any) -> ModelEntry:
    from torr_plugin.recipes import ModelEntry

    return ModelEntry(
        model="vllm",
        name="llama",
        args={
            "pretrained": str(folder),
            "dtype": "bfloat16",
            "enforce_eager": True,
            "max_model_len": CONTEXT,
            **arguments,
        },
    )


@contextmanager
def loaded(entry: ModelEntry, generation: dict[str, Any]) -> Iterator[Model]:
    from torr_plugin.running.loaded_model import load_model

    model = load_model(entry, generation)
    close = model.engine.close
    model.engine.close = lambda: None  # type: ignore[method-assign]  # a run closes it; there are several here
    try:
        yield model
    finally:
        close()
