"""Documents of a folder or a mirror, by name; what cannot be read is one line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.document_card import report
from torr_plugin.core.errors import DataError
from torr_plugin.question_writing.document_questions.document_files import canonical_html
from torr_plugin.tables.documents import read_filing, to_html

PAGE = "<h1>A</h1><table><tr><th>x</th><th>y</th></tr><tr><td>{}</td><td>8</td></tr></table>"


def names(place: Path) -> list[str]:
    return [name for name, _ in canonical_html(place)]


def test_files_of_a_folder_are_read_by_their_endings(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.HTM").write_text(PAGE.format(1))
    (tmp_path / "a.md").write_text("# A\n\n| x | y |\n|---|---|\n| 1 | 2 |\n")
    (tmp_path / "c.json").write_text(report(0).to_json())
    (tmp_path / "notes.txt").write_text("no document")
    (tmp_path / ".hidden.html").write_text(PAGE.format(2))
    found = dict(canonical_html(tmp_path))
    assert {name: html.count("<table") for name, html in found.items()} == {"a": 1, "c": 3, "in/b": 1}
    assert found["c"] == to_html(report(0))


def test_a_mirror_is_read_as_cards_read_it(tmp_path: Path) -> None:
    (tmp_path / "tablequest").mkdir()
    file = tmp_path / "tablequest" / "documents.parquet"
    pages = [to_html(report(number)) for number in range(3)]
    pd.DataFrame({"path": ["a.html", "b", "acme v1.2"], "content": pages}).to_parquet(file)
    assert names(tmp_path) == names(file) == ["a", "b", "acme v1.2"]
    read = read_filing(dict(canonical_html(file))["b"]).tables
    assert [table.rows for table in read] == [table.rows for table in report(1).tables]


def test_what_is_no_document_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere: no such file or folder; expected a folder with HTML"):
        names(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no documents; expected HTML, Markdown or JSON files"):
        names(tmp_path)
    (tmp_path / "a.html").write_text(PAGE.format(1))
    (tmp_path / "a.md").write_text("| x |\n|---|\n| 1 |\n")
    with pytest.raises(DataError, match=r"a\.html and a\.md are both called 'a'; rename one of them"):
        names(tmp_path)
    (tmp_path / "a.md").rename(tmp_path / "b.json")
    with pytest.raises(DataError, match=r"b\.json: document: no JSON"):
        names(tmp_path)


@pytest.mark.parametrize("name", ["<b>.html", "-.html", "a|b.html", "$ /a.html"])
def test_a_name_that_no_card_takes_is_said_before_anything_is_asked(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(PAGE.format(1))
    with pytest.raises(DataError, match="cards cannot read a file of this name; rename it"):
        names(tmp_path)


def test_names_of_people_are_taken(tmp_path: Path) -> None:
    for name in ("Acme (2023).html", "A&B, Inc..html", "Größe.html"):
        (tmp_path / name).write_text(PAGE.format(1))
    assert names(tmp_path) == ["A&B, Inc.", "Acme (2023)", "Größe"]


def test_what_is_no_file_of_documents_is_said(tmp_path: Path) -> None:
    path = tmp_path / "documents.parquet"
    path.write_text("no parquet")
    with pytest.raises(DataError, match=r"documents\.parquet: cannot be read: "):
        names(path)
    pd.DataFrame({"path": ["a"]}).to_parquet(path)
    with pytest.raises(DataError, match=r"parquet: expected the columns path and content"):
        names(path)
    pd.DataFrame({"path": ["a"], "content": [None]}).to_parquet(path)
    with pytest.raises(DataError, match="expected the columns path and content, with texts"):
        names(path)
