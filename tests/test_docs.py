"""The documentation names what there is: commands, options, and what a recipe can hold."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from typer.main import get_command

from torr_plugin.cli import app
from torr_plugin.listing import listing

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in PAGES}
ALL = "\n".join(TEXTS.values())
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"\btorr {name}\b", ALL)


@pytest.mark.parametrize("kind", ["serializers", "perturbations", "designs", "recipes"])
def test_every_name_of_a_recipe_is_documented(kind: str) -> None:
    names = [row["name"] for row in listing(kind) if not row["name"].startswith("torr.")]
    assert names
    assert [name for name in names if f"`{name}`" not in ALL] == []


def test_every_option_of_the_generator_is_documented() -> None:
    options = [
        option for parameter in COMMANDS["synth"].commands["hctqa"].params for option in parameter.opts
    ]
    assert len(options) > 10
    assert [option for option in options if option not in TEXTS["hctqa.md"]] == []


def test_links_lead_somewhere() -> None:
    broken = [
        f"{name}: {link}"
        for name, text in TEXTS.items()
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
        if not ((ROOT if name == "README.md" else ROOT / "docs") / link).exists()
    ]
    assert broken == []


def test_the_list_of_commands_is_not_cut_at_eighty_columns() -> None:
    command = get_command(app)
    text = command.get_help(click.Context(command, info_name="torr", terminal_width=80))
    lines = text[text.index("Commands:") :].splitlines()
    assert len(lines) > 10
    assert max(map(len, lines)) <= 80
    assert "..." not in "\n".join(lines)
