"""Files of Every Eval Ever: results as they are meant, and no score that a converter made up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import missing
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale
from torr_plugin.integrations.logs.reading import read_scores


def read(path: Path) -> BoardScores:
    return read_scores([path])


def result(name: str = "quiz", score: float = 0.5, *, n: int | None = None, **metric: Any) -> dict[str, Any]:
    config = {"metric_id": "accuracy", "lower_is_better": False, "score_type": "continuous"} | metric
    uncertainty = {} if n is None else {"uncertainty": {"num_samples": n, "standard_error": {"value": 0.125}}}
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": name, "source_type": "other"},
        "metric_config": {"min_score": 0, "max_score": 1} | config,
        "score_details": {"score": score, **uncertainty},
    }


def write(
    folder: Path,
    results: Sequence[dict[str, Any]] = (),
    lines: Sequence[dict[str, Any]] = (),
    *,
    model: str = "org/m",
    library: str = "unknown",
    when: str = "1750000000",
    version: str = "0.3.0",
) -> Path:
    """A model's two files; gives the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    of = f"src/{model.replace('/', '_')}/{when}"
    name = f"{model.replace('/', '-')}-{when}"
    if results:
        aggregate = {
            "schema_version": version,
            "evaluation_id": of,
            "retrieved_timestamp": when,
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": "org",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": library, "version": "1"},
            "model_info": {"name": model, "id": model, "additional_details": {}},
            "evaluation_results": list(results),
        }
        (folder / f"{name}.json").write_text(json.dumps(aggregate))
    if lines:
        told = {"schema_version": version, "evaluation_id": of, "model_id": model}
        text = "".join(json.dumps(told | line) + "\n" for line in lines)
        (folder / f"{name}_samples.jsonl").write_text(text)
    return folder


