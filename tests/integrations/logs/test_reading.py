"""The readers together: each knows its own logs, and gives them without their being imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.integrations.logs import read_log
from torr_plugin.integrations.logs.reading import readers

from ..importing import helm_output, lm_eval_output, test_unitxt

READERS = {reader.name: reader for reader in readers()}


def written(harness: str, folder: Path) -> Path:
    if harness == "HELM":
        helm_output.write_run(folder, helm_output.HTML, "org/m", helm_output.TRUTH)
    elif harness == "lm-eval":
        lm_eval_output.write_run(folder, "task", [lm_eval_output.sample(0)])
    else:
        test_unitxt.write(folder, {test_unitxt.PLAIN: [test_unitxt.instance(0, "entailed")]})
    return folder


@pytest.mark.parametrize("harness", READERS)
def test_a_reader_recognises_its_own_logs_alone(harness: str, tmp_path: Path) -> None:
    folder = written(harness, tmp_path)
    assert [name for name, reader in READERS.items() if reader.recognises(folder)] == [harness]
    ((file, found),) = read_log(READERS[harness], folder).contents()
    assert {result.record for result in found.results} == {None}
    assert all(result.answer and result.scores for result in found.results)
    assert file.model.label


def test_an_empty_folder_is_nobody_s(tmp_path: Path) -> None:
    assert not any(reader.recognises(tmp_path) for reader in READERS.values())
    assert all(not reader.read(tmp_path).files for reader in READERS.values())
