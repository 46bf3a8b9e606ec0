"""Checks for authors of plugins, to be called in their own tests.

Each raises AssertionError with what is wrong. Hypothesis makes the tables, and is imported when a check runs:
``pip install hypothesis``::

    from torr_plugin.testing import check_serializer

    def test_my_format():
        check_serializer(MyFormat())
"""

from __future__ import annotations

from ..plugins import registered
from .designs import check_design
from .metrics import check_metric
from .perturbations import check_perturbation
from .serializers import check_serializer

__all__ = ["check_design", "check_metric", "check_perturbation", "check_serializer", "registered"]
