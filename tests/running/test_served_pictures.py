"""Pictures over lm-eval's ``local-chat-completions``: what arrives at a real server on this machine."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.running import Run

from .servers import chat_server

RECIPE = """name: served
cards: [cards.bundled.cell_lookup]
examples: {count: 2}
demonstrations: {shots: 1, draw: shared}
configurations: [image/none/hctqa, html/none/hctqa]
"""


def _look(messages: list[dict[str, Any]]) -> str:
    """Tells the size of every picture, or that there is none."""
    content = messages[-1]["content"]
    parts = content if isinstance(content, list) else []
    return " ".join(_size(part["image_url"]["url"]) for part in parts if "image_url" in part) or "blind"


def _size(url: str) -> str:
    from PIL import Image

    kind, data = url.split(",", 1)
    assert kind == "data:image/png;base64"
    with Image.open(BytesIO(base64.b64decode(data))) as image:
        return f"{image.width}x{image.height}"


def _recipe(tmp_path: Path) -> str:
    path = tmp_path / "served.yaml"
    path.write_text(RECIPE, encoding="utf-8")
    return str(path)


def _run(tmp_path: Path, arguments: str) -> Any:
    command = ["run", _recipe(tmp_path), "--out", str(tmp_path / "run"), "--model", "local-chat-completions"]
    return CliRunner().invoke(app, [*command, "--model-args", arguments])


def _answers(tmp_path: Path) -> pd.DataFrame:
    run = Run.open(tmp_path / "run")
    asked = run.requests().to_pandas()
    said = pd.concat(run.predictions(label).to_pandas() for label in run.models())
    return asked.merge(said, on="key")


def test_a_server_gets_system_turn_words_and_every_picture(tmp_path: Path) -> None:
    with chat_server(_look) as server:
        done = _run(tmp_path, server.arguments(max_images="2"))
    assert done.exit_code == 0, done.output
    rows = _answers(tmp_path)
    assert len(rows) == 4
    for row in rows.itertuples():
        images = row.images if row.images is not None else []
        expected = " ".join(_size_of(image) for image in images) or "blind"
        assert row.prediction == expected
        assert len(images) == (2 if row.serializer == "image" else 0)
    assert [[turn["role"] for turn in body["messages"]] for body in server.asked] == [["system", "user"]] * 4
    seeing = [body["messages"][-1]["content"] for body in server.asked if _look(body["messages"]) != "blind"]
    assert [[part["type"] for part in parts] for parts in seeing] == [["image_url", "image_url", "text"]] * 2
    assert all(parts[-1]["text"].count("Question:") == 2 for parts in seeing)


def _size_of(image: bytes) -> str:
    return _size("data:image/png;base64," + base64.b64encode(image).decode())
