"""What says how a server is asked: declared once, documented with its default, and no part of who answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from torr_plugin.running.model_classes import ServerArguments
from torr_plugin.running.store.manifest import model_difference, model_record

from .made import entry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
DEFAULTS = {"num_concurrent": "adaptive", "max_retries": "5, and 12 for rate limits"}


@pytest.mark.parametrize(
    ("name", "default"),
    [(name, getattr(ServerArguments(), name)) for name in ServerArguments.__dataclass_fields__],
)
def test_each_is_documented_with_its_default_and_changes_no_answer(name: str, default: object) -> None:
    [said] = re.findall(rf"^\| `{name}` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert said.startswith(DEFAULTS.get(name, str(default)))
    one, other = (entry("local-completions", **given) for given in ({}, {name: 7}))
    assert model_difference(model_record(one, ""), model_record(other, "")) is None
