"""What a study says of a data set, for the harnesses."""

from __future__ import annotations

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.studies import dataset_entry


def test_the_card_is_the_study_s_with_its_metrics_and_demonstrations() -> None:
    entry = dataset_entry("torr", "wikitq")
    assert (entry.card.main_metric, entry.shots, entry.seed) == ("f1_strings", 1, 0)


def test_a_data_set_that_the_study_does_not_ask() -> None:
    with pytest.raises(InputError, match="recipe 'torr': unknown data set 'pets'"):
        dataset_entry("torr", "pets")
