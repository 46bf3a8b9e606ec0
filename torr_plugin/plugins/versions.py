"""Whether a plugin is made for this version of torr-plugin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import distributions

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from .. import __version__
from ..core.errors import OWN, PluginError
from ..core.registry import PLUGINS


def check_version(specifier: object, origin: str) -> None:
    """Refuse a plugin that is made for another version of torr-plugin.

    Args:
        specifier: the versions it is made for, e.g. ``>=0.1,<1``.
        origin: the plugin's package and version.

    Raises:
        PluginError: both versions are named; or ``specifier`` is no version specifier.
    """
    try:
        fits = SpecifierSet(str(specifier)).contains(__version__, prereleases=True)
    except InvalidSpecifier as error:
        raise PluginError(
            f"{origin}: requires_torr: found {specifier!r}, expected e.g. '>=0.1,<1'"
        ) from error
    if not fits:
        raise PluginError(
            f"{origin} is made for torr-plugin {specifier}, and this is torr-plugin {__version__}; "
            "install a version of it that fits"
        )


def required_versions(requirements: Iterable[str]) -> list[str]:
    """The versions of torr-plugin that a package's requirements (``Requires-Dist``) ask for here."""
    found = []
    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:  # pip's to refuse
            continue
        here = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if canonicalize_name(requirement.name) == OWN and here:
            found.append(str(requirement.specifier))
    return found


def without_entry_point() -> Iterator[tuple[str, str, str]]:
    """Each installed package that requires torr-plugin and is no plugin: name, version, what it lacks."""
    for each in distributions():
        groups = {entry.group for entry in each.entry_points}
        if each.name != OWN and PLUGINS not in groups and list(required_versions(each.requires or ())):
            found = f"; found {', '.join(sorted(groups))}" if groups else ""
            yield each.name, each.version, f"no entry point in the group {PLUGINS!r}{found}"
