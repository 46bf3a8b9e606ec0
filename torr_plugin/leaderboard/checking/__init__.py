"""Checks of runs before they are published: what is missing, mixed, undocumented or private.

In: run directories and scores files. Out: findings, each with its place and what to do about it.
"""

from .check import check
from .subject import IssueLevel, PublishingIssue

__all__ = ["IssueLevel", "PublishingIssue", "check"]
