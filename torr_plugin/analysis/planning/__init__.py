"""Variance components, and what they say of the study to run next.

``variance_components`` has the mean squares and their intervals, ``composite`` several data sets together,
``generalizability`` the figures; ``decision`` the reliability at other numbers of configurations and
examples, and ``budget`` what a wished reliability needs.
"""
