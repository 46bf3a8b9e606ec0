"""Whether a plugin is made for this version of torr-plugin."""

from __future__ import annotations

from collections.abc import Sequence

from .. import __version__
from ..core.errors import OWN, PluginError


def check_version(*, origin: str, own: object = None, requirements: Sequence[str] = ()) -> None:
    """Refuse a plugin that is made for another version of torr-plugin.

    Args:
        origin: the plugin's package and version.
        own: what the plugin says itself, ``requires_torr``.
        requirements: those of its package (``Requires-Dist``).

    Raises:
        PluginError: both versions are said; or what is required is no version specifier.
    """
    for wanted in [*_wanted(own), *_required(requirements)]:
        if not _allows(wanted, origin):
            raise PluginError(
                f"{origin} is made for torr-plugin {wanted}, and this is torr-plugin {__version__}; "
                "install a version of it that fits"
            )


def _wanted(own: object) -> list[str]:
    if own is None:
        return []
    if not isinstance(own, str):
        raise PluginError(f"requires_torr: found {own!r}, expected text like '>=0.1,<1'")
    return [own]


def _required(requirements: Sequence[str]) -> list[str]:
    """What the package's requirements say of torr-plugin, where they hold here."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

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


def _allows(wanted: str, origin: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(wanted).contains(__version__, prereleases=True)
    except InvalidSpecifier as error:
        raise PluginError(f"{origin}: requires_torr: found {wanted!r}, expected e.g. '>=0.1,<1'") from error
