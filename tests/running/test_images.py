"""Models that see: what they are given, and what those that do not are spared."""

from __future__ import annotations

import logging
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import ModelError
from torr_plugin.prompts import IMAGE, Message, Prompt
from torr_plugin.recipes import Configuration, Recipe, plan
from torr_plugin.running import Run, execute
from torr_plugin.running.engines.base import pil_images
from torr_plugin.running.loaded_model import load_model
from torr_plugin.running.model_classes import ModelClass, lm_class
from torr_plugin.running.request_sources import ListedRequests, PendingRequest
from torr_plugin.running.runner import check_images
from torr_plugin.tables import Table, serializers

from .asked_models import Plan
from .made import answers, entry, prompts

GENERATION = {"max_tokens": 16, "temperature": 0.0, "until": ["\n"]}
SHOWS = Configuration("image", "none", "default")


def png(width: int, height: int, mode: str = "RGB", color: object = "white") -> bytes:
    from PIL import Image

    file = BytesIO()
    Image.new(mode, (width, height), color).save(file, format="PNG")  # type: ignore[arg-type]
    return file.getvalue()


def shown(word: str, *sizes: tuple[int, int]) -> Prompt:
    return (Message("user", f"{IMAGE * len(sizes)}\n{word}", tuple(png(*size) for size in sizes)),)


def draws_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """``image`` draws a picture of a pixel a cell, so that tests need nothing that draws."""
    drawing = serializers.get("image")
    monkeypatch.setattr(type(drawing), "draw", lambda _, table: png(table.n_columns, table.n_rows))


def test_pictures_reach_the_model_beside_texts() -> None:
    model = load_model(entry("test-seeing"), GENERATION)
    asked = [
        ("a", shown("one", (3, 4))),
        ("b", (Message("user", "say two"),)),
        ("c", shown("one", (5, 6), (7, 8))),  # the same words as a, other pictures
    ]
    asked[2] = ("c", (Message("user", asked[0][1][0].content, asked[2][1][0].images),))
    found = {answer.key: answer.prediction for answer in model.answers(asked)}
    assert found == {"a": "3x4: one", "b": "blind: two", "c": "5x6 7x8: one"}


def test_one_bad_picture_stops_no_other() -> None:
    model = load_model(entry("test-seeing"), GENERATION)
    asked = [
        *((f"k{n}", shown(f"w{n}", (n + 1, 1))) for n in range(5)),
        ("bad", shown("bad", (9, 9))),
        ("broken", (Message("user", IMAGE + " w", (b"not a picture",)),)),
        ("many", shown("w", (1, 1), (1, 1), (1, 1))),
    ]
    found = {answer.key: answer for answer in model.answers(asked)}
    assert [found[f"k{n}"].prediction for n in range(5)] == [f"{n + 1}x1: w{n}" for n in range(5)]
    assert "cannot look at it" in str(found["bad"].error)
    assert "cannot identify image file" in str(found["broken"].error)
    assert (
        found["many"].error == "the prompt has 3 pictures, the model takes 2: raise its argument max_images"
    )


def test_a_place_that_the_data_wrote_is_no_picture() -> None:
    """Else a model that sees would be told of a picture that is not there; other models get the words."""
    prompt = (Message("user", f"say {IMAGE}"),)
    for kind, expected in (("test-seeing", ">"), ("test-echo", IMAGE.upper())):
        (answer,) = load_model(entry(kind), GENERATION).answers([("k", prompt)])
        assert str(answer.prediction).split()[-1] == expected


def test_a_model_of_texts_says_that_it_sees_none() -> None:
    (answer,) = load_model(entry("test-echo"), GENERATION).answers([("k", shown("w", (1, 1)))])
    assert answer.error == "the prompt shows a picture, and the model sees text only"


def test_an_interrupted_batch_keeps_texts_alone() -> None:
    """Texts alone tell there which request was answered, and pictures are not in them."""
    model = load_model(entry("test-seeing"), GENERATION)
    answer = model._lm.generate_until

    def interrupted(requests: list[Any]) -> list[str]:
        texts: list[str] = answer(requests)
        if any(len(request.args) > 2 for request in requests):
            raise KeyboardInterrupt
        return texts

    model._lm.generate_until = interrupted
    asked = [PendingRequest("b", (Message("user", "say two"),)), PendingRequest("a", shown("one", (3, 4)))]
    model.engine._batch_size.size = 2
    given = model.stream(ListedRequests(asked))
    assert [(answer.key, answer.prediction) for answer in next(given)] == [("b", "blind: two")]
    with pytest.raises(KeyboardInterrupt):
        next(given)


