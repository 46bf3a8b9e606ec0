"""The baselines: what they answer in common formats, and that they see the prompt's text alone."""

from __future__ import annotations

import json

import pytest

from torr_plugin.core.seeds import generator
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import Plan, load, plan
from torr_plugin.running.baselines.answers import lexical_answer, majority_answer, random_cell_answer
from torr_plugin.running.baselines.reading import number, read_prompt, stem, words
from torr_plugin.running.loaded_model import load_model
from torr_plugin.scoring import score_example
from torr_plugin.tables import Table, perturbations, serializers

from ..timing import quickly
from .made import entry

TABLE = Table.flat(
    ["Team", "City", "Points", "Year won"],
    [
        ["Reds, united", "Oslo", "1,204", "1999"],
        ["Blues", "New York", "87", "2001"],
        ["Greens", "Lima", "310", "2001"],
        ['Old "Golds"', "Rome & Milan", "87.5", "2010"],
    ],
)
FORMATS = ("html", "markdown", "csv", "json", "nl_sep", "xml", "torr.indexed_row_major", "torr.json")
"""Some of those whose cells a plain reader tells apart."""
BASELINES = ("torr-majority", "torr-random-cell", "torr-lexical")


def prompt(
    question: str, name: str = "html", table: Table = TABLE, shots: tuple[tuple[str, str], ...] = ()
) -> str:
    text = serializers.get(name).serialize(table)
    blocks = [f"Table:\n{text}\n\nQuestion: {asked}\nAnswer: {answer}\n\n" for asked, answer in shots]
    return f"Read the table and answer.\n{''.join(blocks)}Table:\n{text}\n\nQuestion: {question}\nAnswer:"


SHOTS = (("Who is from Oslo?", "Reds, united"), ("How many?", "4"))
PERTURBATIONS = ("none", "shuffle_rows", "insert_empty_rows")


def ask(question: str, name: str, perturbation: str = "none", shots: tuple[tuple[str, str], ...] = ()) -> str:
    table = perturbations.get(perturbation).perturb(TABLE, generator(0, "x"))
    return lexical_answer(prompt(question, name, table, shots))


@pytest.mark.parametrize("name", FORMATS)
def test_lexical_in_common_formats(name: str) -> None:
    for shots in ((), SHOTS):
        assert ask("How many points have the Greens?", name, shots=shots) == "310"
        assert ask("Which city are the Blues from?", name, shots=shots) == "New York"


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_lexical_answers_many_questions(perturbation: str) -> None:
    for question, answer in (
        ("What is the number of points of the Greens?", "310"),
        ("Which team has the most points?", "Reds, united"),
        ("How many teams won in the year 2001?", "2"),
        ("What is the total of the points?", "1688.5"),
        ("What are the average and lowest number of points of the Blues and the Greens?", "198.5 || 87"),
    ):
        assert ask(question, "html", perturbation) == answer, question


def test_a_layout_can_be_too_much_for_it() -> None:
    """What it does not see costs it, as it does a model: a table on its side has no line for a team."""
    assert ask("Which team has the most points?", "html") != ask(
        "Which team has the most points?", "html", "transpose"
    )
    assert ask("How many points have the Greens?", "torr.concat") in serializers.get("torr.concat").serialize(
        TABLE
    )


@pytest.mark.parametrize("labels", [("entailed", "refuted"), ("Yes", "No")])
def test_lexical_gives_the_labels_that_are_asked_for(labels: tuple[str, str]) -> None:
    shots = (("Blues are from New York", labels[0]), ("Blues are from Lima", labels[1]))
    holds, fails = labels
    for statement, label in (
        ("The points of the Greens are 310.", holds),
        ("The points of the Greens are 87.", fails),
        ("The Blues have more points than the Greens.", fails),
        ("The Greens have more points than the Blues.", holds),
        ("The total points of the Blues and the Greens are 397.", holds),
    ):
        assert lexical_answer(prompt(statement, shots=shots)) == label, statement


