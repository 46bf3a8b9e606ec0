"""Every extension point, in one file. A plugin is a module or object that implements some of these hooks.

Install it with an entry point in group ``torr_plugin``; mark implementations with :data:`hookimpl`::

    from torr_plugin.plugins import hookimpl

    @hookimpl
    def torr_serializers():
        return [MySerializer()]

``docs/plugins.md`` has an example of each hook, and
``examples/plugin`` is a package that implements most of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from ..core.registry import PLUGINS

if TYPE_CHECKING:
    from ..analysis import Figure
    from ..catalog.generated import DataSetMaker, Generator, TableMaker, TableQuestions
    from ..leaderboard.sections import Section
    from ..prompts import Design
    from ..tables import Table
    from ..tables.perturbations import Perturbation
    from ..tables.readers import Reader
    from ..tables.serializers import Serializer

hookspec = pluggy.HookspecMarker(PLUGINS)
hookimpl = pluggy.HookimplMarker(PLUGINS)


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group of commands, ``torr NAME ...``.

    Attributes:
        name: as it is typed.
        target: ``"package.module:app"``, a Typer app; imported when one of its commands is run.
        help: one line for ``torr --help``.
    """

    name: str
    target: str
    help: str = ""


@hookspec
def torr_serializers() -> Sequence[Serializer]:  # type: ignore[empty-body]
    """Table formats, each with its own ``name``: ``return [AsciiDoc()]``."""


@hookspec
def torr_perturbations() -> Sequence[Perturbation]:  # type: ignore[empty-body]
    """Changes to a table's layout or words, each with its own ``name``: ``return [ReverseRows()]``."""


@hookspec
def torr_designs() -> Sequence[Design]:  # type: ignore[empty-body]
    """Ways to put a prompt together, each with its own ``name``: ``return [QuestionFirst()]``.

    One that takes several calls has ``steps`` and a method ``follow``.
    """


@hookspec
def torr_metrics() -> Sequence[Any]:  # type: ignore[empty-body]
    """Metrics: instances of ``Metric``, with ``scores(prediction, references) -> {name: value}``.

    One that needs more names it in ``needs``, and is called as ``scores(prediction, references, facts)``
    with the facts that a card's examples have beside their references: ``return [NumberInText()]``.
    """


@hookspec
def torr_models() -> Mapping[str, str]:  # type: ignore[empty-body]
    """lm-eval models by name, imported when asked for: ``return {"corner": "my_package.lm:Corner"}``."""


@hookspec
def torr_readers() -> Mapping[str, Reader]:  # type: ignore[empty-body]
    """Functions from the values of a data set's row to a table, by the names that cards use.

    ``return {"my_notation": read_my_notation}``, which is called with the values that the
    card names, ``title`` and ``notes``, and gives a Table.
    """


@hookspec
def torr_generators() -> Mapping[str, Generator]:  # type: ignore[empty-body]
    """Makers of tables with questions, by names that cards use: ``return {"menus": menus}``.

    ``menus(random, number)`` yields the rows about one table; see
    :data:`torr_plugin.catalog.generated.Generator`.
    """


@hookspec
def torr_table_makers() -> Mapping[str, TableMaker]:  # type: ignore[empty-body]
    """Makers of tables without questions, for other generators: ``return {"menus": make_menu}``.

    ``make_menu(random, number)`` gives a mapping with a ``table``, and what goes with it.
    """


@hookspec
def torr_table_questions() -> Mapping[str, TableQuestions]:  # type: ignore[empty-body]
    """Questions about the tables of other cards, by the names that cards give as ``task``.

    ``return {"row_count": row_counts}``, where ``row_counts(loader, split, card, mirror)`` yields the rows of
    a split; see :data:`torr_plugin.catalog.generated.TableQuestions`.
    """


@hookspec
def torr_measures() -> Mapping[str, Callable[[Table], str]]:  # type: ignore[empty-body]
    """Measured properties of tables, by the names that cards list under ``measured``.

    ``return {"width": lambda table: "wide" if table.n_columns > 10 else "narrow"}``.
    """


@hookspec
def torr_data_sets() -> Mapping[str, DataSetMaker]:  # type: ignore[empty-body]
    """Makers of data sets as folders: ``return {"menus": make_menus}``.

    ``make_menus(options, folder, progress)`` writes the folder and returns counts.
    """


@hookspec
def torr_card_folders() -> Sequence[Path]:  # type: ignore[empty-body]
    """Folders of cards, where ``FOLDER/mine.json`` is ``cards.mine``: ``return [HERE / "cards"]``."""


@hookspec
def torr_recipe_folders() -> Sequence[Path]:  # type: ignore[empty-body]
    """Folders of recipes, where ``FOLDER/mine.yaml`` is recipe ``mine``: ``return [HERE / "recipes"]``."""


@hookspec
def torr_analyses() -> Sequence[Figure[Any]]:  # type: ignore[empty-body]
    """Figures of a study's scores, under ``plugins`` in ``analysis.json``: ``return [Unanimous()]``."""


@hookspec
def torr_sections() -> Sequence[Section]:  # type: ignore[empty-body]
    """Sections of a study's page on the site: ``return [UnanimousSection()]``."""


@hookspec
def torr_commands() -> Sequence[CommandGroup]:  # type: ignore[empty-body]
    """Groups of commands, ``torr menus draw``, imported when one is asked for.

    ``return [CommandGroup("menus", "my_package.commands:app", "Draw menus.")]``, with
    ``app`` a Typer app.
    """
