"""Writes docs/formats.md: ``python -m tests.tables.serializers.formats_page`` after a format has changed."""

# ruff: noqa: E501 - lines of Markdown

from __future__ import annotations

from pathlib import Path

from torr_plugin.tables import Cell, Table, serializers

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"
FLAT = Table.flat(
    ["City", "Founded", "Code"],
    [["Oslo", 1048, "0301"], ["Lyon, FR", None, "a|b"], ["Rio\n(RJ)", 1565, "21"]],
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

Every way to write a table that `torr list serializers` names, on two small tables: one of three columns with a number that is
missing, a comma, a bar and a line break in its cells, and a text of digits (`0301`); and one with two header rows, merged cells, a title
and a note. The page is made from the formats themselves, and a test holds that it stays so. `recipes/formats.yaml` asks twenty of them.
[Your own format](how-to/own-serializer.md) is one object.

## Rules that hold for all

- A format that is read back **without loss** gives the same table for every table (`parse(serialize(table)) == table`); each other one
  says what it loses. Numbers of a data set come back as numbers where the format tells them from texts (JSON, YAML, TOON), and as
  their texts elsewhere.
- **Repeated and empty headers lose no column.** Formats with a key for each cell write lists of values instead where two names are
  equal; those that say each cell with its column's name call a second `Year` `Year (2)`, and one without a name `column 3`.
- **Merged cells and nested headers** are spans in HTML, XML and LaTeX. Grids (CSV, Markdown) have the text in the first place, and list
  the merged places as a spreadsheet would (`B1:C1`). Formats that say each cell with its column's name repeat a merged cell's
  text, and join the headings above a column: `Visitors / 2023`.
- **Line breaks in cells** are `<br>` in HTML and Markdown, further lines in a drawn box and in CSV's quotation marks, `\\\\` in a
  `\\makecell` of LaTeX, a reference in XML, and `\\n` elsewhere.
- **Texts stay texts**: TOON and YAML put `0301` or `no` in quotation marks where it is a text, and not where it is a number. So
  they take more tokens over tables whose numbers are texts, as those of most data sets are.
- `torr.csv`, `torr.df`, `torr.html`, `torr.indexed_row_major`, `torr.json`, `torr.markdown` and `torr.concat` write unitxt's bytes, and
  lose what unitxt loses.

The price in `torr list serializers` is of tokens relative to CSV: over thirty tables of WikiTQ and thirty of HiTab, flattened, and over
the latter with their nested headers, where the folder of `TORR_DATA` has both; else over fifty tables that come with the package. A line
says which. It is an estimate; `--tokenizer NAME_OR_FOLDER` counts by a tokenizer that is on this machine (transformers' `AutoTokenizer`,
without the network).
"""


def page() -> str:
    """The text of docs/formats.md."""
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
