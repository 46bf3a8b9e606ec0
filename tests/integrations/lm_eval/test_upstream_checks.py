"""What lm-eval's own suite asks of every task (its tests/test_tasks.py), asked of ours.

A task is handled as that suite handles it: it is downloaded, its splits are named, at most ten documents of a
split are put into words, and requests are made of the texts.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from torr_plugin.core.errors import DataError
from torr_plugin.integrations.lm_eval.task import TableTask
from torr_plugin.integrations.lm_eval.task_files import pictures, task_text
from torr_plugin.integrations.studies import StudyPart, known_studies, study_parts

MOST = 10
NOT_HERE = {
    "feverous",
    "finqa",
    "hybrid_qa",
    "qtsumm",
    "sqa",
    "tablebench_data_analysis",
    "tablebench_fact_checking",
    "tablebench_numerical_reasoning",
    "totto",
    "turl_col_type",
}


def made(study: str, part: StudyPart) -> TableTask:
    """The task as lm-eval reads it from its file."""
    text = task_text(part, study).replace("!function ", "")
    return TableTask({key: value for key, value in yaml.safe_load(text).items() if key != "class"})


def check_what_it_says(task: TableTask) -> None:
    """Splits, decontamination, and the figures, none of which needs the data."""
    config = task.config
    for split, has in (
        ("training_split", task.has_training_docs()),
        ("validation_split", task.has_validation_docs()),
        ("test_split", task.has_test_docs()),
    ):
        assert has in (True, False)
        assert not has or config[split] is not None
    assert task.has_test_docs()
    assert task.should_decontaminate() in (True, False)
    assert not task.should_decontaminate() or config["doc_to_decontamination_query"] is not None
    assert config.output_type == "generate_until"
    figures = task.aggregation()
    assert figures
    assert set(figures) == set(task.higher_is_better())
    assert all(callable(each) for each in figures.values())


def check_documents(task: TableTask, most: int = MOST) -> None:
    """Texts, targets and requests of the first documents."""
    task.download()
    assert task.dataset is not None
    assert task.dataset[task.config.test_split] is not None
    documents = [task.test_docs()[at] for at in range(min(most, len(task.test_docs())))]
    texts = [task.doc_to_text(each) for each in documents]
    assert not task.multiple_input
    assert not task.multiple_inputs
    assert all(isinstance(text, str) for text in texts)
    if task.config.target_delimiter.isspace():
        assert [text[-20:] for text in texts if text[-1:].isspace()] == []
    assert all(isinstance(task.doc_to_target(each), str) for each in documents)
    requests = [
        task.construct_requests(doc=each, ctx=text) for each, text in zip(documents, texts, strict=True)
    ]
    assert [each[0].args[0] for each in requests] == texts
    task.build_all_requests(rank=min(1, len(documents) - 1), limit=most, world_size=1)
    assert task.instances


def test_the_tasks_of_a_study(study: Path) -> None:
    for part in study_parts(str(study)):
        task = made(str(study), part)
        check_what_it_says(task)
        check_documents(task)
        named = list(made(str(study), part).aggregation())
        _, document = next(task.doc_iterator())
        found = task.process_results(document, [""] * len(document["torr"]))
        assert set(found) == set(named)
        assert list(task.aggregation()) == named


def all_parts() -> list[tuple[str, StudyPart]]:
    every = [(study, part) for study in known_studies() for part in study_parts(study)]
    return [(study, part) for study, part in every if len(pictures(study, part.config)) == 1]


@pytest.mark.full
def test_what_every_task_says() -> None:
    tasks = [made(study, part) for study, part in all_parts()]
    assert len(tasks) > 800
    for task in tasks:
        check_what_it_says(task)


@pytest.mark.full
def test_the_documents_of_every_task_with_data(mirror: Path) -> None:
    without_data = set()
    for study, part in all_parts():
        if part.dataset in without_data:
            continue
        try:
            check_documents(made(study, part), MOST if part.config is None else 1)
        except DataError:
            without_data.add(part.dataset)
    # the first have no tables here, the second no published data at all, and tests have no data of the rest
    by_design = {each for each in without_data if each.startswith(("realhitbench.", "tablequest."))}
    assert without_data - by_design <= NOT_HERE
    assert len(by_design) <= 5 + 3
