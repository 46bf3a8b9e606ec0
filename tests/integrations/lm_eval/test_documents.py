"""System turns, several turns, templates, other parameters and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integrations.lm_eval.conftest import STUDY
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.lm_eval.requests import RequestBuilder
from torr_plugin.integrations.lm_eval.task import TableTask
from torr_plugin.integrations.lm_eval.task_files import task_folder
from torr_plugin.integrations.studies import plan_of
from torr_plugin.prompts.message import Message, plain_text
from torr_plugin.running.loaded_model import Contexts

TURNS = (
    Message("system", "Be brief."),
    Message("user", "1+1?"),
    Message("assistant", "2"),
    Message("user", "?"),
)


class Templated:
    """Stands in for a model with a chat template; one that ``refuses`` takes no system turn."""

    MULTIMODAL = False

    def __init__(self, refuses: bool = False) -> None:
        self.refuses = refuses

    def apply_chat_template(self, turns: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        if self.refuses and any(turn["role"] == "system" for turn in turns):
            raise ValueError("no system turns")
        return "".join(f"<{turn['role']}>{turn['content']}" for turn in turns)


def task(study: Path, **metadata: Any) -> TableTask:
    said = {"study": str(study), "dataset": "bundled.cell_lookup", **metadata}
    return TableTask({"task": "mine", "metadata": {"version": 1, "torr": said}})


def built(made: TableTask, **options: Any) -> list[Any]:
    made.build_all_requests(limit=2, **options)
    return list(made.instances)


@pytest.fixture
def hctqa_study(tmp_path: Path) -> Path:
    """A study whose design has a system turn."""
    path = tmp_path / "turns.yaml"
    path.write_text(
        "name: turns\ncards: [cards.bundled.cell_lookup]\n"
        "configurations: {serializers: [csv], perturbations: [none], designs: [hctqa]}\n"
        "demonstrations: {shots: 0}\nexamples: {count: 2}\nmodels: []\n"
    )
    return path


def builder(template: Any = None) -> RequestBuilder:
    return RequestBuilder(plan_of("quickstart", "bundled.cell_lookup", 1), template=template)


def test_plain_text_is_that_of_the_run() -> None:
    assert builder().context(TURNS).text == plain_text(TURNS) == "Be brief.\n\n1+1?\n\n2\n\n?"


@pytest.mark.parametrize("refuses", [False, True])
def test_a_template_is_applied_as_in_the_run(refuses: bool) -> None:
    model = Templated(refuses)
    mine = builder(model.apply_chat_template).context(TURNS).text
    assert mine == Contexts(model, chat=True).of(TURNS).text  # type: ignore[arg-type, union-attr]
    assert mine.startswith("<user>Be brief.\n\n1+1?" if refuses else "<system>Be brief.<user>1+1?")
    assert "<assistant>2<user>?" in mine


def test_a_template_that_fails_is_one_line() -> None:
    class Fails:
        def apply_chat_template(self, turns: Any) -> Any:
            raise ValueError("roles must alternate")

    with pytest.raises(
        InputError, match=r"leave it out to send plain text: ValueError: roles must alternate"
    ):
        builder(Fails().apply_chat_template).context(TURNS)


def test_the_task_sends_turns_through_the_template(hctqa_study: Path) -> None:
    requests = built(
        task(hctqa_study), apply_chat_template=True, chat_template=Templated().apply_chat_template
    )
    assert [request.args[0].count("<system>") for request in requests] == [1, 1]
    plain = built(task(hctqa_study))
    assert "<" not in plain[0].args[0][:1]
    assert [each.doc["torr"][0]["key"] for each in plain] == [each.doc["torr"][0]["key"] for each in requests]


def test_a_system_instruction_comes_first_and_has_a_key_of_its_own(study: Path, hctqa_study: Path) -> None:
    plain, said = built(task(study)), built(task(study), system_instruction="You are a clerk.")
    assert said[0].args[0] == "You are a clerk.\n\n" + plain[0].args[0]
    before, after = plain[0].doc["torr"][0], said[0].doc["torr"][0]
    assert after["key"] != before["key"]
    assert (bool(before["fingerprint"]), after["fingerprint"]) == (True, "")
    turns = built(
        task(hctqa_study),
        system_instruction="You are a clerk.",
        apply_chat_template=True,
        chat_template=Templated().apply_chat_template,
    )
    assert turns[0].args[0].startswith("<system>You are a clerk.\n\n")
    assert turns[0].args[0].count("<system>") == 1


def test_other_parameters_are_sent_and_recorded(study: Path) -> None:
    made = task(study)
    made.set_config(
        "generation_kwargs", {"temperature": 0.7, "do_sample": True, "max_gen_toks": 9}, update=True
    )
    request = built(made)[0]
    assert request.args[1] == {"until": ["\n\n"], "temperature": 0.7, "do_sample": True, "max_gen_toks": 9}
    record = request.doc["torr"][0]
    assert record["generation"] == {"max_tokens": 9, "temperature": 0.7, "until": ["\n\n"]}
    assert record["fingerprint"] == ""


def test_null_for_what_the_study_does_not_set_leaves_its_requests_its_own(
    study: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.yaml"
    plain.write_text(STUDY.replace(', until: ["\\n\\n"]', ""))
    for path, is_own in ((plain, True), (study, False)):  # which has stop texts
        made = task(path)
        made.set_config("generation_kwargs", {"stop": None}, update=True)
        request = built(made)[0]
        assert request.args[1]["stop"] is None
        assert (request.doc["torr"][0] == built(task(path))[0].doc["torr"][0]) is is_own


def test_the_same_parameters_change_nothing(study: Path) -> None:
    made = task(study)
    made.set_config("generation_kwargs", {"max_gen_toks": 32}, update=True)
    assert built(made)[0].doc["torr"][0] == built(task(study))[0].doc["torr"][0]


def test_samples_are_asked_by_their_position(study: Path) -> None:
    made = task(study)
    every = [doc["example"] for _, doc in made.doc_iterator()]
    assert [doc["example"] for _, doc in made.doc_iterator(samples=[4, 1])] == [every[1], every[4]]
    with pytest.raises(AssertionError, match=r"In this case, k=6"):
        list(made.doc_iterator(samples=[0, 6]))


def test_ranks_share_the_examples(study: Path) -> None:
    made = task(study)
    shares = [
        [number for number, _ in made.doc_iterator(rank=rank, world_size=2, limit=5)] for rank in (0, 1)
    ]
    assert shares == [[0, 2, 4], [1, 3]]


def test_only_what_is_asked_is_made(study: Path) -> None:
    made = task(study)
    list(made.doc_iterator(limit=1))
    assert ["torr" in each for each in made.test_docs()] == [True] + 5 * [False]


def test_text_and_target_for_reading(study: Path) -> None:
    made = task(study)
    request = built(made)[0]
    assert made.doc_to_text(request.doc) == request.args[0]
    assert made.doc_to_target(request.doc) == request.doc["torr"][0]["references"][0]


PICTURES = STUDY.replace("[torr.html, torr.json]", "[image]").replace("[none, transpose]", "[none]")


def test_pictures_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "pictures.yaml"
    path.write_text(PICTURES)
    made = task(path)
    assert made.MULTIMODAL
    text, _, shown = built(made)[0].args
    assert text.count("<image>") == len(shown["visual"]) == 3  # two demonstrations and the example
    assert all(picture.mode == "RGB" for picture in shown["visual"])


def test_pictures_beside_text_are_tasks_of_single_configurations(tmp_path: Path) -> None:
    path = tmp_path / "mixed.yaml"
    path.write_text(PICTURES.replace("[image]", "[image, csv]"))
    found = task_folder([str(path)])
    assert "small_bundled_cell_lookup" not in found.tasks
    assert {"small_bundled_cell_lookup_image_none", "small_bundled_cell_lookup_csv_none"} <= {*found.tasks}
    assert task(path, config="image/none/default").MULTIMODAL
    assert not task(path, config="csv/none/default").MULTIMODAL


@pytest.mark.parametrize(
    "said", [None, {}, {"study": "real"}, {"study": 3, "dataset": "wikitq"}, "real", {"dataset": "wikitq"}]
)
def test_a_file_that_does_not_say_what_to_ask(said: Any) -> None:
    with pytest.raises(InputError, match=r"task 'mine': metadata.torr: found .*; expected study and dataset"):
        TableTask({"task": "mine", "metadata": {"torr": said}})


def test_a_study_or_data_set_that_is_not_there(study: Path) -> None:
    with pytest.raises(InputError, match="unknown data set 'nothing'"):
        task(study, dataset="nothing")
    with pytest.raises(InputError, match="no such file, and no shipped recipe"):
        task(Path("gone.yaml"))