def test_a_chat_template_is_given_the_place_of_the_picture() -> None:
    model = load_model(entry("test-seeingchat", chat=True), GENERATION)
    prompt = (Message("system", "Look."), *shown("here", (2, 2)))
    (answer,) = model.answers([("k", prompt)])
    assert answer.prediction == "2x2: here"
    assert model._lm.batches[0][0][0] == f"system=Look.|user={IMAGE}\nhere"


@pytest.mark.parametrize("kind", ["test-nosystem", "test-dropssystem"])
def test_a_model_without_system_turns_gets_them_in_the_users(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    model = load_model(entry(kind, chat=True), GENERATION)
    prompt = (Message("system", "Be brief."), Message("user", "say yes"))
    with caplog.at_level(logging.WARNING):
        found = [answer.prediction for answer in model.answers([("a", prompt), ("b", prompt[1:])])]
    assert found == ["YES", "YES"]
    contexts = [request[0] for batch in model._lm.batches for request in batch]
    assert contexts == ["user=Be brief.\n\nsay yes", "user=say yes"]
    assert caplog.messages == ["the model takes no system turn: its text stands before the user's"]


def test_models_of_text_are_refused_before_anything_runs(tmp_path: Path) -> None:
    class Shows(Plan):
        configurations = (Configuration("html", "none", "default"), SHOWS)

        def requests(self):  # type: ignore[no-untyped-def]
            raise AssertionError("asked too early")

    with pytest.raises(
        ModelError,
        match=r"^model 'torr-lexical' \(torr-lexical\) sees text only, and configuration image/none/default "
        r"shows pictures; expected a model that sees, such as hf-multimodal",
    ):
        execute(Shows(), [entry("test-seeing"), entry("torr-lexical")], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_which_models_see() -> None:
    assert ModelClass(lm_class("test-seeing")).images
    assert ModelClass(lm_class("local-chat-completions")).images
    assert ModelClass(lm_class("openai-chat-completions")).images
    # lm-eval marks it too, but without chat messages it can send no picture
    assert not ModelClass(lm_class("local-completions")).images
    assert not ModelClass(lm_class("torr-majority")).images
    with pytest.raises(ModelError, match=r"configuration image\+csv/none/default shows pictures"):
        check_images([entry("torr-majority")], [Configuration("image+csv", "none", "default")])
    check_images([entry("torr-majority")], [Configuration("html", "none", "default")])
    check_images([entry("torr-majority")], [Configuration("image", "none", "carried")])


@pytest.mark.parametrize(
    ("mode", "color", "expected"),
    [("RGBA", (0, 0, 0, 0), (255, 255, 255)), ("RGBA", (9, 8, 7, 255), (9, 8, 7)), ("L", 40, (40, 40, 40))],
)
def test_pictures_are_rgb_on_white(mode: str, color: object, expected: tuple[int, ...]) -> None:
    (image,) = pil_images([png(2, 3, mode, color)])
    assert (image.mode, image.size, image.getpixel((0, 0))) == ("RGB", (2, 3), expected)


RECIPE = {
    "name": "seen",
    "cards": ["cards.bundled.cell_lookup"],
    "configurations": {"serializers": ["image", "html"], "perturbations": ["none", "transpose"]},
    "demonstrations": {"shots": 1},
    "examples": {"count": 4},
}


def test_a_study_of_pictures_from_plan_to_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draws_sizes(monkeypatch)
    planned = plan(Recipe.model_validate(RECIPE))
    summary = execute(planned, [entry("test-seeing")], tmp_path / "run")
    assert (summary.requests, summary.failed) == (16, 0)
    run = Run.open(tmp_path / "run")
    found = answers(run, "test-seeing")
    for request in planned.requests():
        builder = planned.builders[request.dataset]
        example = next(each for each in planned.examples[request.dataset] if each.id == request.example)
        tables: list[Table] = [each.table for each in (*builder.demonstrations(example), example)]
        sizes = [(table.n_columns, table.n_rows) for table in tables]
        if request.config.perturbation == "transpose":
            sizes = [(rows, columns) for columns, rows in sizes]
        seen = " ".join(f"{width}x{height}" for width, height in sizes)
        told = str(found[request.key]).partition(":")[0]
        assert told == (seen if request.config.serializer == "image" else "blind")
        assert prompts(run, "test-seeing")[request.key] == request.prompt
