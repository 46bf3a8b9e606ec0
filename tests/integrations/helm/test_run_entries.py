"""What a run entry asks, and what is said where it is wrong; without HELM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.helm.run_entries import conf, parse_run_entry, run_entries
from torr_plugin.recipes import Configuration, load

QUICK = {
    "study": "quickstart",
    "dataset": "bundled.cell_lookup",
    "serializer": "html",
    "perturbation": "none",
}


def test_the_entry_of_the_documentation_asks_torr() -> None:
    what = parse_run_entry({"card": "cards.wikitq", "serializer": "html", "perturbation": "transpose"})
    assert (what.study, what.dataset, what.config) == (
        "torr",
        "wikitq",
        Configuration("torr.html", "transpose", "torr"),
    )
    assert what.group == "torr_wikitq"
    assert what.name == (
        "torr:study=torr,dataset=wikitq,serializer=torr.html,perturbation=transpose,design=torr"
    )


def test_a_picture_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    recipe = tmp_path / "seen.yaml"
    recipe.write_text(
        "name: seen\ncards: [cards.bundled.cell_lookup]\n"
        "configurations: [html/none/default, image/none/default]\n"
    )
    given = {"study": str(recipe), "dataset": "bundled.cell_lookup"}
    assert parse_run_entry({**given, "serializer": "html"}).config.serializer == "html"
    with pytest.raises(InputError, match="'image/none/default' shows pictures; run specs of HELM ask texts"):
        parse_run_entry({**given, "serializer": "image"})


@pytest.mark.parametrize("study", ["torr", "real", "quickstart"])
def test_every_configuration_can_be_asked_by_the_name_of_its_run_spec(study: str) -> None:
    for entry in load(study).expanded():
        dataset = {"torr": "wikitq", "real": "wikitq", "quickstart": "bundled.aggregation"}[study]
        arguments = {
            "study": study,
            "dataset": dataset,
            "serializer": entry.serializer,
            "perturbation": entry.perturbation,
            "design": entry.design,
        }
        what = parse_run_entry(arguments)
        assert what.config == entry
        written = dict(part.split("=", 1) for part in what.name.partition(":")[2].split(","))
        assert parse_run_entry(written) == what


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"card": "cards.bundled.cell_lookup"}, "card, dataset: found both"),
        ({"dataset": None}, "dataset: found none; expected one of bundled.cell_lookup"),
        ({"dataset": "bundled.cell_lokup"}, "did you mean 'bundled.cell_lookup'"),
        ({"dataset": 5}, "unknown dataset '5'"),
        ({"study": "quickstrat"}, "quickstart"),
        ({"study": None}, "study 'torr': unknown dataset 'bundled.cell_lookup'"),
        ({"serializer": "htm"}, "unknown serializer 'htm'; did you mean 'torr.html'"),
        ({"serializer": None}, "serializer: found none; expected one of torr.html"),
        ({"perturbation": "transposed"}, "did you mean 'transpose'"),
        ({"perturbation": None}, "perturbation: found none; expected one of none"),
        ({"design": "torr"}, "unknown design 'torr'"),
        ({"chat": "maybe"}, "chat: found 'maybe'; expected no or yes"),
        ({"serialiser": "html"}, "argument 'serialiser'; expected one of study, card"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(change: dict[str, Any], said: str) -> None:
    arguments = {name: value for name, value in {**QUICK, **change}.items() if value is not None}
    with pytest.raises(InputError, match=r".+") as caught:
        parse_run_entry(arguments)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_entries_are_all_cells_for_each_model() -> None:
    entries = run_entries(["quickstart"], ["torr/lexical", "torr/majority"])
    assert len(entries) == 3 * 35 * 2
    assert len({entry["description"] for entry in entries}) == len(entries)
    assert sum(entry["priority"] == 1 for entry in entries) == 3 * 7 * 2
    assert all(("perturbation=none" in entry["description"]) == (entry["priority"] == 1) for entry in entries)
    assert run_entries(["quickstart"])[0]["description"].endswith(",model=text")


def test_a_whole_study_can_be_asked_in_chat_messages() -> None:
    (first, *_), (in_chat, *_) = (
        run_entries(["quickstart"], ["m"]),
        run_entries(["quickstart"], ["m"], chat=True),
    )
    assert in_chat["description"] == first["description"].replace(",model=m", ",chat=yes,model=m")
    asked = dict(part.split("=", 1) for part in in_chat["description"].partition(":")[2].split(","))
    del asked["model"]
    assert parse_run_entry(asked).chat


def test_the_file_has_an_entry_a_line() -> None:
    entries = run_entries(["quickstart"], ["torr/lexical"])
    lines = conf(entries).splitlines()
    assert (lines[0], lines[-1]) == ("entries: [", "]")
    assert len(lines) == len(entries) + 2


@pytest.mark.parametrize("name", ["a,b", "a b", ""])
def test_a_name_that_no_entry_can_hold_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="without commas and blanks"):
        run_entries(["quickstart"], [name])
