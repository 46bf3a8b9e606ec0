"""The documentation names what there is: commands, options, parts of recipes; its site has every page."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from torr_plugin import __version__
from torr_plugin.cli.app import app
from torr_plugin.leaderboard.citation import TORR_BIBTEX, TORR_PLAIN
from torr_plugin.recipes import recipe_names
from torr_plugin.workflows.listing import listed as list_names

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TEXTS = {
    "README.md": (ROOT / "README.md").read_text(encoding="utf-8"),
    **{path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")},
}
# by hooks, on building
MADE = {"benchmarks.md", "changelog.md", "contributing.md", "reference/commands.md", "results.md"}
ALL = "\n".join(TEXTS.values())
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


def test_every_command_is_documented() -> None:
    assert [name for name in COMMANDS if not re.search(rf"\btorr {name}\b", ALL)] == []


def test_every_name_of_a_recipe_is_documented() -> None:
    listed = {
        kind: [row["name"] for row in list_names(kind)]
        for kind in ("serializers", "perturbations", "designs")
    }
    for names in (*listed.values(), recipe_names()):
        assert names
        assert [name for name in names if not name.startswith("torr.") and f"`{name}`" not in ALL] == []


def test_every_option_of_the_generator_is_documented() -> None:
    options = [
        option for parameter in COMMANDS["synth"].commands["hctqa"].params for option in parameter.opts
    ]
    assert len(options) > 7
    assert [option for option in options if option not in TEXTS["hctqa.md"]] == []


def test_links_lead_somewhere() -> None:
    broken = [
        f"{name}: {link}"
        for name, text in TEXTS.items()
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
        if not _leads_somewhere(name, link)
    ]
    assert broken == []


def _leads_somewhere(name: str, link: str) -> bool:
    page = ROOT / name if name == "README.md" else DOCS / name
    target = (page.parent / link).resolve()
    return target.exists() or (target.is_relative_to(DOCS) and target.relative_to(DOCS).as_posix() in MADE)


def test_pages_that_code_names_exist() -> None:
    folders = ("torr_plugin", "recipes", "cards", "leaderboard", "examples", "benchmarks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in CODE]
    named = [
        (path.relative_to(ROOT).as_posix(), page)
        for path in files
        for page in re.findall(r"\bdocs/(?!hub/)[\w/-]+\.md\b", path.read_text(encoding="utf-8"))
    ]
    assert len(named) > 10
    assert [f"{path}: {page}" for path, page in named if not (ROOT / page).is_file()] == []


CODE = {".py", ".yaml", ".json"}


def test_the_citation_is_of_this_version_and_of_torr() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)  # what the format asks for
    assert (cited["title"], cited["version"]) == ("torr-plugin", __version__)
    assert TORR_BIBTEX in TEXTS["index.md"]
    assert f"version = {{{__version__}}}" in TEXTS["index.md"]
    [torr] = cited["references"]
    assert torr["title"] in TORR_PLAIN
    assert all(f"{who['given-names']} {who['family-names']}" in TORR_PLAIN for who in torr["authors"])


class _Tags(yaml.SafeLoader):
    """Takes the tags of mkdocs.yml that name functions as nothing."""


_Tags.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
SITE: dict[str, Any] = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Tags)


def _named(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
        return
    for each in nav.values() if isinstance(nav, dict) else nav:
        yield from _named(each)


def test_every_page_is_on_the_site_once() -> None:
    named = list(_named(SITE["nav"]))
    assert sorted(named) == sorted({*TEXTS, *MADE} - {"README.md"})


def test_the_site_is_made_of_files_that_are_there() -> None:
    assets = [
        *SITE["extra_css"],
        *SITE["extra"]["polyfills"],
        SITE["theme"]["logo"],
        SITE["theme"]["favicon"],
    ]
    assert [name for name in assets if not (DOCS / name).is_file()] == []
    assert [name for name in SITE["hooks"] if not (ROOT / name).is_file()] == []
    assert SITE["strict"] is True
    assert SITE["theme"]["font"] is False


def _hook(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, DOCS / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _all_commands(commands: dict[str, Any], before: str = "torr") -> Iterator[tuple[str, Any]]:
    for name, command in commands.items():
        inner = getattr(command, "commands", None)
        yield from _all_commands(inner, f"{before} {name}") if inner else [(f"{before} {name}", command)]


def test_the_reference_has_every_command_with_every_option() -> None:
    page = _hook("command_reference").command_page()
    sections = {part.split("`", 1)[0]: part for part in page.split("\n## `")[1:]}
    commands = dict(_all_commands(COMMANDS))
    assert sorted(sections) == sorted(commands)
    assert [
        f"{name} {option}"
        for name, command in commands.items()
        for parameter in command.params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
        if not re.search(rf"{re.escape(option)}\b", sections[name])
    ] == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<script src="https://cdn.example.org/a.js"></script>', ["https://cdn.example.org/a.js"]),
        ("<link rel=stylesheet href=//cdn.example.org/a.css>", ["//cdn.example.org/a.css"]),
        ('<img alt="" src="../images/a.png"><a href="https://example.org">there</a>', []),
    ],
)
def test_what_a_page_of_the_site_would_load_is_seen(html: str, found: list[str]) -> None:
    assert _hook("offline").loaded_from_elsewhere(html) == found
