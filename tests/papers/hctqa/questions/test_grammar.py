"""The grammar of question templates."""

from __future__ import annotations

import pytest

from torr_plugin.papers.hctqa.generator.grammar import (
    Group,
    Reserved,
    TemplateError,
    Unless,
    Words,
    lead,
    parse,
    with_attributes,
)
from torr_plugin.papers.hctqa.generator.wording import say_tree

NAMES = ("Gender", "Nationality", "Quarter", "Year", "Type of pollution", "Type", "School type")


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("x of_$Gender_students", {"Gender": "Male"}, "x of Male students"),
        ("x of_$Gender_students", {}, "x"),
        ("x of__$Nationality__$Gender__students", {"Gender": "Male"}, "x of Male students"),
        ("x of__$Nationality__$Gender__students", {"Gender": "a", "Nationality": "b"}, "x of b a students"),
        ("x of__$Nationality__$Gender__students", {}, "x"),
        ("x in__$Quarter==of==$Year", {"Quarter": "Q1", "Year": "2018"}, "x in Q1 of 2018"),
        ("x in__$Quarter==of==$Year", {"Year": "2018"}, "x in 2018"),
        ("x in__$Quarter==of==$Year", {"Quarter": "Q1"}, "x in Q1"),
        ("x in__$Quarter==,==$Year", {"Quarter": "Q1", "Year": "2018"}, "x in Q1, 2018"),
        ("x of_((students)) of__$Gender__students", {}, "x of students"),
        ("x of_((students)) of__$Gender__students", {"Gender": "Male"}, "x of Male students"),
        ("x of_$Type_of_pollution_pollution", {"Type of pollution": "Light"}, "x of Light pollution"),
        ("x in_$School_type_schools", {"School type": "Private"}, "x in Private schools"),
        ("x of_$GENDER", {"Gender": "Male"}, "x of Male"),
        ("x for_all_$gender_here", {"Gender": "Male"}, "x for all Male here"),
        ("numbers_of_days  with_$Type", {"Type": "a"}, "numbers of days with a"),
        ("half/full price", {}, "half/full price"),
    ],
)
def test_a_template_says_what_it_should(text: str, values: dict[str, str], expected: str) -> None:
    assert say_tree(parse(text, NAMES), [values]) == expected


def test_places_keep_their_alternatives() -> None:
    tree = parse("What is/are_the_$EXPR_amount//amounts $GROUPBY ?", NAMES)
    assert tree == (
        Words("What"),
        Reserved("EXPR", (("is", "are"), ("the", "the")), (("amount", "amounts"),)),
        Reserved("GROUPBY", (), ()),
        Words("?"),
    )


def test_the_papers_other_spelling_of_a_place_is_read() -> None:
    assert parse("x the_$OPPATTR_for_which", NAMES) == parse("x the_$OPATTR_for_which", NAMES)


@pytest.mark.parametrize(
    ("text", "said_in_message"),
    [
        ("", "empty"),
        ("$Gender of", "begins with '$Gender'"),
        ("x of_((students", "((word))"),
        ("x of_students))", "((word))"),
        ("x of_(($Gender))", "no $"),
        ("x of_$Gendr_students", "did you mean 'Gender'"),
        ("x the_$EXPRR_y", "did you mean 'EXPR'"),
        ("x $GROUPYB y", "did you mean 'GROUPBY'"),
        ("x in__$Quarter==of", "$A==words==$B"),
        ("x in_$Quarter_$Year", "one $Attribute"),
        ("x $TOPK_$Year", "no other $"),
    ],
)
def test_what_breaks_the_grammar_is_said(text: str, said_in_message: str) -> None:
    with pytest.raises(TemplateError) as raised:
        parse(text, NAMES)
    assert said_in_message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_attribute_that_a_template_leaves_out_is_said_at_its_end() -> None:
    tree = with_attributes(parse("x of_$Gender in_$Year ?", NAMES), ("Gender", "Nationality", "Year"))
    values = {"Gender": "Male", "Year": "2018", "Nationality": "Qatari"}
    assert say_tree(tree, [values]) == "x of Male in 2018 with Nationality Qatari ?"


def test_the_words_that_lead_to_an_attribute() -> None:
    tree = parse("x of__$Nationality__$Gender__students in_$School_type_schools", NAMES)
    assert [lead(tree, name) for name in ("Nationality", "Gender", "School type", "Year")] == [
        "of",
        "of",
        "in",
        "",
    ]
    assert isinstance(parse("x of_((students))", NAMES)[1], Unless)
    assert isinstance(tree[1], Group)
