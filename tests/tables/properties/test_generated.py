"""What a generated table was made with is what is detected in it."""

from __future__ import annotations

from collections import Counter

from torr_plugin.synthesis.hctqa.dataset import generate
from torr_plugin.synthesis.hctqa.instance import Axis, HctInstance
from torr_plugin.synthesis.hctqa.parameters import load_parameters
from torr_plugin.synthesis.hctqa.properties import table_properties
from torr_plugin.tables.properties import DETECTED, detect


def has_groups_of_one(axis: Axis) -> bool:
    """Whether some group has a single line, which equals its own total, average, largest and smallest."""
    depth = len(axis.attributes)
    groups = Counter(path[:level] for path in {*axis.leaves} for level in range(1, depth))
    return len(axis.leaves) == 1 or 1 in groups.values()


def can_be_told(instance: HctInstance) -> bool:
    """Not so the largest of a group, which is now and then that of another one too."""
    extreme = instance.aggregate is not None and instance.aggregate.function in ("max", "min")
    return not extreme and not has_groups_of_one(instance.rows) and not has_groups_of_one(instance.columns)


def test_properties_known_from_making_a_table_are_detected_in_it() -> None:
    compared, seen = 0, Counter[str]()
    for generated in generate(load_parameters(), tables=150, seed=5, kinds=[1]):
        if not can_be_told(generated.instance):
            continue
        known, answer = table_properties(generated.instance), detect(generated.table)
        different = {name for name in DETECTED if known[name] != answer[name]}
        assert not different, (generated.instance.table_id, different)
        compared += 1
        seen.update(name for name in DETECTED if answer[name])
    assert compared > 40
    never = {name for name in DETECTED if "Multi Level" in name or "Aggregation" in name} - set(seen)
    assert never <= {"Unbalanced Multi Level Column", "Implicit Column Aggregation Terms"}
