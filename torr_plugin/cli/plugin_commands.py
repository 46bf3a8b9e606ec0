"""Groups of commands that plugins bring to the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from .. import plugins
from ..core.errors import InputError, described
from ..core.registry import Registry
from .command import INPUT_WRONG, debugging, load_plugins, say
from .results import results_apart


class OpenGroup(TyperGroup):
    """``torr``: its own commands, then the groups of plugins, which are imported when one is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names: our own in their order, then those of plugins."""
        groups = _plugin_groups()
        for name in groups:
            if name in self.commands:
                say(f"torr: plugin {groups.origin(name)!r}: torr has a command {name!r} of its own")
        return [*super().list_commands(ctx), *(name for name in groups if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Our own command, without looking at plugins; else a plugin's."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        groups = _plugin_groups()
        if cmd_name in groups:
            return PluginCommand(groups.get(cmd_name), groups.origin(cmd_name))
        load_plugins()  # an unknown command may be of a plugin that cannot be used
        return None


class PluginCommand(TyperCommand):
    """A plugin's group of commands, imported when one of them is run."""

    def __init__(self, group: plugins.CommandGroup, plugin: str) -> None:
        short_help = group.help or f"Commands of the plugin {plugin}."
        super().__init__(group.name, short_help=short_help, rich_markup_mode=None)
        self._target, self._plugin = group.target, plugin

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the group itself, which parses the rest of the line."""
        module, _, attribute = self._target.partition(":")
        try:
            group: Any = typer.main.get_group(getattr(import_module(module), attribute))
        except (Exception, SystemExit) as error:
            if debugging():
                raise
            raise typer.Exit(self._unusable(error)) from error
        group.invoke = self._one_line(group.invoke)
        return group.make_context(info_name, args, parent=parent, **extra)

    def _one_line(self, invoke: Any) -> Any:
        """``invoke``, with errors that its commands let out in one line; ``--debug`` shows tracebacks."""

        def invoked(ctx: Any) -> Any:
            try:
                return invoke(ctx)
            except (typer.Exit, typer.Abort):
                raise
            except Exception as error:
                if debugging() or hasattr(error, "exit_code"):  # the line was typed wrongly
                    raise
                raise typer.Exit(self._unusable(error)) from error

        return invoked

    def _unusable(self, error: BaseException) -> int:
        reason = str(error) if isinstance(error, InputError) else described(error)
        say(f"torr: command group {self.name!r} of plugin {self._plugin!r} cannot be used: {reason}")
        return INPUT_WRONG


def _plugin_groups() -> Registry[plugins.CommandGroup]:
    with results_apart():  # what a plugin prints is no result of its commands
        return plugins.command_groups()
