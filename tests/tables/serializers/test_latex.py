"""What LaTeX tables look like, and that no text in them is a command."""

from __future__ import annotations

from torr_plugin.tables import Table, serializers

from .test_formats import ODD

latex = serializers.get("latex")


def test_looks() -> None:
    assert latex.serialize(ODD) == (
        "\\begin{tabular}{ll}\n\\toprule\na|b & c \\\\\n\\midrule\n"
        '\\makecell{x\\\\y} & <b> \\& "q" \\\\\n\\#1, 2 & \\textbackslash{} \\\\\n'
        "\\bottomrule\n\\end{tabular}"
    )


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