def line(id_: str, score: float, name: str = "quiz", right: str = "yes", **more: Any) -> dict[str, Any]:
    return {
        "evaluation_name": name,
        "sample_id": id_,
        "sample_hash": "0" * 64,
        "interaction_type": "single_turn",
        "input": {"raw": f"question {id_}", "reference": [right]},
        "output": {"raw": ["said"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1},
        **more,
    }


def scores(board: BoardScores) -> list[tuple[str, str, int, float | None]]:
    return [
        (row.metric, row.item, row.replicate, None if pd.isna(row.score) else row.score)
        for row in board.items.itertuples()
    ]


def test_results_with_their_scale_n_and_error(tmp_path: Path) -> None:
    results = [
        result(score=75.5, n=80, metric_unit="percent", min_score=0, max_score=100),
        result("rank", 3.5, metric_id="elo", max_score="Infinity", lower_is_better=True),
        result("grade", 2, metric_id="grade", score_type="levels", level_names=["a", "b", "c"]),
    ]
    board = read(write(tmp_path, results))
    assert board.aggregates[["task", "metric", "score", "n", "error", "digits"]].iloc[0].tolist() == [
        *("quiz", "accuracy", 0.755, 80.0, 0.00125, 3)
    ]
    assert board.aggregates.score.tolist()[1:] == [3.5, 2.0]
    assert board.scales == {
        "elo": MetricScale(0.0, None, higher_is_better=False),
        "grade": MetricScale(0.0, 2.0),
    }
    assert board.notes == ("quiz: accuracy is in percent, and is read as a share",)


def test_an_interval_gives_the_standard_error(tmp_path: Path) -> None:
    given = result()
    given["score_details"]["uncertainty"] = {"confidence_interval": {"lower": 0.402, "upper": 0.598}}
    assert read(write(tmp_path, [given])).aggregates.error[0] == pytest.approx(0.05, abs=1e-5)


def test_an_unknown_score_is_none(tmp_path: Path) -> None:
    levels = {"score_type": "levels", "level_names": ["no", "yes"], "has_unknown_level": True}
    free = result("d", -1, min_score=None, max_score=None)
    given = [result("a", -1, **levels), result("b", 1, **levels), result("c", -1), free]
    board = read(write(tmp_path, given))
    assert board.aggregates.task.tolist() == ["b", "d"]
    assert board.notes[:2] == tuple(f"{t}: org/m: a score of -1 is one that is not known" for t in "ac")


@pytest.mark.parametrize("names", [("mmlu", "mmlu/law", "mmlu/art"), ("Overall", "law", "art")])
def test_an_overall_and_its_parts_count_once(tmp_path: Path, names: tuple[str, ...]) -> None:
    board = read(write(tmp_path, [result(name) for name in names]))
    assert board.aggregates.task.tolist() == list(names[1:])
    assert board.notes == (f"{names[0]}: accuracy over others is left out, for its parts count",)


def test_the_newest_of_several_results_counts(tmp_path: Path) -> None:
    for when, score in {"1750000002": 0.75, "1750000001": 0.25}.items():
        lines = [line(str(at), float(at < score * 4)) for at in range(4)]
        write(tmp_path, [result(score=score)], lines, when=when)
    board = read(tmp_path)
    assert board.items.score.tolist() == [1.0, 1.0, 1.0, 0.0]
    assert board.notes == ("quiz: several results of org/m; the newest counts",)


def test_instances_are_items_of_the_result_whose_mean_they_have(tmp_path: Path) -> None:
    results = [result(metric_id="f1", score=0.7), result(score=0.5)]
    board = read(write(tmp_path, results, [line("1", 1.0), line("2", 0.0)]))
    assert scores(board) == [("accuracy", "1", 0, 1.0), ("accuracy", "2", 0, 0.0)]
    assert board.aggregates.metric.tolist() == ["f1"]
    assert board.items.same.nunique() == 2


def test_a_few_instances_and_made_up_ones_are_of_no_result(tmp_path: Path) -> None:
    """As HELM's converter gives exact matches, whatever the metric is."""
    given = result("f1_score test on quiz", 0.174, metric_id=None, evaluation_description="f1_score")
    board = read(write(tmp_path, [given], [line("1", 0.0), line("2", 0.0)], library="helm"))
    assert board.items.empty
    assert board.aggregates[["task", "metric", "score"]].to_numpy().tolist() == [["quiz", "f1_score", 0.174]]
    assert board.notes == (
        "quiz: org/m: 2 instances with a mean of 0 are of no result (f1_score 0.174); the results count",
    )


def test_ten_of_many_are_of_no_result_though_they_have_its_mean(tmp_path: Path) -> None:
    lines = [line(str(at), 0.0) for at in range(10)]
    board = read(write(tmp_path, [result(score=0.0, n=5000)], lines))
    assert (len(board.items), board.aggregates.n.tolist()) == (0, [5000.0])
    assert "10 instances with a mean of 0 are of no result (accuracy 0 of 5,000)" in board.notes[0]


def test_scorers_with_one_metric_are_apart(tmp_path: Path) -> None:
    """As inspect's converter writes them: one metric, and results by the scorer."""
    results = [
        result(score=score) | {"evaluation_result_id": f"{scorer}:accuracy"}
        for scorer, score in {"choice": 0.5, "judge": 1.0}.items()
    ]
    lines = [
        line(id_, score) | {"evaluation_result_id": "choice:accuracy"}
        for id_, score in (("1", 1.0), ("2", 0.0))
    ]
    board = read(write(tmp_path, results, lines, library="inspect"))
    assert {cell[0] for cell in scores(board)} == {"choice:accuracy"}
    assert board.aggregates.metric.tolist() == ["judge:accuracy"]


def test_lm_eval_s_own_scores_come_before_the_converter_s(tmp_path: Path) -> None:
    logged = [{"em": True, "f1": 0.5}, {"em": False, "f1": 0.25}, {"em": [[1, 2]], "f1": [0, 1]}]
    lines = [
        line(str(at), 0.0, metadata={"lm_eval_metrics": json.dumps(each), "doc_hash": f"h{at}"})
        for at, each in enumerate(logged)
    ]
    results = [result(metric_id="e-m", metric_name="em", score=0.5), result(metric_id="f1", score=0.375)]
    board = read(write(tmp_path, results, lines, library="lm_eval"))
    assert scores(board) == [
        *(("e-m", "0", 0, 1.0), ("e-m", "1", 0, 0.0), ("e-m", "2", 0, None)),
        *(("f1", "0", 0, 0.5), ("f1", "1", 0, 0.25), ("f1", "2", 0, None)),
    ]
    assert board.items.same.tolist()[:3] == ["h0", "h1", "h2"]
    assert "1 instances without a score, where the converter wrote 0, are unscored" in board.notes[0]


def test_the_repeated_mean_of_inspect_s_epochs_counts_once(tmp_path: Path) -> None:
    named = "accuracy on quiz for scorer match"
    given = result(named, 0.375, metric_id=None, evaluation_description="accuracy")
    lines = [
        line(id_, mean, metadata={"epoch": str(epoch), "stop_reason": "stop"})
        for epoch in (1, 2)
        for id_, mean in {"1": 0.5, "2": 0.25}.items()
    ]
    board = read(write(tmp_path, [given], lines, library="inspect_ai"))
    assert scores(board) == [("match", "1", 0, 0.5), ("match", "2", 0, 0.25)]
    assert "all epochs have one score, which the converter repeats" in board.notes[0]


def test_epochs_with_scores_of_their_own_are_replicates(tmp_path: Path) -> None:
    lines = [line("1", float(e == 2), metadata={"epoch": str(e), "stop_reason": "stop"}) for e in (1, 2)]
    board = read(write(tmp_path, [result(score=0.5)], lines, library="inspect_ai"))
    assert scores(board) == [("accuracy", "1", 0, 0.0), ("accuracy", "1", 1, 1.0)]


def test_a_failed_instance_is_no_zero(tmp_path: Path) -> None:
    board = read(write(tmp_path, [result(score=1.0)], [line("1", 1.0), line("2", 0.0, error="timeout")]))
    assert board.items.status.tolist() == ["scored", "failed"]


def test_instances_of_two_libraries_are_not_joined(tmp_path: Path) -> None:
    for library, model in (("lm_eval", "org/a"), ("inspect_ai", "org/b")):
        logged = {"metadata": {"lm_eval_metrics": '{"accuracy": 1.0}'}} if library == "lm_eval" else {}
        write(tmp_path, [result(score=1.0)], [line("1", 1.0, **logged)], model=model, library=library)
    board = read(tmp_path)
    assert set(board.items.task) == {"quiz (lm_eval)", "quiz (inspect_ai)"}
    assert any("is kept apart from that of" in note for note in board.notes)


def test_instances_alone(tmp_path: Path) -> None:
    board = read(write(tmp_path, [], [line("1", 1.0)]))
    assert scores(board) == [("score", "1", 0, 1.0)]
    assert "without results beside them" in board.notes[0]


def test_instances_alone_say_which_converter_wrote_them(tmp_path: Path) -> None:
    logged = [{"em": True}, {"em": [[1, 2]]}]
    lines = [line(str(at), 0.0, metadata={"lm_eval_metrics": json.dumps(e)}) for at, e in enumerate(logged)]
    board = read(write(tmp_path / "lm_eval", [], lines))
    assert scores(board) == [("em", "0", 0, 1.0), ("em", "1", 0, None)]
    lines = [line("1", 0.5, metadata={"epoch": epoch, "stop_reason": "stop"}) for epoch in ("1", "2")]
    assert scores(read(write(tmp_path / "inspect", [], lines))) == [("score", "1", 0, 0.5)]


def test_our_own_results_come_back(tmp_path: Path) -> None:
    """What torr export writes: a result a data set, and one a configuration, with the instances' ids."""
    ours = {"additional_details": {"dataset": "finqa", "config": "html/none/default"}}
    whole = {"additional_details": {"dataset": "finqa", "aggregation": "mean over configurations"}}
    name = "finqa/html/none/default"
    results = [
        result("finqa", 0.4, **whole) | {"evaluation_result_id": "finqa"},
        result(name, 0.4, **ours) | {"evaluation_result_id": name},
    ]
    lines = [line(str(at), at / 4, name) | {"evaluation_result_id": name} for at in range(3)]
    board = read(write(tmp_path, results, lines, library="torr-plugin"))
    assert board.items[["task", "config", "metric", "score"]].to_numpy().tolist() == [
        ["finqa", "html/none/default", "accuracy", at / 4] for at in range(3)
    ]
    assert board.aggregates.empty


def drop(key: str) -> Any:
    return lambda given: given.pop(key)


@pytest.mark.parametrize(
    ("results", "lines", "version", "message"),
    [
        ([result()], (), "0.2.1", r"schema_version: found '0.2.1'; expected version 0.3.x of the schema"),
        ([result(score=float("nan"))], (), "0.3.0", "score: .*a finite number"),
        ([result(score=1.5)], (), "0.3.0", "found a score of 1.5; expected 0 to 1"),
        ((), [line("1", float("nan"))], "0.3.0", "score: .*a finite number"),
        ((), [line("1", 1.0), line("1", 0.0)], "0.3.0", "item '1': has two scores"),
        ([result(), result("b", lower_is_better=True)], (), "0.3.0", "has two directions"),
    ],
)
def test_bad_files(
    tmp_path: Path, results: Sequence[Any], lines: Sequence[Any], version: str, message: str
) -> None:
    write(tmp_path, results, lines, version=version)
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path)
    assert "\n" not in str(caught.value)


