"""What every serializer, perturbation, design and metric promises, by the checks of torr-plugin."""

from __future__ import annotations

import torr_example
from torr_example.designs import Dialogue, Draft
from torr_example.metric import NumberInText
from torr_example.perturbation import ReverseRows
from torr_example.serializer import JsonLines

from torr_plugin.testing import check_design, check_metric, check_perturbation, check_serializer, registered


def test_the_serializer():
    check_serializer(JsonLines())


def test_the_perturbation():
    check_perturbation(ReverseRows())


def test_the_designs():
    check_design(Dialogue())
    check_design(Draft())


def test_the_metric():
    check_metric(NumberInText())
    assert NumberInText().scores("It costs 4.52 in all.", ["4.50"]) == {"number_in_text": 1.0}
    assert NumberInText().scores("It costs 5.00.", ["4.50"]) == {"number_in_text": 0.0}


def test_all_of_it_registers():
    with registered(torr_example, "example") as adds:
        assert len(adds) == 12
