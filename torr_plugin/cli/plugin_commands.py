"""Groups of commands that plugins bring to the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from .. import plugins
from ..core.errors import described
from ..core.registry import Registry
from .command import INPUT_WRONG, NearestGroup, debugging, load_plugins, say
from .results import results_apart

_GONE = {
    "watch": "torr status RUN --follow",
    "merge": "torr analyse A B, torr publish A B, or torr run RECIPE --reuse A --reuse B --out ALL",
    "properties": "torr_plugin.papers.hctqa.properties in Python",
}
"""Commands that are no more, with what to use instead."""


class OpenGroup(NearestGroup):
    """``torr``: its own commands, then the groups of plugins, which are imported when one is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names: our own in their order, then those of plugins."""
        return [*super().list_commands(ctx), *(name for name in _groups() if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Our own command, without looking at plugins; else a plugin's."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if cmd_name in _groups():
            return PluginCommand(_groups().get(cmd_name), _groups().origin(cmd_name))
        if cmd_name in _GONE:
            say(f"torr: {cmd_name} is no command any more; expected {_GONE[cmd_name]}")
            raise typer.Exit(INPUT_WRONG)
        load_plugins()  # says which cannot be used: the command may be one of theirs
        return None


class PluginCommand(TyperCommand):
    """A plugin's group of commands, imported when one of them is run."""

    def __init__(self, group: plugins.CommandGroup, plugin: str) -> None:
        super().__init__(group.name, short_help=group.help or f"Commands of the plugin {plugin}.")
        self._target, self._plugin = group.target, plugin

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the group itself, which parses the rest of the line."""
        module, _, attribute = self._target.partition(":")
        try:
            group: Any = typer.main.get_group(getattr(import_module(module), attribute))
        except (Exception, SystemExit) as error:
            if debugging():
                raise
            who = f"command group {self.name!r} of plugin {self._plugin!r}"
            say(f"torr: {who} cannot be used: {described(error)}")
            raise typer.Exit(INPUT_WRONG) from error
        _name_the_nearest(group)
        return group.make_context(info_name, args, parent=parent, **extra)


def _name_the_nearest(group: Any) -> None:
    """Answer an unknown name in a plugin's group, and in those within it, as in our own."""
    if type(group) is TyperGroup:  # a plugin's own class answers as it wants
        group.__class__ = NearestGroup
    for command in getattr(group, "commands", {}).values():
        _name_the_nearest(command)


def _groups() -> Registry[plugins.CommandGroup]:
    with results_apart():  # what a plugin prints is no result of its commands
        return plugins.command_groups()
