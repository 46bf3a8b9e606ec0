"""The command line, open to groups of commands that plugins bring."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_LOST = "torr: command group {name!r} of plugin {plugin!r} cannot be used: {said}"


class OpenGroup(TyperGroup):
    """``torr``: its own commands, then the groups of plugins, which are imported when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names: our own in their order, then those of plugins."""
        from ..plugins import command_groups

        return [
            *super().list_commands(ctx),
            *(name for name in command_groups() if name not in self.commands),
        ]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of our own without a look at plugins; else a plugin's."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        from ..plugins import command_groups

        found = command_groups().get(cmd_name)
        if found is None:
            _say_problems()
            return None
        group, plugin = found
        return Later(group.name, group.target, group.help, plugin)


class Later(TyperCommand):
    """A plugin's group of commands, imported when one of them is run."""

    def __init__(self, name: str, target: str, help_text: str, plugin: str) -> None:
        super().__init__(
            name, short_help=help_text or f"Commands of the plugin {plugin}.", rich_markup_mode=None
        )
        self._target, self._plugin = target, plugin

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the group itself, so that it reads the rest of the line."""
        return self._real().make_context(info_name, args, parent=parent, **extra)

    def _real(self) -> Any:
        from importlib import import_module

        from .command import debugging

        module, _, attribute = self._target.partition(":")
        try:
            return _told(typer.main.get_group(getattr(import_module(module), attribute)), self._lost)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a third party's code may raise anything, or end the process
            if debugging():
                raise
            raise typer.Exit(self._lost(error)) from error

    def _lost(self, error: BaseException) -> int:
        from ..core.errors import InputError, described
        from .command import INPUT_WRONG, say

        said = str(error) if isinstance(error, InputError) else described(error)
        say(_LOST.format(name=self.name, plugin=self._plugin, said=said))
        return INPUT_WRONG


def _told(group: Any, lost: Any) -> Any:
    """The group, with errors that its commands let out said in one line; ``--debug`` shows tracebacks."""
    invoke = group.invoke

    def told(ctx: Any) -> Any:
        from .command import debugging

        try:
            return invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if debugging() or hasattr(error, "exit_code"):  # the line was typed wrongly
                raise
            raise typer.Exit(lost(error)) from error

    group.invoke = told
    return group


def _say_problems() -> None:
    """An unknown command may be of a plugin that was left out."""
    from ..plugins import load
    from .command import say

    for plugin in load():
        if plugin.problem:
            say(f"torr: {plugin.problem}")
