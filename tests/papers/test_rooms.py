"""What a paper's room brings is there in every process, and stands beside what plugins bring."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import torr_plugin
from torr_plugin.core.errors import InputError
from torr_plugin.prompts import DefaultDesign, designs

FRESH = """
from concurrent.futures import ThreadPoolExecutor
from torr_plugin.prompts import designs
names = ["suc", "tree_thinker", "table_size+suc_no_role", "self_augmented"] * 4
with ThreadPoolExecutor(8) as threads:
    print(*[each.name for each in threads.map(designs.get, names)])
"""


def test_a_process_that_loads_no_plugins_finds_the_designs_from_any_thread() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["suc", "tree_thinker", "table_size+suc_no_role", "self_augmented"] * 4


@pytest.mark.parametrize("name", ["suc_no_marks", "table_size+suc", "tree_thinker_gold"])
def test_a_design_can_be_sent_to_a_worker(name: str) -> None:
    sent = pickle.loads(pickle.dumps(designs.get(name)))
    assert (sent.name, sent.steps, sent.base) == (
        name,
        designs.get(name).steps,
        designs.get(name).base,
    )


def test_a_plugin_cannot_take_a_paper_s_name() -> None:
    taken = DefaultDesign()
    taken.name = "suc"
    with pytest.raises(
        InputError, match="two designs are called 'suc': one from torr-plugin, one from theirs"
    ):
        designs.add(taken, origin="theirs")
    assert "suc" in designs.names()


PACKAGE = Path(torr_plugin.__file__).parent
ROOMS = [path.parent.name for path in sorted(PACKAGE.glob("papers/*/__init__.py"))]
BROUGHT = {
    "hctqa": {"hctqa_csv", "canonical_csv", "nonsense", "fact_verification", "hctqa_vision"},
    "realhitbench": {"charts", "tree_thinker", "exchange_row_groups", "realhitbench"},
    "suc": {"suc", "table_partition", "suc_table_partition", "feverous"},
    "tablequest": {"filings", "tablequest"},
    "torr": {"finqa", "column_types", "torr_f1_strings", "torr.csv"},
}
ALL_NAMES = """
from torr_plugin.catalog.generated import data_set_makers, generators, table_questions
from torr_plugin.prompts import designs
from torr_plugin.scoring.metrics import metrics
from torr_plugin.tables import perturbations, readers, serializers
from torr_plugin.tables.measures import measures
import torr_plugin.analysis, torr_plugin.leaderboard, torr_plugin.running, torr_plugin.question_writing
for found in data_set_makers, designs, generators, measures, metrics, perturbations, table_questions:
    print(*found.names())
print(*readers.names(), *serializers.names())
"""


EVERY_MODULE = """
import importlib, pkgutil, torr_plugin
for found in pkgutil.walk_packages(torr_plugin.__path__, "torr_plugin."):
    if found.name.startswith("torr_plugin.scoring.sandbox.inside") or found.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(found.name)
    except ImportError as error:  # of an extra that is not installed
        if (error.name or "torr_plugin").startswith("torr_plugin"):
            raise
"""


def copy_without(room: str, folder: Path) -> Path:
    shutil.copytree(PACKAGE, folder / "torr_plugin", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(folder / "torr_plugin" / "papers" / room)
    return folder


def said(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("room", ROOMS)
def test_without_a_room_the_rest_is_there(room: str, tmp_path: Path) -> None:
    copy = copy_without(room, tmp_path)
    names = set(said(copy, "-c", ALL_NAMES).split())
    assert {"exact_match", "default", "shuffle_rows", "grid", "length"} <= names
    for other in ROOMS:
        gone = BROUGHT[other] - names
        expected = BROUGHT[room] if other == room else set()
        assert gone == expected, other
    said(copy, "-c", EVERY_MODULE)
    listed = said(copy, "-m", "torr_plugin.cli", "list", "metrics")
    assert "exact_match" in listed
    assert not any(line.split()[0] in BROUGHT[room] for line in listed.splitlines())