def test_labels_from_the_instruction_alone() -> None:
    text = prompt("The points of the Greens are 310.").replace(
        "Read the table and answer.", "Answer Entailed or Refuted."
    )
    assert lexical_answer(text) == "Entailed"


@pytest.mark.parametrize("name", ["html", "csv", "torr.concat"])
def test_lexical_describes(name: str) -> None:
    text = serializers.get(name).serialize(TABLE)
    answer = lexical_answer(
        f"Describe the table in a paragraph.\nTable:\n{text}\n\nCaption: Points of teams\nDescription:"
    )
    assert answer.startswith("Points of teams")
    assert "1,204" in answer
    assert "Blues" in answer


REPORT = """Annual report

We make lamps, shades, and the bulbs in them, and sell them, mostly, in shops.

Current assets were the following:

| (in millions) | 2023 | 2022 |
| --- | --- | --- |
| Cash | $ 1,204 | $ 980 |
| Inventories | 310 | 400 |

Net sales by region were the following:

| (in thousands) | 2023 | 2022 |
| --- | --- | --- |
| Europe | 250 | 200 |
| Asia | 150 | 200 |"""
FORM = 'The form:\nQuestion: How many loaves were sold?\nJSON: {"steps": "48 + 13", "answer": "61"}\n'


def test_documents_and_answers_in_json() -> None:
    text = f'Write JSON with "steps" and "answer".\n\n{FORM}Report:\n{REPORT}\n\nQuestion: %s\nJSON:'
    for question, answer in (
        ("What were inventories in 2022?", "400 million"),
        ("What were net sales in Asia in 2023?", "150 thousand"),
    ):
        assert json.loads(lexical_answer(text % question))["answer"] == answer
    drawn = {json.loads(random_cell_answer(text % "What?", seed))["answer"] for seed in range(60)}
    assert drawn >= {"310", "250"}
    assert json.loads(majority_answer(text % "What?"))["answer"] == "61"


def test_majority() -> None:
    assert majority_answer(prompt("x", shots=(("a", "2"), ("b", "1"), ("c", "2")))) == "2"
    assert majority_answer(prompt("x", shots=(("a", "first"), ("b", "second")))) == "first"
    assert majority_answer(prompt("x")) == ""
    assert majority_answer(prompt("x", shots=(("a", "two words,\nand lines"),))) == "two words,\nand lines"


@pytest.mark.parametrize("name", [name for name in FORMATS if "json" not in name])
def test_random_cell_is_of_the_table_asked_about(name: str) -> None:
    cells = {cell.text for row in TABLE.body for cell in row}
    other = Table.flat(["Team"] * 2, [["never", "never"]])
    shown = f"Table:\n{serializers.get(name).serialize(other)}\n\nQuestion: x\nAnswer: never\n\n"
    drawn = set()
    for n in range(15):
        text = prompt(f"question {n}", name)
        drawn.add(random_cell_answer(text.replace("answer.\n", f"answer.\n{shown}", 1)))
    assert drawn <= cells
    assert len(drawn) > 3


def test_random_cell_depends_on_seed_and_prompt_alone() -> None:
    prompts = [prompt(f"question {n}") for n in range(20)]
    first = [random_cell_answer(text, 1) for text in prompts]
    assert first == [random_cell_answer(text, 1) for text in prompts]
    assert first != [random_cell_answer(text, 2) for text in prompts]


HOSTILE = (
    *("", "\n", "x", "Answer:", "Table:\nAnswer:", "Table:\n<table>\nAnswer:", 'Table:\n{"0": {\nAnswer:'),
    *("|---|\nA:", "pd.DataFrame(\nA:", "col : row 1 : \nA:"),
    *("[" * 5000 + "\nA:", "Table:\n" + "|" * 5000 + "\nAnswer:"),
)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_gets_an_answer(text: str) -> None:
    for answer in (majority_answer, random_cell_answer, lexical_answer):
        assert isinstance(answer(text), str)