def test_shares_beside_percentages(tmp_path: Path) -> None:
    for model, score in {"org/a": 0.75, "org/b": 80.0}.items():
        write(tmp_path, [result(score=score, min_score=None, max_score=None)], model=model)
    with pytest.raises(InputError, match=r"accuracy is 0.75 of one model and 80 of another: a share beside"):
        read(tmp_path)


def test_one_id_with_two_targets(tmp_path: Path) -> None:
    for model, right in {"org/a": "yes", "org/b": "no"}.items():
        write(tmp_path, [result(score=1.0)], [line("1", 1.0, right=right)], model=model)
    with pytest.raises(InputError, match="item '1': has two questions or targets"):
        read(tmp_path)


def test_the_project_s_own_sample(shared_data: Path) -> None:
    folder = shared_data / "harness_logs"
    if not folder.is_dir():
        missing("these files are not here")
    board = read(folder / "skill_reference_conversion")
    assert board.aggregates[["model", "task", "metric", "score"]].to_numpy().tolist() == [
        ["demo-org/demo-model", "demo-source.demo_bench", "accuracy", 0.75]
    ]
    with pytest.raises(InputError, match="of none of the"):
        read(folder / "every_eval_ever_schemas")


def test_all_harnesses_in_one_folder(shared_data: Path) -> None:
    folder = shared_data / "harness_logs"
    if not folder.is_dir():
        missing("these files are not here")
    board = read(folder)
    apart = [read(each) for each in sorted(folder.iterdir()) if each.name in {"helm", "inspect", "lm_eval"}]
    assert len(board.items) == sum(len(each.items) for each in apart)
    assert len(board.aggregates) == sum(len(each.aggregates) for each in apart) + 1
