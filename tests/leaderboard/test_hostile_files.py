"""The files of a site of hostile texts, without a browser: what they hold, and what they are called."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.theming import find_theme

from .hostile import AWAY, HTML
from .hostile_run import DATASETS, IN_SECTIONS, MODELS, SECTIONS
from .pages import read, read_script

pytestmark = pytest.mark.full

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def files(site: Path, suffix: str) -> list[Path]:
    found = sorted(site.rglob(f"*.{suffix}"))
    assert found, "there is nothing to look at"
    return found


def relative(site: Path) -> list[PurePosixPath]:
    return [PurePosixPath(path.relative_to(site).as_posix()) for path in site.rglob("*") if path.is_file()]


def addresses(page: Path) -> list[str]:
    """All but the one that a plugin's section made of hostile words itself: a place on its own page."""
    found = read(page)
    return [
        each
        for each in found.attributes("href") + found.attributes("src")
        if not each.startswith("#" + IN_SECTIONS[:99])
    ]


def test_every_model_and_data_set_has_its_page(hostile_site: Path) -> None:
    found = relative(hostile_site)
    assert sum(path.parent.name == "models" and path.suffix == ".html" for path in found) == len(MODELS)
    assert sum(path.parent.name == "datasets" and path.suffix == ".html" for path in found) == len(DATASETS)


def test_names_of_files_are_plain_on_every_system(hostile_site: Path) -> None:
    paths = relative(hostile_site)
    assert len(paths) > 50
    for path in paths:
        for part in path.parts:
            assert NAME.fullmatch(part), path
            assert not RESERVED.match(part), path
            assert not part.endswith("."), path
            assert len(part) <= 80, path
        assert len(str(path)) <= 180, path
    lower = [str(path).lower() for path in paths]
    assert len(set(lower)) == len(lower), "names that differ in capitals alone are one on some disks"


def test_nothing_is_written_outside(hostile_site: Path) -> None:
    assert {path.name for path in hostile_site.parent.iterdir()} == {"run", "site"}


def test_pages_have_our_elements_alone(hostile_site: Path) -> None:
    for path in files(hostile_site, "html"):
        page, source = read(path), path.read_text(encoding="utf-8")
        assert page.problems == [], path
        for tag, attrs in page.tags:
            assert tag not in ("iframe", "object", "embed", "base", "style", "template", "math"), path
            assert not [name for name in attrs if name.startswith("on") or name in ("style", "srcdoc")], (
                path,
                attrs,
            )
            assert not (tag == "form" and "action" in attrs), path
            if tag == "script":
                assert attrs.get("type") == "application/json" or (attrs["src"] or "").startswith(
                    ("assets/", "../assets/", "../../assets/")
                ), (path, attrs)
            if tag == "meta":
                assert set(attrs) <= {"charset", "name", "property", "content", "http-equiv"}, (path, attrs)
                assert (attrs.get("property") or "og:").startswith("og:"), (path, attrs)
                assert attrs.get("http-equiv") in (None, "Content-Security-Policy"), path
        assert not any(text in source for text in HTML if text.startswith("<") and len(text) > 12), path
        assert not {"\x00", "\u202e", "\u2066", "\x1b"} & set(source), path


def test_addresses_lead_to_files_of_the_site(hostile_site: Path) -> None:
    for path in files(hostile_site, "html"):
        for address in addresses(path):
            parts = urlsplit(address)
            assert not parts.scheme, (path, address)
            assert not parts.netloc, (path, address)
            assert not re.search(r"[\s\"'<>\\]", address), (path, address)
            if parts.path:
                file = (path.parent / unquote(parts.path)).resolve()
                assert file.is_file(), (path, address)
                assert file.is_relative_to(hostile_site.resolve()), (path, address)


def test_scripts_of_data_are_one_call_of_their_own_path(hostile_site: Path) -> None:
    for path in files(hostile_site / "data", "js"):
        said, _ = read_script(path.read_bytes())
        assert said == path.relative_to(hostile_site).as_posix()


def test_embedded_data_are_json(hostile_site: Path) -> None:
    embedded = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)
    found = 0
    for path in files(hostile_site, "html"):
        for text in embedded.findall(path.read_text(encoding="utf-8")):
            json.loads(text)
            assert "<" not in text
            found += 1
    assert found > 2


def test_pictures_are_drawings_and_nothing_more(hostile_site: Path) -> None:
    """Of the whole site; the charts of an analysis by themselves are ``tests/analysis/test_charts.py``."""
    found = files(hostile_site, "svg")
    assert len(found) > len(SECTIONS)
    for path in found:
        for element in ET.fromstring(path.read_bytes()).iter():
            tag = element.tag.rpartition("}")[2].lower()
            assert tag not in ("script", "foreignobject", "iframe", "image", "animate", "set", "a"), path
            for name, value in element.attrib.items():
                plain = name.rpartition("}")[2].lower()
                assert not plain.startswith("on"), (path, name)
                assert plain != "href" or value.startswith("#"), (path, value)
                assert "url(" not in value.replace(" ", "") or "url(#" in value or plain.startswith("aria"), (
                    path,
                    value,
                )


def test_what_should_be_json_is(hostile_site: Path) -> None:
    for path in files(hostile_site, "json"):
        json.loads(path.read_text(encoding="utf-8"))


def test_sections_of_plugins_are_shown(hostile_site: Path) -> None:
    assert {f"section-{name}" for name in SECTIONS} <= set(read(hostile_site / "index.html").attributes("id"))


def test_no_address_of_the_network_is_an_attribute_or_style(hostile_site: Path) -> None:
    for path in files(hostile_site, "css"):
        assert not re.search(r"https?:|@import|url\((?!data:)", path.read_text(encoding="utf-8")), path
    for path in files(hostile_site, "html"):
        # within a link of ours to a chosen pair a name stands behind the #, and leads nowhere
        found = [address.partition("#")[0] for address in addresses(path)]
        assert found, path
        assert not [address for address in found if AWAY.partition("//")[2] in address], path


def test_a_scores_file_may_be_called_anything(tmp_path: Path) -> None:
    names = ["<img src=x onerror=window.pwned=1>.csv", "\"' onload='x.csv", "{{ 7 * 7 }}.csv", "con.csv"]
    rows = [
        {"model": m, "dataset": "d", "config": c, "example": e, "metric": "f1", "score": len(m + c + e) % 2}
        for m in ("a", "bb")
        for c in ("c", "cc")
        for e in ("e", "ee")
    ]
    for name in names:
        pd.DataFrame(rows).to_csv(tmp_path / name, index=False)
    index = build_site([tmp_path / name for name in names], tmp_path / "site", charts=False)
    for path in relative(index.parent):
        assert all(NAME.fullmatch(part) and not RESERVED.match(part) for part in path.parts), path
    for each in index.parent.rglob("*.html"):
        page = read(each)
        assert page.problems == [], each
        assert not [key for _, attrs in page.tags for key in attrs if key.startswith("on")], each
    assert all(name.removesuffix(".csv") in read(index).text for name in names)


@pytest.mark.parametrize("name", [*HTML[:3], "../../../up", "a\x00b", "__proto__", "x" * 400, "\ud800"])
def test_no_theme_is_called_like_that(name: str) -> None:
    with pytest.raises(RunError) as raised:
        find_theme(name)
    assert "\n" not in str(raised.value)
