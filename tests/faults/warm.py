"""Imported by the process that :class:`.forked.Forked` forks."""

from .forked import import_all

import_all()
