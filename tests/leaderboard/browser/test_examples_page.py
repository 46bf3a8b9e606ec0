"""The examples page as a reader uses it: searched, paged, opened, compared, by mouse, keyboard and link."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages import examples
from torr_plugin.running import Run

from ..conftest import Only
from ..long_texts import LINES, run_with_long_texts
from ..made import make_run
from ..published import Published
from ..simulated import DATASETS, MODELS, simulate
from .conftest import OpenPage
from .opened import ready

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def page(site: Path) -> str:
    return (site / "simulated-torr" / "examples.html").as_uri()


@pytest.fixture(scope="module")
def published(simulated_run: Path) -> Published:
    return Published(simulated_run)


def names(page: Any) -> list[str]:
    """The examples listed."""
    found: list[str] = page.locator("#examples-rows th a").all_inner_texts()
    return found


def wait_for_list(page: Any) -> None:
    page.locator("#examples-rows tr").first.wait_for()


def state(page: Any) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries(new URLSearchParams(location.hash.slice(1)).entries())"
    )
    return found


def test_a_search_finds_words_of_the_question(page: str, published: Published, open_page: OpenPage) -> None:
    opened = open_page(page).page
    wait_for_list(opened)
    questions = dict(
        zip(*(published.index["towns_qa"][0][name] for name in ("examples", "questions")), strict=True)
    )
    word = next(iter(questions.values())).split("did ")[1].split()[0]
    opened.fill("#choose-q", f"VISITORS {word}")
    expected = [example for example, text in questions.items() if word in text]
    opened.wait_for_function(f"document.querySelectorAll('#examples-rows th a').length === {len(expected)}")
    assert sorted(names(opened)) == sorted(expected)
    assert state(opened) == {"q": f"VISITORS {word}"}
    opened.fill("#choose-q", "no such word")
    opened.wait_for_function("document.getElementById('examples-status').textContent.startsWith('0 found')")
    opened.get_by_role("button", name="Reset").click()
    opened.wait_for_function(f"document.querySelectorAll('#examples-rows th a').length === {len(questions)}")
    assert state(opened) == {}
    assert opened.evaluate("document.activeElement.id") == "choose-q"
    assert not opened.locator("#examples-after").is_visible(), "all are on one page"


def test_the_list_is_ordered_by_the_measures_and_says_them(
    page: str, published: Published, open_page: OpenPage
) -> None:
    opened = open_page(page).page
    wait_for_list(opened)
    flips = opened.evaluate(
        "() => torr.load(torr.embedded('examples-data').datasets[0].chunks[0]).then(rows => rows.flips)"
    )
    counts = [sum(flip[1] == max(each[1] for each in own) for flip in own) for own in flips if own]
    cells = opened.locator("#examples-rows .flip").all_inner_texts()
    said = [
        int(cell.partition(" models, e.g. ")[0].split()[-1]) if " models, e.g. " in cell else 1
        for cell in cells
    ]
    assert sorted(said) == sorted(counts), "of models that flip as widely, how many"
    assert max(counts) > 1
    chunk = published.index["towns_qa"][0]
    for order, column, sign in (("hardest", "mean", 1), ("", "flipped", -1), ("apart", "spread", -1)):
        opened.select_option("#choose-sort", order)
        measured = dict(zip(chunk["examples"], chunk[column], strict=True))
        assert names(opened) == sorted(measured, key=lambda each: sign * measured[each])


def test_a_filter_is_of_the_chosen_model(page: str, published: Published, open_page: OpenPage) -> None:
    chunk = published.index["facts"][0]
    model = published.known.study.models[-1]
    at = published.model(model)
    opened = open_page(f"{page}#{urlencode({'dataset': 'facts', 'model': model, 'sort': 'study'})}").page
    for show, letter in {"right": "r", "wrong": "w", "flips": "f"}.items():
        opened.select_option("#choose-show", show)
        ready(opened)
        pairs = zip(chunk["examples"], chunk["states"], strict=True)
        assert names(opened) == [example for example, states in pairs if states[at] == letter]


def test_a_link_opens_an_example_with_prompt_answers_and_scores(
    page: str, published: Published, simulated_run: Path, open_page: OpenPage
) -> None:
    config = "torr.csv/transpose/default"
    link = urlencode({"dataset": "facts", "example": "facts-2", "config": config})
    opened = open_page(f"{page}#{link}").page
    opened.locator(".side summary").click()
    opened.locator("pre.prompt").wait_for()
    assert not opened.locator("main .lead").is_visible(), "it has its own heading alone"
    requests = Run.open(simulated_run).requests().to_pylist()
    (row,) = [each for each in requests if each["example"] == "facts-2" and each["config"] == config]
    assert opened.locator("pre.prompt").text_content() == row["prompt"]
    assert opened.locator(".facts dt", has_text="Scored by").count() == 1
    assert opened.locator(".facts dd", has_text="rougeL").count() == 1
    for label in published.known.study.models:
        answers = Run.open(simulated_run).predictions(label).to_pylist()
        (answer,) = [each for each in answers if each["key"] == row["key"]]
        line = opened.locator(
            ".answers-table tbody tr", has=opened.get_by_role("rowheader", name=label, exact=True)
        )
        assert (answer["prediction"] or answer["error"]) in (line.text_content() or "")
    cut = "(pre => pre.scrollHeight > pre.clientHeight + 1)(document.querySelector('pre.prompt'))"
    assert opened.evaluate(cut), "long enough to be cut on the screen"
    opened.emulate_media(media="print")
    assert not opened.evaluate(cut), "on paper it is whole"
    opened.emulate_media(media="screen")
    opened.click("#back")
    opened.locator("main .lead").wait_for()


def test_keys_go_between_cells_and_between_examples(page: str, open_page: OpenPage) -> None:
    opened = open_page(f"{page}#dataset=facts&sort=id&example=facts-1").page
    opened.locator(".matrix tbody tr").first.locator("button").first.click()
    assert state(opened)["config"] == "torr.html/none/default"
    assert opened.evaluate("document.activeElement.id") == "configuration-heading"
    opened.locator(".matrix [aria-pressed=true]").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        opened.keyboard.press(key)
    assert state(opened)["config"] == "torr.csv/shuffle_rows/default"
    assert opened.locator(".matrix [aria-pressed=true][tabindex='0']").count() == 1
    assert opened.locator(".matrix [tabindex='0']").count() == 1
    opened.locator("#example-heading").focus()
    opened.keyboard.press("n")
    opened.locator("#example-heading", has_text="facts-2").wait_for()
    assert opened.evaluate("document.activeElement.id") == "example-heading"
    opened.keyboard.press("p")
    opened.locator("#example-heading", has_text="facts-1").wait_for()
    opened.go_back()
    opened.locator("#example-heading", has_text="facts-2").wait_for()


def test_flips_are_filtered_by_what_differs(page: str, published: Published, open_page: OpenPage) -> None:
    opened = open_page(page).page
    wait_for_list(opened)
    (chunk,), configs = published.index["towns_qa"], published.known.configs

    def differs(flip: list[Any]) -> tuple[bool, bool]:
        worst, best = configs[flip[2]], configs[flip[3]]
        return worst.serializer != best.serializer, worst.perturbation != best.perturbation

    for show, wanted in (("format", (True, False)), ("perturbation", (False, True))):
        opened.select_option("#choose-show", show)
        ready(opened)
        pairs = zip(chunk["examples"], chunk["flips"], strict=True)
        assert set(names(opened)) == {name for name, flips in pairs if wanted in map(differs, flips)}


def test_kinds_of_questions_are_filtered(tmp_path: Path, open_page: OpenPage, only: Only) -> None:
    only(examples)
    run = make_run(tmp_path / "run", datasets=("many",))
    known = pd.DataFrame({"example": [f"many-{number}" for number in range(6)], "dataset": "many"})
    known["groups"] = [f'{{"operation": "{name}"}}' for name in ("look", "sum") * 3]
    known = known.assign(properties="{}", cells=6)
    known.to_parquet(run / "examples.parquet", index=False)
    build_site([run], tmp_path / "site", charts=False)
    opened = open_page(tmp_path / "site" / "a-small-study" / "examples.html").page
    wait_for_list(opened)
    opened.select_option("#choose-kind", "operation: sum")
    ready(opened)
    assert sorted(names(opened)) == ["many-1", "many-3", "many-5"]
    assert state(opened) == {"kind": "operation: sum"}


def test_the_table_stands_before_the_whole_prompt(
    page: str, simulated_run: Path, open_page: OpenPage
) -> None:
    link = {
        "dataset": "facts",
        "example": "facts-2",
        "config": "torr.csv/none/default",
        "with": "torr.html/none/default",
    }
    opened = open_page(f"{page}#{urlencode(link)}").page
    tables = opened.locator("pre.table")
    tables.first.wait_for()
    assert [text[:6] for text in tables.all_inner_texts()] == ["Town,V", "<table"]
    requests = Run.open(simulated_run).requests().to_pylist()
    for text in tables.all_inner_texts():
        assert any(text in row["prompt"] for row in requests if row["example"] == "facts-2")
        assert "Question" not in text
    assert opened.locator("pre.prompt").filter(visible=True).count() == 0
    opened.get_by_text("The whole prompt as sent").first.click()
    assert opened.locator("pre.prompt").filter(visible=True).count() == 1


def test_two_configurations_beside_each_other_mark_answers_that_differ(
    page: str, published: Published, open_page: OpenPage
) -> None:
    one, two = "torr.html/none/default", "torr.df/transpose/default"
    link = urlencode({"dataset": "towns_qa", "example": "towns_qa-1", "config": one, "with": two})
    opened = open_page(f"{page}#{link}").page
    opened.locator(".answers-table.two").first.wait_for()
    assert opened.locator("pre.prompt").count() == 2
    detail = published.examples["towns_qa", "towns_qa-1"]
    differing = set()
    for label in published.known.study.models:
        row = detail["answers"][published.model(label)]
        texts = [detail["records"][row[published.place(config)]][0] for config in (one, two)]
        if min(texts) >= 0 and texts[0] != texts[1]:
            differing.add(label)
    rows = opened.locator(".answers-table tr.differs th[scope=row] bdi")
    assert differing
    assert set(rows.all_inner_texts()) == differing


def test_a_flip_opens_in_two_clicks(site: Path, page: str, published: Published, open_page: OpenPage) -> None:
    opened = open_page(site / "index.html").settle().page
    opened.locator("header nav a", has_text="Examples").click()
    wait_for_list(opened)
    opened.locator("#examples-rows th a").first.click()
    opened.locator(".answers-table.two").first.wait_for()
    example = state(opened)["example"]
    detail = published.examples["towns_qa", example]
    one, two = (published.place(state(opened)[name]) for name in ("config", "with"))
    (model,) = opened.locator(".answers-table").first.locator("tbody th bdi").all_inner_texts()
    row = detail["scores"][published.model(model)]
    known = [score for score in row if score is not None]
    assert (row[one], row[two]) == (min(known), max(known))


def test_where_a_perturbation_may_change_the_right_answer_it_is_said(page: str, open_page: OpenPage) -> None:
    link = urlencode({"example": "towns_qa-1", "config": "torr.csv/none/default"})
    opened = open_page(f"{page}#{link}").page
    opened.locator("#example-with").wait_for()
    note = opened.locator("#configuration .view-note")
    assert note.count() == 0
    opened.select_option("#example-with", "torr.csv/transpose/default")
    assert note.count() == 0, "the card says that it keeps the answers"
    opened.select_option("#example-with", "torr.csv/shuffle_rows/default")
    assert note.inner_text().startswith(
        "shuffle_rows can change which answer is right here, so a lower score "
    )


def test_more_than_a_page_is_paged_and_back_keeps_the_page(
    tmp_path: Path, open_page: OpenPage, only: Only
) -> None:
    only(examples)
    run = make_run(
        tmp_path / "run", datasets=("many",), examples=60, serializers=("html",), perturbations=("none",)
    )
    build_site([run], tmp_path / "site", charts=False)
    opened = open_page(tmp_path / "site" / "a-small-study" / "examples.html").page
    wait_for_list(opened)
    assert len(names(opened)) == 25
    opened.click("#examples-after")
    opened.click("#examples-after")
    assert names(opened) == [f"many-{number}" for number in range(50, 60)]
    assert opened.locator("#examples-after").is_disabled()
    opened.click("text=many-57")
    opened.locator("#example-heading").wait_for()
    opened.click("#back")
    wait_for_list(opened)
    assert state(opened)["page"] == "3"
    assert names(opened)[0] == "many-50"


def test_a_scores_file_shows_the_matrix_alone(tmp_path: Path, open_page: OpenPage, only: Only) -> None:
    only(examples)
    scores = pd.read_parquet(make_run(tmp_path / "run", datasets=("facts",), examples=2) / "scores.parquet")
    gone = (scores["example"] == "facts-0") & (scores["config"] == scores["config"].iloc[0])
    scores[~gone].to_parquet(tmp_path / "scores.parquet")
    build_site([tmp_path / "scores.parquet"], tmp_path / "site", charts=False)
    page = (tmp_path / "site" / "scores" / "examples.html").as_uri()
    opened = open_page(f"{page}#dataset=facts&example=facts-0").page
    opened.locator(".matrix").wait_for()
    assert opened.locator("pre.prompt").count() == 0
    assert opened.locator(".answers-table").count() == 1, "the model whose score moves most is the first row"
    assert opened.get_by_text("No scores of this example in ").count() == 1


def test_without_perturbations_nothing_speaks_of_them(
    tmp_path: Path, open_page: OpenPage, only: Only
) -> None:
    only(examples)
    run = make_run(tmp_path / "run", datasets=("many",), perturbations=("none",))
    for source in (run, run / "scores.parquet"):
        build_site([source], tmp_path / f"{source.stem}-site", charts=False)
        (path,) = (tmp_path / f"{source.stem}-site").rglob("examples.html")
        opened = open_page(path).page
        wait_for_list(opened)
        prompts = source == run
        assert ("references" in opened.locator("[role=search]").inner_text()) == prompts
        opened.locator("#examples-rows th a").first.click()
        matrix = opened.locator(".matrix")
        matrix.wait_for()
        assert matrix.locator("thead th").all_inner_texts() == ["Models right"]
        assert "none" not in str(matrix.locator("button").first.get_attribute("aria-label"))
        shown = opened.locator("#examples-view").inner_text()
        assert "unperturbed" not in shown


def test_of_a_long_text_parts_are_shown_and_how_much_is_left_out(
    tmp_path: Path, open_page: OpenPage, only: Only
) -> None:
    only(examples)
    run = run_with_long_texts(tmp_path / "run")
    (path,) = build_site([run], tmp_path / "site", charts=False).parent.rglob("examples.html")
    config = Run.open(run).study["configurations"][0]
    opened = open_page(f"{path.as_uri()}#{urlencode({'example': 'wikitq-0', 'config': config})}").page
    prompt = opened.locator("pre.prompt")
    prompt.wait_for()
    assert LINES[0] in prompt.text_content()
    left_out = prompt.locator(".left-out").all_inner_texts()
    assert [text.split(" ", 1)[1] for text in left_out] == ["characters left out"]
    hidden = sum(int(text.split()[0].replace(",", "")) for text in left_out)
    whole = f"{len(prompt.text_content()) - len(''.join(left_out)) + hidden:,} characters"
    assert whole in opened.locator(".side .role").inner_text()
    assert opened.locator(".answer .left-out").first.inner_text().endswith("characters left out")
    assert opened.evaluate("document.body.innerHTML.length") < 200_000


def test_of_one_model_nothing_is_apart(tmp_path: Path, open_page: OpenPage, only: Only) -> None:
    only(examples)
    run = simulate(
        tmp_path / "run", models=MODELS[:1], datasets=DATASETS[:1], examples=3, rows=3, resamples=50
    )
    (path,) = build_site([run], tmp_path / "site", charts=False).parent.rglob("examples.html")
    page = open_page(path).page
    page.locator("#examples-rows a").first.wait_for()
    assert page.get_by_text("Models apart").count() == 0
    assert page.locator("#choose-sort option[value=apart]").count() == 0
    for cells in page.locator(".examples-table tr").all():
        assert cells.locator("th, td").count() == 6
    assert page.locator("#choose-model, #choose-dataset").count() == 0, "of one there is nothing to choose"
    opened = open_page(f"{path.as_uri()}#dataset=nothing&model=nobody").page
    opened.locator("#examples-rows a").first.wait_for()
    assert opened.locator(".address-notice p").count() == 2


def test_tables_of_an_example_that_go_on_to_the_right_fade_there(page: str, open_page: OpenPage) -> None:
    address = f"{page}#dataset=facts&example=facts-2&config=torr.html/none/default&with=torr.csv/none/default"
    opened = open_page(address, width=390).page
    opened.locator(".matrix").wait_for()
    opened.wait_for_timeout(200)
    found = opened.locator("#examples-view .scroll").evaluate_all(
        "boxes => boxes.map(box => [box.scrollWidth > box.clientWidth + 1, box.classList.contains('more')])"
    )
    assert [True, True] in found
    assert [True, False] not in found
    opened.emulate_media(media="print")
    masks = "boxes => boxes.map(box => getComputedStyle(box).maskImage)"
    assert set(opened.locator("#examples-view .scroll").evaluate_all(masks)) == {"none"}, "paper cuts nothing"
