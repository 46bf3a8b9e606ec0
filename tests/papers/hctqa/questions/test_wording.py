"""What is said: products, nested values, values that need their parents, values that look like lists."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.papers.hctqa.generator.grammar import lead, parse, with_attributes
from torr_plugin.papers.hctqa.generator.instance import HctInstance, TableAxis
from torr_plugin.papers.hctqa.generator.layout.relational import relational
from torr_plugin.papers.hctqa.generator.question_kinds import Comparison, QuestionPlan, QuestionSubject
from torr_plugin.papers.hctqa.generator.question_selection import products
from torr_plugin.papers.hctqa.generator.questions import questions
from torr_plugin.papers.hctqa.generator.sql import SqlEngine, write_sql
from torr_plugin.papers.hctqa.generator.wording import write_question

from .subjects import instance, template

ATTRIBUTES = ("Import-Export", "Year", "Category", "Item")


def _said(plan: QuestionPlan, key: str | None = None) -> str:
    own = template()
    return write_question(plan, own, own.texts[key or f"template_{min(plan.kind, 14)}"][0], ATTRIBUTES)


def _answer(own: HctInstance, sql: str) -> str:
    with SqlEngine(relational(own)) as engine:
        return engine.answer(sql)


SUBJECT = QuestionSubject(instance(), template())
EXPORT_2017 = SUBJECT.columns.part([("Export", "2017")])
DAIRY = SUBJECT.rows.part([("Dairy",)])
MILK = SUBJECT.rows.part([("Dairy", "Milk")])
L = [("Import", "2017"), ("Export", "2017"), ("Export", "2018")]


@pytest.mark.parametrize(
    ("plan", "sentence", "sql", "answer"),
    [
        (
            QuestionPlan(1, EXPORT_2017, MILK),
            "What is the amount of Export of Milk in 2017?",
            "SELECT Value FROM DBdata WHERE ((Import_Export = 'Export' AND Year = '2017')) "
            "AND ((Category = 'Dairy' AND Item = 'Milk'))",
            "{7}",
        ),
        (
            QuestionPlan(3, SUBJECT.columns.part(L), MILK),
            "What is the amount of Export of Milk in 2018 or of Export or Import of Milk in 2017?",
            "SELECT Value FROM DBdata WHERE ((Import_Export = 'Import' AND Year = '2017') OR "
            "(Import_Export = 'Export' AND Year = '2017') OR (Import_Export = 'Export' AND Year = '2018')) "
            "AND ((Category = 'Dairy' AND Item = 'Milk'))",
            "{1} || {7} || {10}",
        ),
        (
            QuestionPlan(7, EXPORT_2017, DAIRY, ("sum", "min")),
            "What are the total and minimum amounts of Export of Dairy in 2017?",
            "SELECT sum(Value),min(Value) FROM DBdata WHERE ((Import_Export = 'Export' AND Year = '2017')) "
            "AND (Category IN ('Dairy'))",
            "{24 | 7}",
        ),
        (
            QuestionPlan(10, EXPORT_2017, DAIRY, ("avg",), ("Category",), ("Category",)),
            "What is the average amount for each Category, of Export of Dairy in 2017? "
            "Please, report the corresponding Category.",
            "SELECT Category,avg(Value) FROM DBdata WHERE ((Import_Export = 'Export' AND Year = '2017')) "
            "AND (Category IN ('Dairy')) GROUP BY Category",
            "{Dairy | 12}",
        ),
        (
            QuestionPlan(
                12, EXPORT_2017, SUBJECT.rows.part([("Dairy",), ("Beverage",)]), direction="ASC", limit=2
            ),
            "What are the bottom 2 amounts of Export of Beverage or Dairy in 2017?",
            "SELECT Value FROM DBdata WHERE ((Import_Export = 'Export' AND Year = '2017')) "
            "AND (Category IN ('Dairy','Beverage')) ORDER BY Value ASC LIMIT 2",
            "{7} || {17}",
        ),
        (
            QuestionPlan(13, EXPORT_2017, DAIRY, direction="DESC"),
            "What are the amounts ordered by decreasing values of Export of Dairy in 2017?",
            "SELECT Value FROM DBdata WHERE ((Import_Export = 'Export' AND Year = '2017')) "
            "AND (Category IN ('Dairy')) ORDER BY Value DESC",
            "{17} || {7}",
        ),
        (
            QuestionPlan(
                15,
                SUBJECT.columns.part([("Import", "2018")]),
                reported=("Category", "Item"),
                comparison=Comparison(EXPORT_2017, ">", Decimal("7.5")),
            ),
            "What is the amount of Import in 2018 of Category and of Item for which the amount of Export in "
            "2017 is greater than 7.5? Please, report the corresponding Category, Item, and amount of trade.",
            "SELECT Category,Item,Value FROM DBdata WHERE ((Import_Export = 'Import' AND Year = '2018')) AND "
            "(Category,Item) IN (SELECT Category,Item FROM DBdata WHERE ((Import_Export = 'Export' AND "
            "Year = '2017')) AND Value > 7.5)",
            "{Dairy | Butter | 14} || {Beverage | Tea | 24}",
        ),
    ],
)
def test_a_plan_is_said_written_and_answered(
    plan: QuestionPlan, sentence: str, sql: str, answer: str
) -> None:
    assert _said(plan) == sentence
    assert write_sql(plan) == sql
    assert _answer(instance(), sql) == answer


def test_a_value_of_two_parents_is_said_with_its_parent() -> None:
    rows = TableAxis(
        ("Category", "Item"), ((0, 1),), (("Dairy", "Other"), ("Meat", "Other"), ("Meat", "Beef"))
    )
    subject = QuestionSubject(instance(rows=rows), template())
    columns = subject.columns.part([("Export", "2017")])
    assert _said(QuestionPlan(1, columns, subject.rows.part([("Meat", "Beef")]))).count("Meat") == 0
    question = _said(QuestionPlan(2, columns, subject.rows.part([("Dairy", "Other"), ("Meat", "Other")])))
    assert question == "What is the amount of Export of Other Dairy or Meat in 2017?"


def test_a_value_that_looks_like_a_list_is_quoted() -> None:
    rows = TableAxis(
        ("Category", "Item"), ((0, 1),), (("Hot", "Tea or coffee"), ("Hot", 'Milk, "raw"'), ("Hot", "O'Hara"))
    )
    own = instance(rows=rows)
    subject = QuestionSubject(own, template())
    plan = QuestionPlan(2, subject.columns.part([("Export", "2017")]), subject.rows.part(rows.leaves))
    assert (
        _said(plan)
        == """What is the amount of Export of "Milk, 'raw'", O'Hara, or "Tea or coffee" in 2017?"""
    )
    assert _answer(own, write_sql(plan)) == "{7} || {17} || {27}"


