"""Writes docs/reference/formats.md: ``python -m tests.tables.serializers.formats_page`` after a format has changed."""

# ruff: noqa: E501 - lines of Markdown

from __future__ import annotations

from pathlib import Path

from torr_plugin.tables import Cell, Table, serializers

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "formats.md"
FLAT = Table.flat(
    ["City", "Founded", "Code"],
    [["Oslo, NO", 1048, "0301"], ["Rio\n(RJ)", None, "a|b"]],
)
NESTED = Table(
    (
        (Cell("City", 2), Cell("Visitors", 1, 2)),
        (Cell("2023"), Cell("2024")),
        (Cell("Oslo"), Cell.of(12), Cell.of(15)),
        (Cell("Lyon"), Cell("not counted", 1, 2)),
    ),
    header_rows=2,
    header_columns=1,
    title="Museums",
    notes=("in thousands",),
)

BEGINNING = """\
# Formats

Every way to write a table that `torr list serializers` names, on two small tables: a flat one, and one with two
header rows, merged cells, a title and a note. The page is made from the formats themselves, and a test holds that it
stays so. `recipes/formats.yaml` asks twenty of them; [your own format](../plugins.md#a-format) is one object.

- A format that is read back **without loss** gives the same table for every table (`parse(serialize(table)) ==
  table`); each other one says what it loses. Numbers of a data set come back as numbers where the format tells them
  from texts (JSON, YAML, TOON), which put a text such as `0301` in quotation marks.
- **Repeated and empty headers lose no column**: keyed formats write lists where names are equal; those that say each
  cell with its column's name call a second `Year` `Year (2)`, one without a name `column 3`.
- **Merged cells and nested headers** are spans in HTML, XML and LaTeX; grids list the merged places as a spreadsheet
  would (`B1:C1`); formats that name each cell join the headings: `Visitors / 2023`.
- `torr.*` write unitxt's bytes, and lose what unitxt loses.

`torr list serializers` has each format's tokens beside CSV's, over thirty tables of WikiTQ and thirty of HiTab where
`TORR_DATA` has them, else over fifty that come with the package: an estimate, or exact with `--tokenizer
NAME_OR_FOLDER`.
"""


def page() -> str:
    """The text of docs/reference/formats.md."""
    parts = [BEGINNING]
    for name in serializers.text_names():
        serializer = serializers.get(name)
        says = "Read back without loss." if serializer.lossless else f"Loses {serializer.loses}."
        written = [serializer.serialize(table) for table in (FLAT, NESTED)]
        fences = [f"```text\n{text}\n```\n" for text in written]
        parts.append("\n".join([f"## {name}\n", f"{says}\n", *fences]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
