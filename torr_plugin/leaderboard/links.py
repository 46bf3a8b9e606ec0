"""Addresses within a study, with a choice in them: names as the pages' scripts know them."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from .study import Study
from .text import visible


def with_choice(path: str, **chosen: str) -> str:
    """A page with what is chosen on it, as state.js reads it."""
    return f"{path}#{urlencode({name: visible(value) for name, value in chosen.items()}, quote_via=quote)}"


def example_link(study: Study, dataset: str, example: str) -> str:
    """An example under all its configurations; from the site's root."""
    return with_choice(study.paths.examples, dataset=dataset, example=example)
