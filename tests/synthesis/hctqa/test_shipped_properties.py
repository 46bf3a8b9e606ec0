"""Every table property comes about with our own parameters, and is then detected in the drawn table."""

from __future__ import annotations

from torr_plugin.synthesis.hctqa.combinations import plan_tables
from torr_plugin.synthesis.hctqa.layout.pivot import hct_table
from torr_plugin.synthesis.hctqa.layout.properties import table_properties
from torr_plugin.synthesis.hctqa.parameters.loading import load_parameters
from torr_plugin.synthesis.hctqa.sampling import sample_instance
from torr_plugin.tables.properties import DETECTED, detect

MOST = 5_000


def test_every_property_is_produced_and_detected() -> None:
    parameters = load_parameters()
    missing = set(DETECTED)
    for wanted in plan_tables(parameters, seed=1, tables=MOST):
        instance = sample_instance(parameters, wanted.combination, wanted.replica, seed=1)
        known = table_properties(instance)
        if any(known[name] for name in missing):
            found = detect(hct_table(instance))
            missing -= {name for name in missing if known[name] and found[name]}
        if not missing:
            break
    assert not missing
