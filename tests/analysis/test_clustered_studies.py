"""Scores files and runs that say which examples are about one table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import AnalysisError, analyse


def clustered_frame(scores: np.ndarray, tables: np.ndarray) -> pd.DataFrame:
    """A scores file with a column ``cluster``."""
    frame = cube_frame(scores)
    return frame.assign(cluster=[f"t{tables[int(example[1:])]}" for example in frame["example"]])


def test_intervals_are_over_tables() -> None:
    tables = np.repeat(np.arange(12), 8)
    truth = np.random.default_rng(1).random(12)
    scores = np.broadcast_to(truth[tables] > 0.5, (1, 2, 96)).astype(float)  # one answer a table, eight times
    by_example, by_table = (
        analyse(frame, resamples=400)["performance"]["m0"]["overall"]
        for frame in (cube_frame(scores), clustered_frame(scores, tables))
    )
    assert by_table["value"] == by_example["value"]
    widths = [found["high"] - found["low"] for found in (by_table, by_example)]
    assert widths[0] > 2 * widths[1]


def test_a_cluster_column_counts_as_the_tables_of_a_card() -> None:
    tables = np.repeat(np.arange(5), 3)
    scores = np.random.default_rng(2).random((2, 3, 15))
    known = pd.DataFrame(
        {
            "dataset": "d",
            "example": [f"e{e:04d}" for e in range(15)],
            "groups": [f'{{"table": "{table}"}}' for table in tables],
            "properties": "{}",
            "cells": 4,
        }
    )
    in_file, in_card = (
        analyse(clustered_frame(scores, tables), resamples=20),
        analyse(cube_frame(scores), resamples=20, examples=known),
    )
    assert in_file == in_card


def test_an_example_of_two_clusters_is_refused() -> None:
    frame = cube_frame(np.ones((1, 2, 2))).assign(cluster=["a", "b", "c", "b"])
    with pytest.raises(AnalysisError, match="example 'e0000' has the clusters 'a', 'c'; expected one"):
        analyse(frame)


def test_a_replicate_that_is_no_number_is_refused() -> None:
    frame = cube_frame(np.ones((1, 1, 2))).assign(replicate=["0", "second"])
    with pytest.raises(AnalysisError, match="row 2: replicate is 'second'; expected 0 for a first answer"):
        analyse(frame)


def test_replicates_change_no_figure_of_first_answers() -> None:
    scores = np.random.default_rng(3).random((2, 2, 6))
    first = cube_frame(scores)
    again = first.assign(replicate=1, score=0.0)
    both = pd.concat([first.assign(replicate=0), again])
    assert analyse(both, resamples=10)["performance"] == analyse(first, resamples=10)["performance"]


def test_two_second_answers_to_one_prompt_are_refused() -> None:
    first = cube_frame(np.ones((1, 1, 2)))
    again = first.iloc[[0, 0]].assign(replicate=1)
    with pytest.raises(
        AnalysisError, match="example 'e0000' has several rows with replicate 1; expected one"
    ):
        analyse(pd.concat([first.assign(replicate=0), again]))
