"""The method page: every definition has its place, the study's own facts stand there, and secrets do not."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.leaderboard.citation import bibtex_text, card_source, commands_again, study_citation
from torr_plugin.leaderboard.facts import recipe_to_run_again
from torr_plugin.leaderboard.files import PageFile
from torr_plugin.leaderboard.pages import method
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.theming import SiteText
from torr_plugin.leaderboard.trust import reliability, trust_lines
from torr_plugin.recipes import ModelEntry, load
from torr_plugin.running.store.manifest import model_record

from .made import make_run, with_analysis
from .pages import Page
from .rendered import noise, scored

ERROR = "TimeoutError: no answer in 60 s"


def opened(path: Path, **study: Any) -> Study:
    run = make_run(path, **study)
    with_analysis(run, resamples=50, keeps_labels={"wikitq": ["none", "shuffle_cols"]})
    return study_of(open_source(run), set(), alone=True)


def page_of(study: Study, words: SiteText | None = None) -> Page:
    (file,) = [file for file in method.files(study) if isinstance(file, PageFile)]
    values = {"study": study, "page": file, "root": "../", **file.values}
    return Page(Renderer(words=words or SiteText()).render(file.template, **values))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return opened(tmp_path_factory.mktemp("run") / "run", failing={"beta": ERROR}, limit=6)


@pytest.fixture(scope="module")
def page(study: Study) -> Page:
    return page_of(study)


def test_contents_lead_to_sections_that_are_there(page: Page) -> None:
    ids = page.attributes("id")
    assert page.problems == []
    assert len(ids) == len(set(ids))
    inside = [link[1:] for link in page.attributes("href") if link.startswith("#")]
    assert set(inside) <= set(ids)
    for anchor in (
        "trust",
        "downloads",
        "definitions",
        "datasets",
        "missing",
        "add-a-model",
        "cite",
        "again",
    ):
        assert anchor in ids, anchor
    for kind in ("right", "flips", "intervals", "verdicts", "tiers", "formats", "lenient", "endings", "torr"):
        assert f"def-{kind}" in ids, kind
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(headings))


def test_facts_of_the_study_are_said(page: Page) -> None:
    text = " ".join(page.text.split())
    for said in (
        "with an effective number of questions",
        "50, of questions; seed 0",
        "What wikitq asks, in a sentence.",
        "CC-BY-SA-4.0",
        "shuffle_cols",
        "python 3.11.9, torr-plugin 0.1.0, lm-eval 0.4.13",
        "torr run data/a-small-study/recipe.yaml --limit 6 --out runs/a-small-study",
        "torr prompts recipe.yaml",
        "Each question (models overall,",
        "is at most 5%",
        "pretrained=org/beta",
    ):
        assert said in text, said
    assert re.search(r"\b[0-9a-f]{32}\b", text)  # of the study


def test_holes_and_failures_are_said_by_model(study: Study, page: Page) -> None:
    missing = study.analysis.holes.missing
    assert missing > 0
    assert f"{missing} of {study.analysis.holes.expected} scores are missing" in " ".join(page.text.split())
    row = next(row for row in page.rows if row[0] == "beta" and len(row) == 5 and row[1] == "108")
    assert row[2] == str(missing)
    assert f"{missing} \N{MULTIPLICATION SIGN} {ERROR}" in " ".join(row[4].split())


@pytest.mark.full
def test_secrets_are_not_shown_even_if_a_file_has_them(tmp_path: Path) -> None:
    models = [
        {
            "label": name,
            "folder": name,
            "model": "openai-chat-completions",
            "args": {"api_key": "sk-very-secret", "base_url": "https://me:sk-very-secret@host/v1"},
            "chat": True,
        }
        for name in ("alpha", "beta", "gamma")
    ]
    study = opened(tmp_path / "run", models=("alpha", "beta", "gamma"))
    told = replace(study, source=replace(study.source, study={**study.source.study, "models": models}))
    text = page_of(told).text
    assert "openai-chat-completions" in text
    assert "sk-very-secret" not in text
    recipe = recipe_to_run_again(told.source)
    assert recipe is not None
    assert "sk-very-secret" not in recipe
    assert "base_url" in yaml.safe_load(recipe)["models"][0]["args"]


def test_the_recipe_to_run_again_asks_models_in_the_same_way(tmp_path: Path, study: Study) -> None:
    asked = [
        ModelEntry(model="hf", args={"pretrained": "a/b", "think_end": "[/T]"}, generation={"top_p": 0.9}),
        ModelEntry(
            model="local-chat-completions",
            args={"model": "c"},
            name="c",
            price={"prompt": 1, "completion": 2},
        ),
        ModelEntry(model="vllm", args={"pretrained": "d"}, chat=False, family="D", size=7),
    ]
    models = [model_record(entry, entry.label) for entry in asked]
    recipe = {**study.source.study["recipe"], "name": "small"}
    source = replace(study.source, study={"recipe": recipe, "models": models})
    path = tmp_path / "again.yaml"
    path.write_text(recipe_to_run_again(source) or "")
    again = [model_record(entry, entry.label) for entry in load(str(path)).models]
    assert again == models


@pytest.mark.full
def test_an_imported_run_says_where_its_answers_are_from(tmp_path: Path) -> None:
    imported = {"harness": "HELM", "version": "0.5.16", "scores": "its own", "notes": ["<b>odd</b>"]}
    page = page_of(opened(tmp_path / "run", imported=imported))
    text = " ".join(page.text.split())
    assert "prompts of HELM 0.5.16 were imported" in text
    assert "those of HELM itself" in text
    assert "torr import helm FOLDER --out runs/a-small-study" in text
    assert "<b>odd</b>" in text


@pytest.mark.full
def test_a_scores_file_is_told_from_a_run(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "mine.csv"
    study.source.scores.to_csv(path, index=False)
    page = page_of(study_of(open_source(path), set(), alone=True))
    assert page.problems == []
    assert "made from a scores file" in " ".join(page.text.split())
    assert "recipe.yaml" not in page.text
    assert str(tmp_path) not in page.text


def test_how_to_cite(study: Study, page: Page) -> None:
    text = " ".join(page.text.split())
    assert "a small study. 2026-11-21. 3 models on 2 data sets, made with torr-plugin 0.1.0; " in text
    assert "@misc{a-small-study2026," in text
    assert "@misc{ashurytahan2025torr," in text
    assert "arXiv:1508.00305" in text, "the card of wikitq names its paper"
    assert "Cite us as we wish." in page_of(study, SiteText(citation="Cite us as we wish.")).text


def test_a_card_that_is_not_known_has_no_source() -> None:
    assert card_source("cards.nobody") == card_source("/home/someone/card.json") == card_source("") == ""
    assert "stanfordnlp/wikitablequestions on the Hugging Face hub" in card_source("cards.wikitq")


def test_bibtex_holds_any_name(study: Study) -> None:
    evil = replace(study, title="} \\input{x} 100% of $5 & _a_\n#1 ~ ^ \u202e")
    first = study_citation(evil)
    assert first.bibtex.count("\n") == 6
    title = first.bibtex.splitlines()[1]
    assert title.endswith("},")
    assert not re.search(r"(?<!\\)[%$&#_]", title)
    assert "\u202e" not in title
    # BibTeX counts escaped braces too
    inside = title[title.index("{") + 1 : -2]
    assert inside.count("{") == inside.count("}")
    assert bibtex_text("a b") == "a b"


def again(study: Study, **said: Any) -> tuple[str, ...]:
    """The commands, where study.yaml says this too."""
    changed = {**study.source.study, **said}
    return commands_again(replace(study, source=replace(study.source, study=changed)))


def test_the_commands_that_make_a_run_again(study: Study, page: Page) -> None:
    recipe, run = "data/a-small-study/recipe.yaml", "runs/a-small-study"
    shown = again(study, limit=3)
    assert shown[0] == f"torr run {recipe} --limit 3 --out {run}"
    assert shown[-1] == f"python -m torr_plugin.leaderboard {run} --out site"
    assert all(line in page.text for line in again(study))


def test_an_analysis_with_other_settings_is_asked_for(study: Study) -> None:
    settings = study.analysis.settings
    recipe = {"analysis": {"resamples": settings.resamples, "level": settings.level}}
    assert len(again(study, recipe=recipe, seed=settings.seed)) == 2
    shown = again(study, recipe={}, seed=settings.seed + 1)
    assert shown[1] == (
        f"torr analyse runs/a-small-study --resamples {settings.resamples} --level {settings.level:g} "
        f"--seed {settings.seed} --out runs/a-small-study"
    )


@pytest.mark.parametrize(
    ("imported", "line"),
    [
        (
            {"harness": "lm-eval", "options": ["--metric 'two words'", "--rate-again"]},
            "torr import lm-eval FOLDER --metric 'two words' --rate-again --out runs/a-small-study",
        ),
        (
            {"harness": "x; rm -rf ~", "options": ["--metric $(id)", "`id`", "'"]},
            "torr import HARNESS FOLDER --metric '$(id)' '`id`' ''\"'\"'' --out runs/a-small-study",
        ),
    ],
)
def test_the_commands_of_an_import_hold_nothing_for_the_shell(
    study: Study, imported: dict[str, Any], line: str
) -> None:
    assert again(study, imported=imported)[0] == line


@pytest.mark.parametrize(
    ("name", "argument"),
    [("mine.csv", "mine.csv"), ("a b;id.csv", "'a b;id.csv'"), ("--out.csv", "./--out.csv")],
)
def test_the_command_of_a_scores_file_can_be_copied(study: Study, name: str, argument: str) -> None:
    of_file = replace(study, source=replace(study.source, study={}, path=Path("/home/me") / name))
    assert commands_again(of_file) == (f"python -m torr_plugin.leaderboard {argument} --out site",)


def test_models_with_all_answers_are_no_rows_of_zeros(study: Study) -> None:
    all_there = tuple(
        replace(each, failed=0, unanswered=0, errors=(), kinds=0) for each in study.source.failures
    )
    page = page_of(replace(study, source=replace(study.source, failures=all_there)))
    assert "Requests without an answer" not in page.text


def test_whether_to_rely_on_it_is_one_paragraph(small_study: Study) -> None:
    said = " ".join(trust_lines(small_study))
    assert said.startswith("All 1,750 scores are there. Each question is answered with 95% confidence, for ")
    assert "of 10 pairs of models differ." in said
    assert "points or more between two models is found in at least 80% of such studies" in said
    assert "where 1 is the same order" in said
    assert said.endswith("how much of the flips is answer noise is not known.")
    assert said in " ".join(page_of(small_study).text.split())


def test_reliability_is_one_picture(toon: Study, tmp_path: Path) -> None:
    found = reliability(toon)
    assert found is not None
    points = {(each.k, each.n): each.w for each in toon.analysis.reliability["toon"].examples}
    shown = {(k, n): w for k, row in found.rows.items() for n, w in zip(found.questions, row, strict=True)}
    assert {cell: w for cell, w in shown.items() if cell in points} == points
    rows = {row[0]: row[1:] for row in page_of(toon).rows if row[0] in map(str, found.rows)}
    assert rows[str(min(found.rows))] == [
        "\N{EN DASH}" if w is None else f"{w:.2f}" for w in found.rows[min(found.rows)]
    ]
    alone = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.5), "a")
    assert reliability(alone) is None
    assert "pairs of models" not in " ".join(trust_lines(alone))
