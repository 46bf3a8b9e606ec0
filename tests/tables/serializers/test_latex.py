"""What LaTeX tables look like, what the world's are read as, and that hostile ones are bounded."""

# ruff: noqa: E501, RUF001 - LaTeX as it is met

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, ParseError, Table, serializers

from ...timing import quickly
from .test_formats import DEEP, ODD, PLAIN
from .test_round_trip import refusal

latex = serializers.get("latex")

EXPECTED = {
    "plain": (
        PLAIN,
        "\\begin{tabular}{lr}\n\\toprule\nName & Age \\\\\n\\midrule\nSophia & 26 \\\\\nBo & 31 \\\\\n"
        "\\bottomrule\n\\end{tabular}",
    ),
    "odd": (
        ODD,
        "\\begin{tabular}{ll}\n\\toprule\na|b & c \\\\\n\\midrule\n"
        '\\makecell{x\\\\y} & <b> \\& "q" \\\\\n\\#1, 2 & \\textbackslash{} \\\\\n'
        "\\bottomrule\n\\end{tabular}",
    ),
    "deep": (
        DEEP,
        "% header columns: 1\n\\begin{table}\n\\centering\n\\begin{threeparttable}\n\\caption{Visitors}\n"
        "\\begin{tabular}{lrr}\n\\toprule\n\\multirow{2}{*}{City} & \\multicolumn{2}{c}{2019} \\\\\n"
        " & m & f \\\\\n\\midrule\nOslo & 1 & 2 \\\\\n\\bottomrule\n\\end{tabular}\n"
        "\\begin{tablenotes}\n\\item preliminary\n\\end{tablenotes}\n\\end{threeparttable}\n\\end{table}",
    ),
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_looks(kind: str) -> None:
    table, text = EXPECTED[kind]
    assert latex.serialize(table) == text
    assert latex.parse(text) == table


def test_every_special_character_is_escaped() -> None:
    table = Table.flat(["\\{}$&#^_~%", "--- `` ''"], [["[1]", "* x"], [" a  b ", "\u00a0\t\x85"]])
    text = latex.serialize(table)
    assert "\\textbackslash{}\\{\\}\\$\\&\\#\\textasciicircum{}\\_\\textasciitilde{}\\%" in text
    assert "-{}-{}- `{}` '{}'" in text
    assert "{[}1] & {*} x \\\\" in text
    assert '\\ a\\ \\ b\\  & ~\\symbol{"09}\\symbol{"85} \\\\' in text
    assert latex.parse(text) == table


def test_no_line_of_a_cell_can_be_a_command() -> None:
    nasty = "\\end{tabular}\\input{/etc/passwd}%\n\\\\ & \\write18{x}"
    text = latex.serialize(Table.flat([nasty], [[nasty]], title=nasty, notes=[nasty]))
    assert "\\input" not in text.replace("\\textbackslash{}", "")
    assert text.count("\\end{tabular}") == 1
    assert latex.parse(text) == Table.flat([nasty], [[nasty]], title=nasty, notes=[nasty])


def table(header: list[str], *rows: list[str]) -> Table:
    return Table.flat(header, rows)


WORLD = {
    "hline after every row": (
        r"\begin{tabular}{|l|c|}\hline a & b \\\hline 1 & 2 \\ \hline 3&4\\\hline\end{tabular}",
        table(["a", "b"], ["1", "2"], ["3", "4"]),
    ),
    "no rule between rows": (
        r"\begin{tabular}{lc} a & b \\ 1 & 2 \end{tabular}",
        table(["a", "b"], ["1", "2"]).replace(header_rows=0),
    ),
    "looks and comments": (
        "\\begin{tabular}[t]{@{}l>{\\bfseries}r@{}} % the columns\n\\toprule[1pt]\n"
        "\\textbf{a} & {\\bf b\\% c} \\\\[2pt] % \\hline\n\\cmidrule(lr){1-2}\\midrule\n"
        "\\rowcolor{gray!10} \\emph{\\textcolor{red}{x}} & $-1.5 \\pm 0.1$ \\\\*\n\\bottomrule\\end{tabular}",
        table(["a", "b% c"], ["x", "-1.5 ± 0.1"]),
    ),
    "merged": (
        "\\begin{tabular}{l|c|c}\n\\hline\n\\multirow[t]{2}{*}{Kind} & \\multicolumn{2}{c|}{\\textbf{Year}} "
        "\\\\ \\cline{2-3}\n & 2019 & 2020 \\\\ \\hline\nx & 1 & 2 \\\\\n\\end{tabular}",
        Table(
            (
                (Cell("Kind", 2), Cell("Year", 1, 2)),
                (Cell("2019"), Cell("2020")),
                (Cell("x"), Cell("1"), Cell("2")),
            ),
            header_rows=2,
        ),
    ),
    "merged upwards": (
        "\\begin{tabular}{ll} a & b \\\\ \\hline & 1 \\\\ \\multirow{-2}{*}{x} & 2 \\\\ \\end{tabular}",
        Table(((Cell("a"), Cell("b")), (Cell("x", 2), Cell("1")), (Cell("2"),))),
    ),
    "merged over text": (
        "\\begin{tabular}{ll} a & b \\\\ \\hline \\multirow{3}{*}{x} & 1 \\\\ & 2 \\\\ y & 3 \\\\ \\end{tabular}",
        Table(
            (
                (Cell("a"), Cell("b")),
                (Cell("x", 2), Cell("1")),
                (Cell("2"),),
                (Cell("y"), Cell("3")),
            )
        ),
    ),
    "merged too far": (
        r"\begin{tabular}{ll} a & b \\ \hline \multirow{9}{*}{x} & 1 \\ \end{tabular}",
        table(["a", "b"], ["x", "1"]),
    ),
    "merged both ways": (
        r"\begin{tabular}{lll}\hline \multicolumn{2}{c}{\multirow{2}{*}{x}} & 1 \\ & & 2 \\ \end{tabular}",
        Table(((Cell("x", 2, 2), Cell("1")), (Cell("2"),)), header_rows=0),
    ),
    "lines in a cell": (
        "\\begin{tabular}{ll}\\thead{Mean \\\\ value} & \\makecell[l]{a\\\\[1ex]b} \\\\\\midrule\n"
        "\\begin{tabular}{@{}c@{}}1\\\\2\\end{tabular} & \\shortstack{3 \\\\ 4}\\\\\\end{tabular}",
        table(["Mean\nvalue", "a\nb"], ["1\n2", "3\n4"]),
    ),
    "short rows": (
        r"\begin{tabular}{lll} a & b & c \\ \hline 1 \\ 2 & 3 \\ \end{tabular}",
        table(["a", "b", "c"], ["1", "", ""], ["2", "3", ""]),
    ),
    "a float with a caption": (
        "Text \\caption{of a figure} \\begin{figure}\\end{figure}\n\\begin{table}[ht]\\centering\n"
        "\\caption[short]{A \\emph{long}\n one~\\cite{x}}\\label{tab:x}\n\\begin{tabular*}{\\textwidth}{ll}\n"
        "a & b\\\\\\hline 1&2\\\\\\end{tabular*}\\end{table}\\begin{table}\\caption{Other}\\end{table}",
        Table.flat(["a", "b"], [["1", "2"]], title="A long one\u00a0x"),
    ),
    "a caption below": (
        "\\begin{table}\\begin{tabularx}{1cm}{lX} a & b\\\\\\hline 1&2\\\\\\end{tabularx}\\caption{T}\\end{table}",
        Table.flat(["a", "b"], [["1", "2"]], title="T"),
    ),
    "a long table": (
        "\\begin{longtable}{ll}\n\\caption{T}\\label{x}\\\\\n\\toprule a & b \\\\ \\midrule \\endfirsthead\n"
        "\\toprule a & b \\\\ \\midrule \\endhead\n\\multicolumn{2}{r}{continued} \\\\ \\endfoot\n"
        "\\bottomrule \\endlastfoot\n1 & 2 \\\\ 3 & 4 \\\\\n\\end{longtable}",
        Table.flat(["a", "b"], [["1", "2"], ["3", "4"]], title="T"),
    ),
    "marks and signs": (
        "\\begin{tabular}{ll} caf\\'e & Universit\\\"{a}t \\\\\\hline \\c{C}a \\v Skoda \\i & "
        "``x'' -- \\alpha\\ldots{} 50\\,\\% \\^{} \\~{} \\textdegree C \\\\\\end{tabular}",
        table(["café", "Universität"], ["Ça Škoda ı", "“x” – α… 50 % ^ ~ °C"]),
    ),
    "not LaTeX at heart": (
        "\\begin{tabular}{ll} path & n \\\\ \\hline C:\\temp & 5 \\\\ [1] & \\unknown{6} \\\\",
        table(["path", "n"], ["C:\\temp", "5"], ["[1]", "6"]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WORLD)
def test_real_world_latex(kind: str) -> None:
    text, expected = WORLD[kind]
    assert latex.parse(text) == expected


def test_notes_are_the_items_below_the_table() -> None:
    text = (
        "\\begin{table}\\begin{threeparttable}\\begin{tabular}{l}a\\\\\\hline 1\\\\\\end{tabular}"
        "\\begin{tablenotes}\\small\n\\item[a] First. \\item Second\\\\line\\end{tablenotes}\\end{threeparttable}"
        "\\end{table}"
    )
    assert latex.parse(text).notes == ("[a] First.", "Second\nline")


def test_pandas_latex_is_read() -> None:
    import pandas as pd

    columns = pd.MultiIndex.from_tuples([("2019", "m"), ("2019", "f")])
    index = pd.MultiIndex.from_tuples([("Oslo", "a_b"), ("Oslo", "c")])
    frame = pd.DataFrame([[1, 2], [3, 4]], index=index, columns=columns)
    read = latex.parse(frame.to_latex(escape=True, multirow=True, multicolumn=True))
    assert read.header_rows == 2
    assert [[cell.text for cell in row] for row in read.body] == [
        ["Oslo", "a_b", "1", "2"],
        ["Oslo", "c", "3", "4"],
    ]
    assert (read.grid[2][0].rowspan, read.grid[0][2].colspan) == (2, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a & b", r"latex: the text has no \\begin\{tabular\}; it starts with 'a & b'"),
        (r"\begin{tabular}{l}\hline\end{tabular}", "latex: the table has no rows; expected cells with &"),
        (
            "% header columns: 2\n\\begin{tabular}{ll}a & b \\\\ \\end{tabular}",
            r"latex: the table has no columns beside its 2 header column\(s\) of 2",
        ),
        (
            r"\begin{tabular}{l}\multicolumn{999999999}{c}{x}\\ 1 \\\end{tabular}",
            "latex: the table covers more than 4000002 places",
        ),
        (
            "\\begin{tabular}{l}" + "\\multirow{9000}{*}{\\multicolumn{900}{c}{x}}\\\\" * 9000,
            r"latex: the table covers more than 4009000 places",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=f"^{message}"):
        latex.parse(text)


@pytest.mark.parametrize(
    "piece",
    [
        "{", "}", "[", "\\\\[", "\\multirow{", "\\multirow{9}{*}{", "&", "\\\\", "\\begin{", "\\begin{tabular}",
        "\\begin{table}", "\\caption{", "\\caption", "\\'", "\\hline", "\\cmidrule", "$", "%", "\\item ", "\\",
        "& \\\\ \\multirow{-99999}{*}{x}", "\\multirow{99999}{*}{x} \\\\", "\\endhead", "\\makecell{",
        "\\begin{tablenotes}\\item ", "\\end{tabular}\\begin{tablenotes}\\item ", "\\foo[", "\\label{",
    ],
)  # fmt: skip
def test_hostile_texts_take_no_longer_than_their_length(piece: str) -> None:
    text = "\\begin{table}\\begin{tabular}{l} a " + piece * (30_000 // len(piece))
    assert "\n" not in quickly(lambda: refusal("latex", text), within=60)


PIECES = [
    "\\begin{tabular}{ll}", "\\end{tabular}", "\\multirow", "\\multicolumn", "{2}", "{-2}", "{*}", "{c}", "{x}",
    "{", "}", "[", "]", "&", " & ", "\\\\", "\\hline", "\\midrule", "\\caption", "\\begin{table}", "\\end{table}",
    "\\begin{tablenotes}", "\\item", "% x\n", "\n", " ", "\\'", "\\symbol{\"41}", "\\endhead", "\\makecell", "$",
    "\\symbol{1114112}", "a", "--", "~", "\\", "\\begin", "\\end",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@settings(max_examples=50)
def test_any_heap_of_commands_is_read_or_refused(pieces: list[str]) -> None:
    text = "\\begin{tabular}{ll}" + "".join(pieces)
    reason = refusal("latex", text)
    if reason:
        assert reason.startswith("latex: ")
        assert "\n" not in reason
    else:
        read = latex.parse(text)
        assert latex.parse(latex.serialize(read)) == read
