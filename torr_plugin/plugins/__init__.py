"""Loads plugins (entry-point group ``torr_plugin``) into the registries of the stages.

``load()`` does it once a process. A plugin that cannot be used is left out whole and named with what is
wrong; the rest work. The environment variable ``TORR_PLUGINS`` chooses: ``off``, or names joined by commas.
"""

from __future__ import annotations

from .groups import CommandGroup, command_groups
from .loading import Plugin, load, register, registered

__all__ = ["CommandGroup", "Plugin", "command_groups", "load", "register", "registered"]
