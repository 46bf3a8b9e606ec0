"""Files outside docs/ that pages link to come with the site: Markdown as pages, all else as text on a page.

Links then lead to those pages, so that the same Markdown works in a checkout and on the site.
"""

from __future__ import annotations

import os.path
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).resolve().parents[2]
# files that have a place of their own in the navigation
PLACES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/RESULTS.md": "results.md",
}
LINK = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)([^)]*\))")
FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
LANGUAGES = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".py": "python", ".toml": "toml"}


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each file outside docs/ that a page links to, and for those that links of these name."""
    waiting = [ROOT / path for path in PLACES if path != "README.md"]
    for file in files.documentation_pages():
        waiting += _outside(Path(file.abs_src_path)) if file.abs_src_path else []
    while waiting:
        source = waiting.pop()
        if files.get_file_from_path(_place(source)) is None:
            files.append(_generated(source, config))
            waiting += _outside(source) if source.suffix == ".md" else []
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links to files outside docs/ into links to their pages."""
    source = _source(page.file.src_uri)
    start = os.path.dirname(page.file.src_uri) or "."

    def led(match: re.Match[str]) -> str:
        target = (source.parent / match[2]).resolve()
        if not target.exists() or (_in_docs(target) and _in_docs(source)):
            return match[0]
        return match[1] + os.path.relpath(_place(_file(target)), start) + match[3]

    return _in_prose(markdown, lambda text: LINK.sub(led, text))


def _generated(source: Path, config: Any) -> File:
    named = source.relative_to(ROOT).as_posix() in PLACES
    level = InclusionLevel.UNDEFINED if named else InclusionLevel.NOT_IN_NAV
    return File.generated(config, _place(source), content=_page(source), inclusion=level)


def _outside(source: Path) -> list[Path]:
    text = FENCE.sub("", source.read_text(encoding="utf-8"))
    targets = [(source.parent / match[2]).resolve() for match in LINK.finditer(text)]
    return [
        _file(target)
        for target in targets
        if target.exists() and target.is_relative_to(ROOT) and not _in_docs(target)
    ]


def _in_docs(path: Path) -> bool:
    return path.is_relative_to(ROOT / "docs")


def _file(target: Path) -> Path:
    """A folder stands for its README, or for itself."""
    readme = target / "README.md"
    return readme if target.is_dir() and readme.exists() else target


def _place(source: Path) -> str:
    path = source.relative_to(ROOT).as_posix()
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return PLACES.get(path) or f"files/{path.removesuffix('.md')}.md"


def _source(place: str) -> Path:
    """The file that a page is made of."""
    for path, named in PLACES.items():
        if named == place and path != "README.md":
            return ROOT / path
    if not place.startswith("files/"):
        return ROOT / "docs" / place
    path = ROOT / place.removeprefix("files/")
    return path if path.exists() else path.with_suffix("")


def _page(source: Path) -> str:
    if source.suffix == ".md":
        return source.read_text(encoding="utf-8")
    title = f"# {source.relative_to(ROOT).as_posix()}\n\n"
    if source.is_dir():
        return title + "".join(f"- `{path.name}`\n" for path in sorted(source.iterdir()))
    text = source.read_text(encoding="utf-8")
    return f"{title}````{LANGUAGES.get(source.suffix, 'text')}\n{text.rstrip()}\n````\n"


def _in_prose(markdown: str, change: Any) -> str:
    return "".join(part if part.startswith("```") else change(part) for part in FENCE.split(markdown))
