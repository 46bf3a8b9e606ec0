# ruff: noqa: F401
"""Imported by the process that :class:`.forked.Forked` forks: most of what a run imports on its way."""

import lm_eval.api.model
import rich.console

import torr_plugin.analysis
import torr_plugin.cli.commands.run
import torr_plugin.scoring
import torr_plugin.workflows.study
