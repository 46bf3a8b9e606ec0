"""What a prompt says of the format that a table is written in, for designs that explain it.

After SUC's "format explanation" (Sui et al., WSDM 2024, section 5.2.1), in words of the project's own. A
plugin's serializer says its own in an attribute ``explanation``.
"""

from __future__ import annotations

from ..tables import serializers

_EXPLANATIONS = {
    "canonical_csv": (
        "Each line is a row of the table, with commas between its cells. A heading over several "
        "columns stands above the first of them, and the places it covers otherwise are empty."
    ),
    "concat": ("All cells stand one after another, row by row, the header first."),
    "csv": (
        "Each line is a row of the table, with commas between its cells; the header comes first. A "
        "cell that holds a comma or a quotation mark stands in quotation marks. A comment above the "
        "table says what lines cannot show, such as merged cells."
    ),
    "df": (
        "The table is built by Python code: a data frame of pandas, made of lists of the values of "
        "its columns or its rows."
    ),
    "html": (
        "The element table holds the table, tr a row, th a cell of the header and td any other cell; "
        "rowspan and colspan say over how many rows and columns a merged cell reaches."
    ),
    "indexed_row_major": (
        "The header comes first, after the word col; then the rows, each after its number, which "
        "begins at 1, and with bars between its cells."
    ),
    "json": (
        "The table is a JSON list of its rows; each row is an object with the columns' names as keys. "
        "Where that is not enough, it is an object that has the rows beside what else there is: a "
        "title, the header, and merged cells, each as the range that it covers in a spreadsheet, "
        "where A1 is the cell at the top left."
    ),
    "json_nested": (
        "The table is JSON in which headings are keys, those of a lower level within those above."
    ),
    "latex": (
        "The table is a LaTeX tabular: & stands between the cells of a row, and two backslashes end "
        "it; multicolumn and multirow make merged cells."
    ),
    "markdown": (
        "Each line is a row of the table, with bars between its cells; the header comes first, with a "
        "line of hyphens below. A comment above the table says what a grid cannot show, such as "
        "merged cells."
    ),
    "markdown_paths": (
        "Each line is a row of the table, with bars between its cells. Each heading stands with those "
        "above it, a slash between them."
    ),
    "nl_sep": (
        "Each line is a row of the table, with bars between its cells; the header comes first. Lines "
        "that begin with # say what rows cannot show, such as a title or merged cells."
    ),
    "xml": (
        "The element table holds the table and row each of its rows; head is a cell of the header and "
        "cell any other one; rowspan and colspan say over how many rows and columns a merged cell "
        "reaches."
    ),
    "torr.json": (
        "The table is a JSON object with an object for each row, by its number, which begins at 0; "
        "its keys are the columns' names."
    ),
    "torr.csv": ("Each line is a row of the table, with commas between its cells; the header comes first."),
    "torr.html": (
        "The element table holds the table, tr a row, th a cell of the header and td any other cell."
    ),
    "torr.markdown": (
        "Each line is a row of the table, with bars between its cells; the header comes first, with a "
        "line of hyphens below."
    ),
}


def explanation(serializer: str) -> str:
    """What is to be said of a format; empty where nothing is known of it, as of a picture.

    ``torr.json`` is explained as ``json`` is, where nothing is said of it alone.

    Raises:
        UnknownNameError: no such serializer.
    """
    own = getattr(serializers.get(serializer), "explanation", "")
    if isinstance(own, str) and own:
        return own
    return _EXPLANATIONS.get(serializer) or _EXPLANATIONS.get(serializer.removeprefix("torr."), "")