def test_a_prompt_is_taken_apart() -> None:
    found = read_prompt(prompt("who?", "csv", shots=(("a", "1"), ("b", "2"))))
    assert (found.answers, found.question) == (("1", "2"), "who?")
    (table,) = found.tables
    assert table.header == [["Team", "City", "Points", "Year won"]]
    assert len(table.body) == len(TABLE.body)
    before = read_prompt("Do it.\nQuestion: who?\nTable: a,b\n1,2\nAnswer: ")
    assert before.question == "who?"
    assert (before.tables[0].header, before.tables[0].body) == ([["a", "b"]], [["1", "2"]])


def test_a_prompt_without_an_answers_prefix_is_taken_apart() -> None:
    head = "Classify the Statement to one of refuted, entailed.\nHere are some examples.\n"
    shots = ("is 1: a", "entailed"), ("is 2", "refuted"), ("is 3", "refuted")
    shown = "".join(f"Table: a,b\n1,2\nStatement: {text} \n{answer}\n\n" for text, answer in shots)
    text = f"{head}{shown}Table: a,b\n3,4\nStatement: is 4 \n"
    found = read_prompt(text)
    assert found.answers == ("entailed", "refuted", "refuted")
    assert found.question == "is 4"
    assert found.tables[0].body == [["3", "4"]]
    assert majority_answer(text) == "refuted"
    assert lexical_answer(text) in {"entailed", "refuted"}


def test_words_and_numbers() -> None:
    assert words("The Teams' cities: 1,204.50 won!") == ["team", "city", "1204.5", "won"]
    assert stem("1,000") == "1000"
    assert stem("classes") == stem("class")
    texts = ("1,204", "$3.50", "12%", "45 kg", "-7", ".5", "(12)")
    assert [number(text) for text in texts] == [1204, 3.5, 12, 45, -7, 0.5, -12]
    assert {number(text) for text in ("2-1", "abc", "")} == {None}


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    recipe = tmp_path_factory.mktemp("recipe") / "bundled.yaml"
    recipe.write_text(
        "name: bundled\n"
        "cards: [cards.bundled.cell_lookup, cards.bundled.fact_verification, cards.bundled.aggregation]\n"
        "configurations:\n"
        "  {serializers: [html, torr.json], perturbations: [none, transpose, insert_empty_rows]}\n"
        "demonstrations: {shots: 3}\nexamples: {count: 8}\ngeneration: {max_tokens: 64}\n"
    )
    return plan(load(recipe))


def test_lexical_is_clearly_better(bundled: Plan) -> None:
    requests = list(bundled.requests())
    scores = {model: _scores(bundled, model, requests) for model in BASELINES}
    for dataset in bundled.cards:
        others = max(scores[model][dataset] for model in BASELINES[:2])
        assert scores["torr-lexical"][dataset] > others + 0.2, (dataset, scores)


def _scores(bundled: Plan, model: str, requests: list) -> dict[str, float]:
    answers = load_model(entry(model), bundled.generation).answers(
        [(request.key, request.prompt) for request in requests]
    )
    found: dict[str, list[float]] = {}
    for request, answer in zip(requests, answers, strict=True):
        card = bundled.cards[request.dataset]
        score = score_example(card, answer.prediction, request.references)[card.main_metric]
        found.setdefault(request.dataset, []).append(score)
    return {dataset: sum(values) / len(values) for dataset, values in found.items()}


def test_lexical_is_fast() -> None:
    """At least 100 prompts of five demonstrations a second (measured: above 1,000)."""
    shots = tuple((f"question {n}?", str(n)) for n in range(5))
    asked = [
        (str(n), (Message("user", prompt(f"How many points have team {n}?", "html", shots=shots)),))
        for n in range(400)
    ]
    model = load_model(entry("torr-lexical"), {})
    assert len(quickly(lambda: model.answers(asked), within=4)) == len(asked)
