"""A room for each paper: what belongs to one alone, brought in by the hooks that any plugin uses.

Nothing of the project imports these packages; ``torr_plugin.plugins`` registers what their hooks give once a
name is asked for that the framework does not know.
"""
