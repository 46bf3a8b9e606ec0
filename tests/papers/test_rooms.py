"""What a paper's room brings is there in every process, and stands beside what plugins bring."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

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
