"""The page of the command line, made of the commands themselves whenever the site is built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

PAGE = "reference/commands.md"

TOP = """# The command line

{about}

Every command has `--help`. Exit codes are 0 (done), 1 (done, and some of it failed), 2 (the input is wrong,
said in one line), 130 (interrupted; the same command goes on). `--json` prints one JSON object on stdout and
nothing else there; `--debug`, anywhere on the line, shows the traceback of an error.
"""


def on_files(files: Files, config: Any) -> Files:
    """Add the page."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=command_page()))
    return files


def command_page() -> str:
    """Every command of ``torr`` with its arguments and options, as Markdown."""
    from typer.main import get_command

    from torr_plugin.cli.app import app

    command: Any = get_command(app)
    return TOP.format(about=command.help) + "\n".join(_sections(command, "torr"))


def _sections(command: Any, name: str) -> list[str]:
    texts = []
    for each, inner in command.commands.items():
        if hasattr(inner, "commands"):
            texts += _sections(inner, f"{name} {each}")
        else:
            texts.append(_section(inner, f"{name} {each}"))
    return texts


def _section(command: Any, name: str) -> str:
    # as `--help` has it, whichever version of click made the command
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    records = (each.get_help_record(context) for each in command.get_params(context))
    rows = [f"| {_code(spelling)} | {_prose(text)} |" for spelling, text in filter(None, records)]
    head = f"## `{name}`\n\n{_prose(command.help)}\n\n```text\n{usage}\n```\n\n"
    return head + "| argument, option | what it says |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _code(text: str) -> str:
    return f"`{text}`"  # a bar in code ends no cell here, and a backslash before it would be shown


def _prose(text: str | None) -> str:
    """Help as Markdown: what Markdown or HTML would take for markup is left as it is written."""
    joined = " ".join((text or "").replace("\b", "").split())
    return re.sub(r"([|*_])", r"\\\1", joined.replace("&", "&amp;").replace("<", "&lt;"))
