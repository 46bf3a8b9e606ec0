"""The readers together: each knows its own logs, and gives them without their being imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.helm import HELM
from torr_plugin.integrations.logs.lm_eval import LM_EVAL
from torr_plugin.integrations.logs.log import recognising
from torr_plugin.integrations.logs.unitxt import UNITXT

from ..importing import helm_output, lm_eval_output, test_unitxt

READERS = {reader.name: reader for reader in (HELM, LM_EVAL, UNITXT)}


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
    assert [reader.name for reader in recognising(folder, READERS.values())] == [harness]
    (file,) = READERS[harness].read(folder).files
    results = file.read()
    assert {result.record for result in results} == {None}
    assert all(result.answer and result.scores for result in results)
    assert file.model.label


@pytest.mark.parametrize("harness", READERS)
def test_an_empty_folder_is_nobody_s(harness: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results of"):
        READERS[harness].read(tmp_path)
