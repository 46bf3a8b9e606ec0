"""Our pivot against the benchmark's own tables: the same cells, spans and relational rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.layout.relational import relational

from .benchmark_sample import Sampled, sampled, texts


@pytest.fixture(scope="module")
def sample(shared_data: Path) -> list[Sampled]:
    return list(sampled(shared_data))


def test_every_table_of_the_sample_is_laid_out_as_published(sample: list[Sampled]) -> None:
    assert len(sample) == 120
    other = [one for one in sample if texts(hct_table(one.instance)) != texts(one.table)]
    # the reference writes a row twice where one level of rows is to be indented: once more below a blank
    assert len(other) == 4
    for one in other:
        assert one.instance.row_format == "indent"
        assert len(one.instance.rows.attributes) == 1
        published = texts(one.table)
        head = len(one.instance.columns.attributes)
        once = published[:head] + [row for row in published[head:] if row[0][0]]
        assert len(published) - len(once) == len(one.instance.rows.leaves)
        assert once == texts(hct_table(one.instance))


def test_the_relational_rows_come_in_the_benchmark_s_order(sample: list[Sampled]) -> None:
    for one in sample:
        assert relational(one.instance) == one.relational
