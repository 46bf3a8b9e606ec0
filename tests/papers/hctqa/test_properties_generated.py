"""What a generated table was made with is what is detected in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from torr_plugin.papers.hctqa.generator.dataset import generate
from torr_plugin.papers.hctqa.generator.instance import HctInstance, TableAxis
from torr_plugin.papers.hctqa.generator.layout.properties import table_properties
from torr_plugin.papers.hctqa.generator.parameters.loading import load_parameters
from torr_plugin.papers.hctqa.properties import detect
from torr_plugin.papers.hctqa.property_names import DETECTED


def has_groups_of_one(axis: TableAxis) -> bool:
    """Whether some group has a single line, which equals its own total, average, largest and smallest."""
    depth = len(axis.attributes)
    groups = Counter(path[:level] for path in {*axis.leaves} for level in range(1, depth))
    return len(axis.leaves) == 1 or 1 in groups.values()


def can_be_told(instance: HctInstance) -> bool:
    return not has_groups_of_one(instance.rows) and not has_groups_of_one(instance.columns)


def differences(instance: HctInstance, answer: dict[str, bool]) -> set[str]:
    known = table_properties(instance)
    return {name for name in DETECTED if known[name] != answer[name]}


@pytest.mark.full
def test_properties_known_from_making_a_table_are_detected_in_it() -> None:
    different, seen = 0, Counter[str]()
    for generated in generate(load_parameters(), tables=150, seed=5, kinds=[1]):
        answer = detect(generated.table)
        wrong = differences(generated.instance, answer)
        assert not (wrong and can_be_told(generated.instance)), (generated.instance.table_id, wrong)
        different += bool(wrong)
        seen.update(name for name in DETECTED if answer[name])
    assert different <= 2
    never = {name for name in DETECTED if "Multi Level" in name} - set(seen)
    assert never == set()


@pytest.mark.full
@pytest.mark.usefixtures("shared_data")
def test_so_it_is_with_the_parameters_of_the_benchmark(shared_data: Path) -> None:
    parameters = load_parameters(shared_data / "hctqa" / "generator_params")
    made = generate(parameters, tables=300, seed=11, kinds=[1])
    wrong = [one.instance for one in made if differences(one.instance, detect(one.table))]
    assert not any(map(can_be_told, wrong))
    assert len(wrong) <= 3