def test_an_attribute_whose_name_is_a_word_of_sql_is_quoted() -> None:
    rows = TableAxis(("Group", "2nd"), ((0,), (1,)), (("a", "x"), ("a", "y"), ("b", "x")))
    own = instance(rows=rows)
    subject = QuestionSubject(own, template())
    sql = write_sql(
        QuestionPlan(2, subject.columns.part([("Export", "2017")]), subject.rows.part(rows.leaves[:2]))
    )
    assert "\"Group\" = 'a' AND \"2nd\" = 'y'" in sql
    assert _answer(own, sql) == "{7} || {17}"


def test_a_table_of_one_cell_has_the_questions_that_it_allows() -> None:
    own = instance(
        columns=TableAxis(("Year",), ((0,),), (("2017",),)),
        rows=TableAxis(("Category",), ((0,),), (("Dairy",),)),
        values=((Decimal("0.5"),),),
        aggregate=None,
        decimals=2,
    )
    asked = {question.template: question for question in questions(own, template(), random.Random(1))}
    assert set(asked) == {1, 9, 10, 11, 14, 15}
    assert asked[1].answer == "{0.5}"
    assert asked[14].answer == "{Dairy}"


_POINTS = st.sets(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=20)


@given(_POINTS)
def test_products_are_disjoint_and_together_the_points(points: set[tuple[int, int, int]]) -> None:
    labelled = [tuple((place, str(value)) for place, value in enumerate(point)) for point in sorted(points)]
    found = [point for product in products(labelled) for point in itertools.product(*product)]
    assert len(found) == len(set(found))
    assert set(found) == set(labelled)


def test_a_full_block_is_one_product() -> None:
    block = [((0, a), (1, b), (2, c)) for a in "xyz" for b in "pq" for c in "mn"]
    assert len(products(block)) == 1


def test_a_value_with_none_below_it_is_said_once() -> None:
    rows = TableAxis(
        ("Category", "Item"), ((0, 1),), (("Dairy", "Milk"), ("Dairy", "Butter"), ("Tea", "Tea"))
    )
    subject = QuestionSubject(instance(rows=rows), template())
    for paths, said in (
        ([("Tea", "Tea")], "of Tea"),
        ([("Dairy", "Milk"), ("Tea", "Tea")], "of Milk or Tea"),
    ):
        plan = QuestionPlan(1, subject.columns.part([("Import", "2017")]), subject.rows.part(paths))
        sentence = write_question(plan, template(), template().texts["template_1"][0], ())
        assert sentence == f"What is the amount of Import {said} in 2017?"


def test_an_attribute_that_the_template_leaves_out_is_led_to_by_with() -> None:
    tree = with_attributes(parse("What is the amount of_$Year ?", ("Year",)), ("Year", "Nation"))
    assert lead(tree, "Nation") == "with"
    assert lead(tree, "Year") == "of"
