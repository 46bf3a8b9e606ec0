"""Groups of commands that plugins bring to the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from .. import plugins
from ..core.errors import described
from ..core.registry import Registry
from .command import INPUT_WRONG, debugging, load_plugins, say_error
from .results import results_apart


class OpenGroup(TyperGroup):
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
            say_error(f"{who} cannot be used: {described(error)}")
            raise typer.Exit(INPUT_WRONG) from error
        return group.make_context(info_name, args, parent=parent, **extra)


def _groups() -> Registry[plugins.CommandGroup]:
    with results_apart():  # what a plugin prints is no result of its commands
        return plugins.command_groups()
