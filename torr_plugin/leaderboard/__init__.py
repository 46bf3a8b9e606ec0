"""Publishes studies: run directories (or scores files) in, a static site out.

The site needs no server and no network: ``index.html`` opens from the disk. Templates, style and script are
the files in the top-level folder ``leaderboard/``; the modules here turn figures into what the templates
show, and escape all that came from a model or a user.
"""

from .site import build_site

__all__ = ["build_site"]
