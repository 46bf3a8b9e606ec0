"""No recipe of a user of unitxt's changes by our registering, but for the cards that are said to be ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torr_plugin.integrations.unitxt import artifacts

PROBE = """
import json
from unitxt import load_dataset
from unitxt.artifact import fetch_artifact
from unitxt.catalog import LocalCatalog
from unitxt.loaders import LoadFromDictionary
from unitxt.card import TaskCard

rows = [{"question": f"How many in row {at}?", "answers": [str(at)], "context_type": "table",
         "context": {"header": ["a", "b & c"], "rows": [[str(at), "x"], ["2", "y"], ["3", "z"]]}}
        for at in range(6)]

def written(serializer, augmentor):
    card = TaskCard(loader=LoadFromDictionary(data={"train": rows, "test": rows}),
                    task="tasks.qa.with_context.extractive[metrics=[metrics.f1_strings]]")
    found = load_dataset(
        card=card, template="templates.qa.with_context.simple", num_demos=2, demos_pool_size=4,
        serializer=serializer, augmentor=augmentor, split="test", streaming=True)
    return [[each["source"], each["references"], each["metrics"]] for each in found]

def everything():
    return [written(f"serializers.table.{s}", f"augmentors.table.{a}")
        for s, a in [("html", "transpose"), ("concat", "shuffle_rows"), ("json", "shuffle_cols"),
                     ("df", "insert_empty_rows"), ("indexed_row_major", "shuffle_rows"),
                     ("markdown", "transpose")]]

alone = everything()
import torr_plugin
torr_plugin.register()
assert alone == everything()

from pathlib import Path
import unitxt
place = Path(unitxt.__file__).parent / "catalog"
names = sorted(".".join(each.relative_to(place).with_suffix("").parts) for each in place.rglob("*.json"))
from torr_plugin.integrations.unitxt.catalog import TorrCatalog
ours = TorrCatalog()
wikitq = "cards.wikitq"
assert wikitq in names and wikitq not in ours and wikitq in TorrCatalog(override=True)
others = [each for each in names if not each.startswith("recipes.")]
others += [each for each in names if each.startswith("recipes.")][::25]
print(json.dumps({"names": len(others), "ours": [each for each in others if each in ours]}))
"""


@pytest.mark.full
def test_what_unitxt_has_stays_as_it_was(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROBE],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["names"] > 500
    assert found["ours"] == []


def test_global_state_is_put_back_once_a_metric_and_not_for_every_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_back: list[object] = []
    monkeypatch.setattr("random.setstate", put_back.append)
    monkeypatch.setattr(artifacts, "_RATED", set())
    metric = artifacts.TorrMetric(name="exact_match", main_score="exact_match")
    for _ in range(3):
        assert metric.map("a", ["a"], {}) == {"exact_match": 1.0}
    assert len(put_back) == 1
