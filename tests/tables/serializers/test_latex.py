"""What LaTeX tables look like, and that no text in them is a command."""

from __future__ import annotations

import pytest

from torr_plugin.tables import Table, serializers

from .test_formats import DEEP, ODD, PLAIN

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


def test_every_special_character_is_escaped() -> None:
    table = Table.flat(["\\{}$&#^_~%", "--- `` ''"], [["[1]", "* x"], [" a  b ", "\u00a0\t\x85"]])
    text = latex.serialize(table)
    assert "\\textbackslash{}\\{\\}\\$\\&\\#\\textasciicircum{}\\_\\textasciitilde{}\\%" in text
    assert "-{}-{}- `{}` '{}'" in text
    assert "{[}1] & {*} x \\\\" in text
    assert '\\ a\\ \\ b\\  & ~\\symbol{"09}\\symbol{"85} \\\\' in text


def test_no_line_of_a_cell_can_be_a_command() -> None:
    nasty = "\\end{tabular}\\input{/etc/passwd}%\n\\\\ & \\write18{x}"
    text = latex.serialize(Table.flat([nasty], [[nasty]], title=nasty, notes=[nasty]))
    assert "\\input" not in text.replace("\\textbackslash{}", "")
    assert text.count("\\end{tabular}") == 1
