"""Every extension point, and the plugins that use them (entry-point group ``torr_plugin``, by pluggy).

``load()`` registers what every installed plugin brings, once a process. A plugin that cannot be used is left
out whole and named with what is wrong; the rest work. With the variable ``TORR_PLUGINS=off`` there are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .hookspecs import CommandGroup as CommandGroup
    from .hookspecs import hookimpl as hookimpl
    from .loading import Plugin as Plugin
    from .loading import command_groups as command_groups
    from .loading import load as load
    from .loading import register as register
    from .loading import registered as registered

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
